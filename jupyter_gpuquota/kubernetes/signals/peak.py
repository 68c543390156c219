"""The most GPU memory that a session has used, as a Prometheus has kept it; pure.

NVIDIA's DCGM exporter measures devices: what it says is the session's only where the session has
its devices alone. HAMi's monitor measures containers.
https://github.com/Project-HAMi/HAMi/blob/master/docs/dashboard.md
"""

from __future__ import annotations

from dataclasses import dataclass

from ...model.resources import Share
from .measured import samples

_KIND = "gpuquota"
_MIB = 2**20
SHORTEST = 60
"""The shortest time that is asked for, in seconds: some scrapes are that far apart."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The most memory in MiB, over all devices, and for how many seconds it was measured."""

    memory: int
    seconds: int


def query(namespace: str, pod: str, share: Share, seconds: int) -> str:
    """Return what to ask of the pod of a session that has run for so long."""
    over = f"{max(SHORTEST, seconds)}s"
    found = (
        _own_devices(namespace, pod) if share.devices or share.mig else _container(namespace, pod)
    )
    most = " or ".join(f"max_over_time({each}[{over}])" for each in found)
    first = " or ".join(f"min_over_time(timestamp({each})[{over}:1m])" for each in found)
    parts = {"peak": f"sum({most})", "seconds": f"time() - min({first})"}
    return " or ".join(
        f'label_replace({text}, "{_KIND}", "{kind}", "", "")' for kind, text in parts.items()
    )


def read(answer: bytes, share: Share) -> Peak | None:
    """Return what an answer says, None if nothing was measured.

    Raises ValueError for a refusal, MsgspecError.
    """
    found = {labels.get(_KIND, ""): value for labels, value in samples(answer)}
    if "peak" not in found:
        return None
    unit = 1 if share.devices or share.mig else _MIB
    return Peak(round(found["peak"] / unit), max(0, round(found.get("seconds", 0))))


def _own_devices(namespace: str, pod: str) -> tuple[str, ...]:
    """Return the series of the devices of a pod; Prometheus may keep labels of its own."""
    metric = "DCGM_FI_DEV_FB_USED"
    return (
        f'{metric}{{exported_namespace="{namespace}",exported_pod="{pod}"}}',
        f'{metric}{{exported_pod="",namespace="{namespace}",pod="{pod}"}}',
    )


def _container(namespace: str, pod: str) -> tuple[str, ...]:
    metric = "vGPU_device_memory_usage_in_bytes"
    return (f'{metric}{{podnamespace="{namespace}",podname="{pod}"}}',)
