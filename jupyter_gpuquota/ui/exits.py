"""What the shell's exit codes mean. They are part of the interface and do not change."""

from __future__ import annotations

from ..errors import (
    Conflict,
    GpuQuotaError,
    InvalidRequest,
    NotAllowed,
    NotFound,
    StorageFailed,
    Unavailable,
    Unsupported,
)

OK = 0
FAILED = 1
"""Something went wrong that has no code of its own; a session that was waited for has failed."""
INTERRUPTED = 130

EXIT_CODES: dict[type[GpuQuotaError], int] = {
    GpuQuotaError: FAILED,
    InvalidRequest: 2,
    NotFound: 3,
    Conflict: 4,
    NotAllowed: 5,
    Unavailable: 6,
    Unsupported: 7,
    StorageFailed: 8,
}
"""The code of each class of errors; a subclass without a row has its parent's."""


class Failed(GpuQuotaError):
    """Raise in a notebook where the shell would end with an exit code other than 0."""

    code = "Failed"


def exit_code_of(error: GpuQuotaError) -> int:
    """Tell the exit code of an error, by the nearest class in the table."""
    return next((EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES), FAILED)
