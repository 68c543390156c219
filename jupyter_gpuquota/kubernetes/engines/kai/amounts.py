"""Numbers of KAI's queues in our units, both ways. Pure."""

from __future__ import annotations

import re

from ....model.resources import MILLI
from .objects import NOTHING, UNLIMITED, QueueResource

STEP = 10
"""KAI rounds what a workload requests of a GPU to hundredths; in milli-GPU."""
_SURPLUS = 1e-10
"""What a bound is written with in addition, in GPUs.

KAI up to 0.17 compares sums of floats exactly: 0.1 + 0.2 exceeds a quota of 0.3, and 0.2 + 0.4 +
0.3 + 0.1 one of 1 (https://github.com/kai-scheduler/KAI-Scheduler/issues/2209). This is more than
the sums are off, and less than the 1e-9 that later versions tolerate, also for ten queues: KAI
divides what is left over in whole GPUs, and a larger one would cost a queue the last of them.
"""
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|us|µs|ns|m|s)", re.ASCII)


def milli_of(amount: float) -> int | None:
    """Return an amount of GPUs in milli-GPU, None for one without bounds."""
    return None if amount < 0 else round(amount * MILLI)


def gpus_of(milli: int | None) -> float:
    """Return milli-GPU as KAI's amount, which sums of fractions do not exceed."""
    if milli is None:
        return UNLIMITED
    return milli / MILLI + _SURPLUS if milli else NOTHING


def weight_of(found: QueueResource) -> int:
    """Return the weight over quota in thousandths; KAI's counts as GPUs do."""
    return round(found.over_quota_weight * MILLI)


def seconds(duration: str) -> int:
    """Return a duration of Go, such as `1h30m`, in seconds; 0 for none or an unreadable one."""
    parts = _PART.findall(duration)
    if "".join(number + unit for number, unit in parts) != duration:
        return 0
    return round(sum(float(number) * _SECONDS[unit] for number, unit in parts))
