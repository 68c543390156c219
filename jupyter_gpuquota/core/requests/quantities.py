"""Read amounts of CPUs and memory as users and Kubernetes write them.

See https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ and …/labels/.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import get_args

from ...model.pods import Effect
from ...model.struct import Number
from ..fields import BadValue, FieldReader

_MEMORY = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]i?)?B?", re.ASCII)
_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_LARGEST = 2**60
"""Bytes of the largest volume: 1 EiB."""
_CPUS = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)|(\d{1,12})m", re.ASCII)


def parse_memory(text: str) -> int:
    """Read memory (`8192`, in MiB, or `8Gi`, `4G`) as MiB, rounded up. Raises BadValue."""
    match = _MEMORY.fullmatch(text)
    if not match:
        raise BadValue("share.amount", value=repr(text))
    amount, unit = Decimal(match[1]), match[2]
    return math.ceil(amount if unit is None else amount * _UNITS[unit] / 2**20)


def parse_cpus(text: str) -> int:
    """Read a number of CPUs (`2`, `0.5`, `500m`) as millicores. Raises BadValue."""
    match = _CPUS.fullmatch(text)
    if not match:
        raise BadValue("pod.value", value=repr(text), example="0.5, 2 or 500m")
    return int(match[2] or Decimal(match[1]) * 1000)


def read_size(field: str, text: Number, reader: FieldReader) -> int:
    """Read the size of a volume in bytes; 0 for an empty one."""
    if str(text).strip() in {"", "0"}:
        return 0
    size = reader.read(field, text, _parse_size) << 20
    if size > _LARGEST:
        reader.untranslated(field, "That is too large.", "Use at most 1048576Ti.")
    return size


def _parse_size(text: str) -> int:
    """Read a size (`10Gi`) as MiB, rounded up. Raises BadValue."""
    try:
        return parse_memory(text)
    except BadValue:
        raise BadValue("pod.value", value=repr(text), example="10Gi or 500Mi") from None


def size_quantity(size: int) -> str:
    """Return bytes as a quantity that `read_size` reads, rounded up to MiB."""
    mib = -(-size >> 20)
    for unit, step in (("Ti", 1 << 20), ("Gi", 1 << 10)):
        if mib and mib % step == 0:
            return f"{mib // step}{unit}"
    return f"{mib}Mi"


_PART = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_DOMAIN = rf"{_PART}(?:\.{_PART})*"
_LABEL = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"

OBJECT = re.compile(rf"(?=.{{1,253}}\Z){_DOMAIN}", re.ASCII)
"""The name of an object, such as a Secret or a claim."""

SECRET_VALUE = re.compile(
    rf"((?=[^/]{{1,253}}/){_DOMAIN})/((?!\.\.?\Z)[-._a-zA-Z0-9]{{1,253}})", re.ASCII
)
"""`SECRET/KEY`."""

TOLERATION = re.compile(
    rf"((?:(?=[^/]{{1,253}}/){_DOMAIN}/)?{_LABEL})(?:=({_LABEL}))?"
    rf"(?::({'|'.join(get_args(Effect))}))?",
    re.ASCII,
)
"""`KEY[=VALUE][:EFFECT]`, as in `kubectl taint`."""

PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|\Z))[^/:\x00-\x1f\x7f]+)+")
"""An absolute path, without `.` and `..`."""

RUN_AS = re.compile(r"(\d{1,10})(?::(\d{1,10}))?", re.ASCII)
"""`USER[:GROUP]`, in numbers."""
