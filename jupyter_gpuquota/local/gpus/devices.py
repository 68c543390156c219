"""The configured source of GPUs: the NVIDIA driver or simulated nodes."""

from __future__ import annotations

from typing import Any

from ..config import LocalConfig
from .inventory import DeviceInventory, Driver
from .mps import Mps
from .nvml import Nvml
from .simulated import simulated_nodes
from .work_log import WorkLog


class Devices:
    """Reads the devices that the configuration selects."""

    def __init__(self, config: LocalConfig, driver: Driver | None, problem: str = "") -> None:
        self.mps = Mps(config.mps_control, config.mps_pipe_dir)
        self.problem = problem if config.devices == "nvml" else ""
        self._driver = driver if config.devices != "simulated" else None
        self.work = WorkLog(self._driver)
        self._simulated = simulated_nodes(config.nodes()) if config.devices != "nvml" else ()
        self.source = "nvml" if self._driver else "simulated" if self._simulated else "none"

    @property
    def measured(self) -> bool:
        """Whether reading again can return anything new."""
        return self._driver is not None

    def read(self) -> DeviceInventory:
        """Read all devices now."""
        if self._driver is None:
            return DeviceInventory(self._simulated)
        return self._driver.read(mps=self.mps.answers())

    def close(self) -> None:
        """Close the driver."""
        if self._driver is not None:
            self._driver.close()


def find_devices(config: LocalConfig) -> Devices:
    """Select real or simulated devices, as configured and detected."""
    if config.devices == "simulated":
        return Devices(config, None)
    try:
        import pynvml  # noqa: PLC0415 (an optional dependency)
    except ModuleNotFoundError:
        problem = "No GPU found: the package nvidia-ml-py is not installed."
        return Devices(config, None, problem)
    driver, problem = open_driver(pynvml)
    return Devices(config, driver, problem)


def open_driver(pynvml: Any) -> tuple[Driver | None, str]:
    """Open the NVIDIA driver; None, and the problem, if it is missing or has no GPU."""
    try:
        driver = Nvml(pynvml)
    except pynvml.NVMLError as error:
        return None, f"No GPU found: the NVIDIA driver reports: {error}."
    if any(node.devices for node in driver.read(mps=False).nodes):
        return driver, ""
    driver.close()
    return None, "No GPU found: the NVIDIA driver lists none."
