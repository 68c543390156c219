"""Read a share as users write it.

Steps and bounds: fractions in 0.01 (KAI Scheduler's step), compute in 5 % from 5 to 100 (ACK's
rule), memory in MiB or as a Kubernetes quantity (`8Gi`, `4G`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal

from ..errors import FieldError
from ..model.resources import MILLI, Share
from ..model.sessions import SessionRequest

_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,12})?", re.ASCII)
_QUANTITY = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]i?)?B?", re.ASCII)
_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_MIG = re.compile(r"\d+g\.\d+gb(\+[\w.]+)?", re.ASCII)
_VULGAR = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.33", "⅔": "0.66", "⅛": "0.12"}
_LEAVE_OUT = "Leave the GPU out for a session on CPUs only."


class _Bad(Exception):
    """Carry what is wrong with one value, and what to write instead, to `parse_share`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def parse_share(request: SessionRequest) -> tuple[Share, list[FieldError]]:
    """Read the four share fields of a request; return the share and every broken field."""
    errors: list[FieldError] = []

    def read(field: str, value: object, parse: Callable[[str], int]) -> int:
        text = str(value).strip()
        try:
            return parse(text) if text else 0
        except _Bad as bad:
            errors.append(FieldError(field, str(bad), bad.hint))
            return 0

    share = Share(
        milli=read("gpu", request.gpu, _parse_gpu),
        memory=read("gpu_memory", request.gpu_memory, _parse_memory),
        compute=read("gpu_compute", request.gpu_compute, _parse_compute),
        mig=request.mig_profile.strip().lower(),
    )
    if share.mig and not _MIG.fullmatch(share.mig):
        message = f"{request.mig_profile!r} is not a MIG profile."
        errors.append(FieldError("mig_profile", message, "Profiles read 1g.10gb."))
    return share, errors or _check_combination(share)


def parse_quota(text: str) -> int:
    """Read a number of GPUs of a quota (`4`, `2.5`) as milli-GPU; raise ValueError otherwise."""
    if not _NUMBER.fullmatch(text) or text.startswith("-"):
        raise ValueError(f"{text!r} is not a number of GPUs.")
    milli = Decimal(text) * MILLI
    if milli != int(milli):
        raise ValueError(f"{text} has more than three decimals.")
    return int(milli)


def _check_combination(share: Share) -> list[FieldError]:
    forms = {"gpu": share.milli, "gpu_memory": share.memory, "mig_profile": share.mig}
    used = [field for field, value in forms.items() if value]
    if len(used) > 1:
        return [
            FieldError(field, f"{used[0]} and {field} exclude each other.", "Keep one of them.")
            for field in used[1:]
        ]
    if share.compute and (share.mig or share.devices or not used):
        message = "A compute share goes with a fraction or with memory on one GPU."
        hint = "Give gpu below 1 or gpu_memory as well, or leave compute out."
        return [FieldError("gpu_compute", message, hint)]
    return []


def _parse_gpu(text: str) -> int:
    if text in _VULGAR:
        raise _Bad(f"{text} is not written as a number.", f"Write {_VULGAR[text]}.")
    if not _NUMBER.fullmatch(text):
        raise _Bad(f"{text!r} is not a number of GPUs.", "Write 0.5, or a whole number.")
    gpus = Decimal(text)
    if gpus <= 0:
        raise _Bad(f"A share must be above 0; {text} is not.", _LEAVE_OUT)
    if gpus > 1 and gpus != int(gpus):
        below, above = int(gpus), int(gpus) + 1
        raise _Bad(
            f"{text} is not a whole number of GPUs; above one, only whole GPUs can be had.",
            f"Write {below} or {above}.",
        )
    hundredths = gpus * 100
    if hundredths != int(hundredths):
        raise _Bad(
            f"{text} is finer than the step of 0.01 GPU.", f"Write {max(int(hundredths), 1) / 100}."
        )
    return int(gpus * MILLI)


def _parse_memory(text: str) -> int:
    match = _QUANTITY.fullmatch(text)
    if not match:
        raise _Bad(f"{text!r} is not an amount of memory.", "Write MiB (8192) or 8Gi.")
    amount, unit = Decimal(match[1]), match[2]
    mib = amount if unit is None else amount * _UNITS[unit] / 2**20
    if mib < 1:
        raise _Bad(f"A memory share must be at least 1 MiB; {text} is less.", _LEAVE_OUT)
    return math.ceil(mib)


def _parse_compute(text: str) -> int:
    text = text.removesuffix("%").strip()
    if not re.fullmatch(r"\d{1,3}", text, re.ASCII) or not 5 <= int(text) <= 100 or int(text) % 5:
        near = min(100, max(5, 5 * round(int(text) / 5))) if text.isdecimal() else 30
        raise _Bad(f"{text} is not one of 5, 10, … 100 %.", f"Write {near}.")
    return int(text)
