"""Exit codes of the shell and of jobs. They are part of the interface and do not change."""

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
"""An error without a code of its own, or a session that failed while it was waited for."""
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
"""The code of each error class; a subclass without a row has its parent's."""


class Failed(GpuQuotaError):
    """A command failed in a notebook; in the shell its exit code would not be 0."""

    code = "Failed"


def exit_code_of(error: GpuQuotaError) -> int:
    """Return the exit code of an error, by the nearest class in the table."""
    return next((EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES), FAILED)
