"""Faults of the API server while a project is changed, as errors that administrators see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import Conflict, GpuQuotaError, NotAllowed, Outdated, Unavailable
from ..api import Fault

_NOTHING = "Nothing was saved."


@contextmanager
def translated(project: str) -> Iterator[None]:
    """Raise Faults as Outdated, NotAllowed, Conflict or Unavailable."""
    try:
        yield
    except Fault as fault:
        raise error_of(project, fault) from fault


def error_of(project: str, fault: Fault) -> GpuQuotaError:
    """Return the error for a fault while a project was changed."""
    said = fault.message.rstrip(".")
    if fault.status in {404, 409}:
        return Outdated(
            f"{project} was changed by someone else: {said}. {_NOTHING}",
            hint="Look at its present state, then make your change again.",
        )
    if fault.status in {400, 422} or "denied the request" in fault.message:
        return Conflict(
            f"The cluster does not accept this for {project}: {said}. {_NOTHING}",
            hint="Change the values that it names.",
        )
    if fault.status in {401, 403}:
        return NotAllowed(
            f"The cluster does not let this program change {project}: {said}. {_NOTHING}",
            hint="An administrator of the cluster can grant this right, or change it with kubectl.",
        )
    return Unavailable(f"The cluster does not respond: {said}. {_NOTHING}", hint="Try again soon.")
