"""Configuration of the demo: two simulated nodes and four teams on a machine without GPUs.

Set-up copies this file to `etc/jupyter` of the environment, where the Jupyter Server and
`jupyter gpu` both read it.
"""

import sys
from pathlib import Path


def finds_gpu() -> bool:
    """Return whether NVML finds a GPU; False without a driver or the Python binding."""
    try:
        import pynvml  # noqa: PLC0415 (an optional dependency)
    except ModuleNotFoundError:
        return False
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return False
    try:
        return bool(pynvml.nvmlDeviceGetCount())
    except pynvml.NVMLError:
        return False
    finally:
        pynvml.nvmlShutdown()


c = get_config()  # defined by Jupyter

c.LocalConfig.devices = "auto"
c.GpuQuota.state_dir = str(Path(sys.prefix) / "var" / "gpuquota")

# Real GPUs form one project of the user; simulated ones are shared by four teams.
if not finds_gpu():
    c.LocalConfig.simulated_nodes = [
        {"name": name, "gpus": 8, "memory": 32768, "model": "V100-32GB"}
        for name in ("dgx1-1", "dgx1-2")
    ]
    c.GpuQuota.projects = [
        {"name": "team-a", "quota": "4"},
        {"name": "team-b", "quota": "2"},
        {"name": "team-c", "quota": "2"},
        {"name": "team-d", "quota": "8"},
    ]
