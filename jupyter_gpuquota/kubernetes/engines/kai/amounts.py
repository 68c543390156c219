"""Numbers of KAI's queues in our units, both ways. Pure."""

from __future__ import annotations

import re

from ....model.resources import MILLI
from .objects import UNLIMITED, QueueResource

STEP = 10
"""KAI rounds what a workload requests of a GPU to hundredths; in milli-GPU."""
_SURPLUS = 1
"""What a quota that parts of GPUs can fill exactly is written with in addition, in milli-GPU.

KAI adds floats: 0.1 + 0.2 exceeds a quota of 0.3
(https://github.com/kai-scheduler/KAI-Scheduler/issues/2209). Nothing that is less than a step can
be requested, so it gives nobody more. Whole quotas stay whole: what is left over for borrowing is
divided in whole GPUs.
"""
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|us|µs|ns|m|s)", re.ASCII)


def milli_of(amount: float) -> int | None:
    """Return an amount of GPUs in milli-GPU without its surplus, None for one without bounds."""
    if amount < 0:
        return None
    milli = round(amount * MILLI)
    return milli - _SURPLUS if milli % STEP == _SURPLUS else milli


def gpus_of(milli: int | None) -> float:
    """Return milli-GPU as KAI's amount, with a surplus where parts of GPUs can fill it exactly."""
    if milli is None:
        return UNLIMITED
    return (milli if milli % MILLI == 0 else milli + _SURPLUS) / MILLI


def weight_of(found: QueueResource) -> int:
    """Return the weight over quota in thousandths; KAI's counts as GPUs do."""
    return round(found.over_quota_weight * MILLI)


def seconds(duration: str) -> int:
    """Return a duration of Go, such as `1h30m`, in seconds; 0 for none or an unreadable one."""
    parts = _PART.findall(duration)
    if "".join(number + unit for number, unit in parts) != duration:
        return 0
    return round(sum(float(number) * _SECONDS[unit] for number, unit in parts))
