"""How the values in messages are written in English, by the type of their placeholder.

The front end has a formatter of the same name for each type (`IFormats` in
`labextension/src/api/messages`), which writes the value in the user's language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from ..resources import Placement, Share, counted_gpus, device_text, gpus_text, memory_text
from .idle_words import activity_text, whose

Arg = str | int
"""A value as it travels: integers for amounts, text for everything else."""

_STEP, _TEN = 1024, 9.95
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def duration(seconds: int) -> str:
    """Return seconds in their two largest units: `2 h 5 min`, `54 s`."""
    parts: list[tuple[int, str]] = []
    for size, unit in _UNITS:
        count, seconds = divmod(seconds, size)
        if count or parts:
            parts.append((count, unit))
    return " ".join(f"{count} {unit}" for count, unit in parts[:2] if count) or "0 s"


def clock(time: str) -> str:
    """Return the time of day of an ISO time in UTC: `14:05 UTC`."""
    return f"{datetime.fromisoformat(time):%H:%M} UTC"


def joined(names: str, conjunction: str) -> str:
    """Return comma-separated names as a list in a sentence: `a, b or c`."""
    *head, last = names.split(",")
    return f"{', '.join(head)} {conjunction} {last}" if head else last


def sessions(names: str) -> str:
    """Return the sessions of `sessions_arg` in words: `exp-1, 2 sessions of team-b`."""
    return ", ".join(_session(name) for name in names.split(","))


def holders(amounts: str) -> str:
    """Return the holdings of `holders_arg` in words: `team-d 8 (2 borrowed), team-b 2`."""
    return ", ".join(_holder(*part.split("/")) for part in amounts.split(","))


def place(text: str) -> str:
    """Return the place of `place_arg` in words: `dgx1-2, GPU 3 (simulated)`."""
    node, devices, simulated = text.rsplit("/", 2)
    where = f"{node}, GPU {devices.replace(',', ', ')}" if devices else node
    return f"{where} (simulated)" if simulated else where


def share(text: str) -> str:
    """Return the share of `share_arg` in words: `0.5 GPU, 30 % compute`."""
    milli, memory, compute, mig = text.split("/", 3)
    return Share(milli=int(milli), memory=int(memory), compute=int(compute), mig=mig).text


def signals(names: str) -> str:
    """Return comma-separated signals as what was missing: `kernel, terminal or CPU activity`."""
    return activity_text(names.split(",") if names else [])


def place_arg(placement: Placement) -> str:
    """Return a place as an argument: `dgx1-2/3/simulated`, the GPUs separated by commas."""
    devices = ",".join(filter(None, map(device_text, placement.slices)))
    return f"{placement.node}/{devices}/{'simulated' if placement.simulated else ''}"


def share_arg(share: Share) -> str:
    """Return a share as an argument: milli-GPU, MiB, per cent of compute and MIG profile."""
    return f"{share.milli}/{share.memory}/{share.compute}/{share.mig}"


def time_arg(time: datetime) -> str:
    """Return a time as an argument, to the second, in UTC."""
    return time.astimezone(UTC).isoformat(timespec="seconds")


def sessions_arg(own: Iterable[str], others: Mapping[str, int]) -> str:
    """Return sessions as an argument: `exp-1,team-b/2`.

    `own` are names, `others` counts by project: sessions whose names the reader may not know.
    """
    return ",".join([*own, *(f"{project}/{count}" for project, count in others.items())])


def holders_arg(amounts: Iterable[tuple[str, int, int]]) -> str:
    """Return who holds how much as an argument: project, milli-GPU used and borrowed."""
    return ",".join(f"{project}/{used}/{borrowed}" for project, used, borrowed in amounts)


def _session(name: str) -> str:
    project, _, count = name.partition("/")
    if not count:
        return name
    return f"a session of {project}" if count == "1" else f"{count} sessions of {project}"


def _holder(project: str, used: str, borrowed: str) -> str:
    note = f" ({gpus_text(int(borrowed))} borrowed)" if int(borrowed) else ""
    return f"{project} {gpus_text(int(used))}{note}"


def size(count: int) -> str:
    """Return bytes in a binary unit, as sizes are typed: `1.2 GiB`, `43 KiB`, `7 B`."""
    value, power = float(count), 0
    while round(value) >= _STEP and power < len(_BYTES) - 1:
        value, power = value / _STEP, power + 1
    text = f"{value:.1f}".removesuffix(".0") if power and value < _TEN else f"{value:.0f}"
    return f"{text} {_BYTES[power]}"


NUMBERS: Mapping[str, Callable[[int], str]] = {
    "amount": gpus_text,
    "bytes": size,
    "count": str,
    "duration": duration,
    "gpus": counted_gpus,
    "memory": memory_text,
}
"""Types of integers: milli-GPU without (`amount`) and with (`gpus`) unit, bytes, MiB, seconds."""

TEXTS: Mapping[str, Callable[[str], str]] = {
    "and": lambda names: joined(names, "and"),
    "holders": holders,
    "or": lambda names: joined(names, "or"),
    "place": place,
    "policy": whose,
    "sessions": sessions,
    "share": share,
    "signals": signals,
    "text": str,
    "time": clock,
}
"""Types of texts: names as they are, comma-separated lists, times in ISO 8601."""


def formatted(kind: str, value: Arg) -> str:
    """Return a value as its type is written; raise TypeError where it is of another type."""
    if isinstance(value, str):
        if kind in TEXTS:
            return TEXTS[kind](value)
    elif kind in NUMBERS:
        return NUMBERS[kind](value)
    raise TypeError(f"{value!r} cannot be written as {kind!r}")
