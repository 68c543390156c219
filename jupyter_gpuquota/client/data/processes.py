"""What the processes of jobs are given, and what they have said."""

from __future__ import annotations

import msgspec

from ...errors import GpuQuotaError, Internal
from ...model.struct import Problem, error_of


def early_end(code: int, said: str) -> GpuQuotaError:
    """Return the error of a process that has ended before it could report.

    The last line of what it has said is a `Problem`, unless it has crashed.
    """
    try:
        return error_of(msgspec.json.decode(said.rpartition("\n")[2], type=Problem))
    except msgspec.MsgspecError:
        return Internal(f"The process of the job ended with the exit code {code}.\n{said}")


def option(name: str, value: str) -> list[str]:
    """Return an option with its value; nothing for an empty one."""
    return [f"--{name}={value}"] if value else []
