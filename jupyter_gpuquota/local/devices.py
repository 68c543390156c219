"""Where GPUs come from."""

from __future__ import annotations

from typing import Any

from .config import LocalConfig
from .inventory import DeviceInventory, Driver, Work
from .mps import Mps
from .nvml import Nvml
from .simulated import simulated_nodes


class Devices:
    """Look at the devices that the configuration chose."""

    def __init__(self, config: LocalConfig, driver: Driver | None, problem: str = "") -> None:
        self.mps = Mps(config.mps_control, config.mps_pipe_dir)
        self.problem = problem if config.devices == "nvml" else ""
        self._driver = driver if config.devices != "simulated" else None
        self._simulated = simulated_nodes(config.nodes()) if config.devices != "nvml" else ()
        self.source = "nvml" if self._driver else "simulated" if self._simulated else "none"

    @property
    def measured(self) -> bool:
        """Tell whether looking again can show anything new."""
        return self._driver is not None

    def read(self) -> DeviceInventory:
        """Look at all devices now."""
        if self._driver is None:
            return DeviceInventory(self._simulated)
        return self._driver.read(mps=self.mps.answers())

    def work(self, uuid: str, since: int) -> Work | None:
        """Read what a real device has done since a stamp; None if it does not answer."""
        return self._driver.work(uuid, since) if self._driver else None

    def close(self) -> None:
        """Let go of the driver."""
        if self._driver is not None:
            self._driver.close()


def find_devices(config: LocalConfig) -> Devices:
    """Choose real devices if there are any, as the configuration says."""
    if config.devices == "simulated":
        return Devices(config, None)
    try:
        import pynvml  # noqa: PLC0415 (an optional dependency)
    except ModuleNotFoundError:
        problem = "No GPU can be found: the package nvidia-ml-py is not installed."
        return Devices(config, None, problem)
    driver, problem = open_driver(pynvml)
    return Devices(config, driver, problem)


def open_driver(pynvml: Any) -> tuple[Driver | None, str]:
    """Open the NVIDIA driver; None, and why, if it is not there or has no GPU."""
    try:
        driver = Nvml(pynvml)
    except pynvml.NVMLError as error:
        return None, f"No GPU can be found: the NVIDIA driver says: {error}."
    if any(node.devices for node in driver.read(mps=False).nodes):
        return driver, ""
    driver.close()
    return None, "No GPU can be found: the NVIDIA driver lists none."
