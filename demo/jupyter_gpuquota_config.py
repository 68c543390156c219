"""Configuration of the demo: two simulated nodes and four teams where this machine has no GPU.

Set-up copies this file into the environment's `etc/jupyter`, where the Jupyter Server and
`jupyter gpu` both read it.
"""

import sys
from pathlib import Path


def finds_gpu() -> bool:
    """Ask NVML whether this machine has a GPU; no driver or no binding means that it has none."""
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


c = get_config()  # Jupyter defines it before it runs this file

c.LocalConfig.devices = "auto"
c.GpuQuota.state_dir = str(Path(sys.prefix) / "var" / "gpuquota")

# Real GPUs are one pool for the user who started this; the simulated ones are shared by teams.
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
