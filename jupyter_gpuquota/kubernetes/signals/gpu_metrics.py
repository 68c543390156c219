"""What a Prometheus measures of each GPU; pure.

NVIDIA's DCGM exporter measures devices and MIG instances, and names the pod that has one; HAMi's
monitor measures what containers hold of devices. Releases of the exporter differ in `Hostname` and
`UUID`, which newer ones write in lower case. Where Prometheus keeps its own labels, `pod` is the
exporter's pod, and the pod with the GPU is `exported_pod` (`honor_labels: false`).
https://github.com/NVIDIA/dcgm-exporter
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from ...model.nodes import GpuProgram, Reading
from .measured import Pod, namespace_of, samples

_KIND = "gpuquota"
_METRICS = {
    "busy": "DCGM_FI_DEV_GPU_UTIL",
    "used": "DCGM_FI_DEV_FB_USED",
    "free": "DCGM_FI_DEV_FB_FREE",
    "degrees": "DCGM_FI_DEV_GPU_TEMP",
}
_MIB = 2**20
_POD_LABELS = ("namespace", "pod", "exported_namespace", "exported_pod")
_PLACE_LABELS = ("Hostname", "hostname", "node")
_GPU_LABELS = ("UUID", "uuid", "gpu", "GPU_I_ID")


@dataclass(slots=True)
class Part:
    """What was measured of a GPU, or of a MIG instance of it; `pods` may have it, or measure it."""

    values: dict[str, float] = field(default_factory=dict)
    pods: set[Pod] = field(default_factory=set)


@dataclass(slots=True)
class Metered:
    """What was measured of one GPU.

    `parts` are its MIG instances, or only itself under an empty name. `places` are texts of which
    one may be its node's name; `held` is what pods hold of it in MiB, where that is known.
    """

    number: str = ""
    parts: dict[str, Part] = field(default_factory=lambda: defaultdict(Part))
    places: set[str] = field(default_factory=set)
    held: dict[Pod, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Users:
    """Who uses the GPUs that a pod was given, and on which node it is.

    `programs` are those of the pod; of others, where it only keeps a GPU for them.
    """

    node: str
    programs: tuple[GpuProgram, ...] = ()


UsersOf = Callable[[Pod], Users | None]
"""Returns who uses the GPUs of a pod, None for a pod that is not known."""


def query() -> str:
    """Return the one query for all GPUs."""
    labels = ", ".join((*_GPU_LABELS, *_PLACE_LABELS, *_POD_LABELS))
    asked = {kind: f"max by ({labels}) ({metric})" for kind, metric in _METRICS.items()}
    held = "vGPU_device_memory_usage_in_bytes"
    asked["held"] = f"sum by (podnamespace, podname, deviceuuid) ({held})"
    return " or ".join(
        f'label_replace({text}, "{_KIND}", "{kind}", "", "")' for kind, text in asked.items()
    )


def read(answer: bytes) -> dict[str, Metered]:
    """Return what an answer says of each GPU, by UUID. Raises ValueError, MsgspecError."""
    found: dict[str, Metered] = defaultdict(Metered)
    for labels, value in samples(answer):
        uuid = labels.get("UUID") or labels.get("uuid") or labels.get("deviceuuid")
        if uuid:
            _add(found[uuid], labels, value)
    return dict(found)


def readings(
    found: Mapping[str, Metered], nodes: Collection[str], users: UsersOf
) -> dict[str, Reading]:
    """Return the reading of each GPU whose node is known, by UUID."""
    read = ((uuid, _reading(uuid, gpu, nodes, users)) for uuid, gpu in found.items() if gpu.parts)
    return {uuid: reading for uuid, reading in read if reading.node}


def _add(gpu: Metered, labels: Mapping[str, str], value: float) -> None:
    kind = labels.get(_KIND, "")
    if kind == "held":
        pod = labels.get("podnamespace", ""), labels.get("podname", "")
        gpu.held[pod] = round(value / _MIB)
        return
    part = gpu.parts[labels.get("GPU_I_ID", "")]
    part.values[kind] = max(value, part.values.get(kind, value))
    part.pods |= {
        (namespace_of(labels), labels.get("exported_pod", "")),
        (labels.get("namespace", ""), labels.get("pod", "")),
    }
    gpu.number = labels.get("gpu") or gpu.number
    gpu.places.update(place for each in _PLACE_LABELS if (place := labels.get(each)))


def _reading(uuid: str, gpu: Metered, nodes: Collection[str], users: UsersOf) -> Reading:
    parts = gpu.parts.values()
    pods = {pod for part in parts for pod in part.pods}
    known = {pod: each for pod in (pods | gpu.held.keys()) if (each := users(pod)) is not None}
    at = [*sorted(gpu.places), *sorted({each.node for each in known.values()})]
    used = _values(parts, "used")
    return Reading(
        utilisation=_rounded(max(_values(parts, "busy"), default=None)),
        memory_used=_rounded(sum(used)) if used else None,
        temperature=_rounded(max(_values(parts, "degrees"), default=None)),
        programs=tuple(_programs(gpu, known)),
        node=next((place for place in at if place in nodes), ""),
        name=gpu.number or uuid.removeprefix("GPU-")[:8],
        memory=round(sum(used) + sum(_values(parts, "free"))),
        mig=any(gpu.parts),
    )


def _programs(gpu: Metered, known: Mapping[Pod, Users]) -> Iterator[GpuProgram]:
    """Yield who uses a GPU; whoever has a part alone holds what is measured of that part."""
    for pod in sorted(gpu.held.keys() & known.keys()):
        for program in known[pod].programs:
            yield replace(program, memory=gpu.held[pod])
    for part in gpu.parts.values():
        others = sorted(part.pods & known.keys() - gpu.held.keys())
        programs = [program for pod in others for program in known[pod].programs]
        alone = len(programs) == 1 and not gpu.held
        used = _rounded(part.values.get("used")) if alone else None
        yield from (replace(program, memory=used) for program in programs)


def _values(parts: Iterable[Part], kind: str) -> list[float]:
    return [part.values[kind] for part in parts if kind in part.values]


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)
