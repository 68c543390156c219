"""Read a share as users write it.

Steps and bounds: fractions in 0.001, compute in 5 % from 5 to 100 (ACK's rule), memory in MiB or as
a Kubernetes quantity (`8Gi`, `4G`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from ...model.resources import MILLI, Share
from ...model.sessions import SessionRequest
from ..fields import BadValue, FieldReader
from .quantities import parse_memory

_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,12})?", re.ASCII)
_MIG = re.compile(
    r"(?:nvidia\.com/)?(?:mig[- ])?((?:\d+c\.)?\d+g\.\d+(?:\.\d+)?gb)(?:([+.-])([a-z][\w.+-]*))?",
    re.ASCII,
)
"""A profile as NVML (`MIG 1c.3g.40gb`, `1g.10gb+me`, `1g.24gb-me`) and Kubernetes name it, with a
dot for the plus sign (`nvidia.com/mig-1g.10gb.me`)."""
_VULGAR = {"½": 500, "¼": 250, "¾": 750, "⅓": 333, "⅔": 667, "⅛": 125}
"""Fractions in one character, as milli-GPU."""


def read_share(request: SessionRequest, reader: FieldReader) -> Share:
    """Return the share that the four share fields of a request make together."""
    before = len(reader.errors)
    share = Share(
        milli=reader.read("gpu", request.gpu, _optional(_parse_gpu)),
        memory=reader.read("gpu_memory", request.gpu_memory, _optional(_parse_memory)),
        compute=reader.read("gpu_compute", request.gpu_compute, _optional(_parse_compute)),
        mig=_read_mig(request.mig_profile, reader),
    )
    if len(reader.errors) == before:
        _check_combination(share, reader)
    return share


def parse_mig(text: str) -> str:
    """Return a MIG profile as NVML names it; empty for none. Raises BadValue."""
    name = text.strip().lower()
    found = _MIG.fullmatch(name)
    if name and not found:
        raise BadValue("share.profile", value=repr(text))
    if not found or not found[2]:
        return found[1] if found else ""
    return f"{found[1]}{found[2].replace('.', '+')}{found[3]}"


def parse_quota(text: str) -> int:
    """Read a number of GPUs of a quota (`4`, `2.5`) as milli-GPU. Raises BadValue."""
    if not _NUMBER.fullmatch(text) or text.startswith("-"):
        raise BadValue("quota.number", value=repr(text))
    milli = Decimal(text) * MILLI
    if milli != int(milli):
        raise BadValue("quota.number", value=repr(text))
    return int(milli)


def _read_mig(text: str, reader: FieldReader) -> str:
    try:
        return parse_mig(text)
    except BadValue as error:
        reader.wrong("mig_profile", error.key, **error.args_by_name)
        return ""


def _optional(parse: Callable[[str], int]) -> Callable[[str], int]:
    return lambda text: parse(text) if text else 0


def _check_combination(share: Share, reader: FieldReader) -> None:
    forms = {"gpu": share.milli, "gpu_memory": share.memory, "mig_profile": share.mig}
    used = [field for field, value in forms.items() if value]
    if len(used) > 1:
        for field in used[1:]:
            reader.wrong(field, "share.exclusive", first=used[0], second=field)
    elif share.compute and (share.mig or share.milli >= MILLI or not used):
        reader.wrong("gpu_compute", "share.compute.alone")


def _parse_gpu(text: str) -> int:
    if text in _VULGAR:
        raise BadValue("share.fraction", value=text, number=_VULGAR[text])
    if not _NUMBER.fullmatch(text):
        raise BadValue("share.number", value=repr(text))
    gpus = Decimal(text)
    if gpus <= 0:
        raise BadValue("share.zero")
    milli = gpus * MILLI
    if milli != int(milli):
        raise BadValue("share.step", near=max(int(milli), 1))
    return int(milli)


def _parse_memory(text: str) -> int:
    mib = parse_memory(text)
    if mib < 1:
        raise BadValue("share.amount.zero")
    return mib


def _parse_compute(text: str) -> int:
    text = text.removesuffix("%").strip()
    short = re.fullmatch(r"\d{1,3}", text, re.ASCII)
    if not short or not 5 <= int(text) <= 100 or int(text) % 5:
        raise BadValue("share.compute", near=_near(int(text)) if short else 30)
    return int(text)


def _near(compute: int) -> int:
    return min(100, max(5, 5 * round(compute / 5)))
