"""What is asked of a Prometheus, and what its answer says; pure.

GPU use is that of NVIDIA's DCGM exporter, by pod. Where Prometheus keeps its own labels, those of
the exporter are `exported_namespace` and `exported_pod` (`honor_labels: false`).
https://github.com/NVIDIA/dcgm-exporter
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from ..labels import PREFIX


class _Sample(msgspec.Struct, frozen=True):
    metric: Mapping[str, str]
    value: tuple[float, str]


class _Data(msgspec.Struct, frozen=True):
    result: tuple[_Sample, ...] = ()


class _Answer(msgspec.Struct, frozen=True):
    status: str
    data: _Data = _Data()
    error: str = ""


def samples(answer: bytes) -> Iterator[tuple[Mapping[str, str], float]]:
    """Yield the labels and the value of each sample that is a number.

    Raises ValueError for a refusal, MsgspecError.
    """
    found = msgspec.json.decode(answer, type=_Answer, strict=False)
    if found.status != "success":
        raise ValueError(found.error or found.status)
    for sample in found.data.result:
        value = float(sample.value[1])
        if math.isfinite(value):
            yield sample.metric, value


def namespace_of(labels: Mapping[str, str]) -> str:
    """Return the namespace that a sample is about, rather than that of its exporter."""
    return labels.get("exported_namespace") or labels.get("namespace", "")


Pod = tuple[str, str]
"""The namespace and the name of a pod."""

WINDOW = "2m"
"""The time that a value is the highest of: scrapes are up to a minute apart."""

_BY = "by (namespace, pod, exported_namespace, exported_pod)"
_KIND = "gpuquota"
_ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of a pod; None for what was not.

    `gpu` is the utilisation of its busiest device in per cent, the highest in two minutes,
    `gpu_mean` the mean of all its devices in that time. `cpu` is in per cent of a core. `disk` and
    `received` are bytes per second, `received` those of all that its pod receives.
    """

    gpu: int | None = None
    cpu: float | None = None
    gpu_mean: int | None = None
    disk: float | None = None
    received: float | None = None


def query() -> str:
    """Return the one query for all sessions.

    A MIG device reports no utilisation, so the share of time with work counts instead.
    """
    busy, mean = (
        f"{_over_time(how, 'DCGM_FI_DEV_GPU_UTIL')} or 100 * ({_over_time(how, _ENGINE)})"
        for how in ("max", "avg")
    )
    ours = f'pod=~"{PREFIX}.+"'
    cpu, reads, writes = (
        f'rate(container_{name}_total{{container!="",{ours}}}[{WINDOW}])'
        for name in ("cpu_usage_seconds", "fs_reads_bytes", "fs_writes_bytes")
    )
    received = f"rate(container_network_receive_bytes_total{{{ours}}}[{WINDOW}])"
    parts = {
        "gpu": f"max {_BY} ({busy})",
        "mean": f"avg {_BY} ({mean})",
        "cpu": f"100 * sum {_BY} ({cpu})",
        "disk": f"sum {_BY} ({reads}) + sum {_BY} ({writes})",
        "received": f"sum {_BY} ({received})",
    }
    return " or ".join(
        f'label_replace({text}, "{_KIND}", "{kind}", "", "")' for kind, text in parts.items()
    )


def read(answer: bytes) -> dict[Pod, Measured]:
    """Return what an answer says of each pod. Raises ValueError for a refusal, MsgspecError."""
    pods: dict[Pod, Measured] = {}
    for labels, value in samples(answer):
        pod = (namespace_of(labels), labels.get("exported_pod") or labels.get("pod", ""))
        pods[pod] = _with(pods.get(pod, Measured()), labels.get(_KIND, ""), value)
    return pods


def _with(known: Measured, kind: str, value: float) -> Measured:
    if kind == "gpu":
        return replace(known, gpu=max(math.ceil(value), known.gpu or 0))
    if kind == "mean":
        return replace(known, gpu_mean=round(value))
    if kind == "disk":
        return replace(known, disk=value)
    if kind == "received":
        return replace(known, received=value)
    return replace(known, cpu=value) if kind == "cpu" else known


def _over_time(how: str, metric: str) -> str:
    """Return the expression for the `max` or `avg` of a metric of each device."""
    pods = f'pod=~"{PREFIX}.+"'
    selected = (f"{{exported_{pods}}}", f'{{exported_pod="",{pods}}}')
    return " or ".join(f"{how}_over_time({metric}{labels}[{WINDOW}])" for labels in selected)
