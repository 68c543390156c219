"""Answers of a Prometheus: instant vectors. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import msgspec


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
