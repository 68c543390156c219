"""What failed of the attempts to move sessions: said, counted, and tried again later."""

from __future__ import annotations

import logging

from ...model.messages.build import reason
from ...model.reasons import Reason
from ..api import Fault
from ..faults import error as explained
from .secrets import CONFLICT, NOT_FOUND
from .tracked import Tracked

_log = logging.getLogger(__name__)

_PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Seconds before each further attempt after a fault."""


class Failures:
    """The failed attempts; `count` is how many there were."""

    def __init__(self) -> None:
        self.count = 0

    def fault(self, tracked: Tracked, fault: Fault) -> None:
        """Note what the API server has refused, or that it did not answer."""
        if fault.status == NOT_FOUND:
            tracked.distrust()
        if fault.status == CONFLICT and not tracked.failures:
            return  # another controller may do the same
        self.count += 1
        trouble = _trouble(fault)
        if trouble != tracked.trouble:  # what persists is logged once
            _log.warning("%s: %s", tracked.record.session.id, fault)
        tracked.trouble = trouble

    def bug(self, tracked: Tracked, error: Exception) -> None:
        """Note an error of our own, from where it is handled."""
        self.count += 1
        _log.exception("managing the session %s failed", tracked.record.session.id)
        tracked.trouble = reason("StartFailed", "start.failed", detail=str(error))

    def pause(self, tracked: Tracked) -> float:
        """Return the seconds until the next attempt."""
        tracked.failures += 1
        return _PAUSES[min(tracked.failures, len(_PAUSES)) - 1]


def _trouble(fault: Fault) -> Reason:
    """Return why a session could not be written, with the server's words."""
    detail = explained(fault).message
    return reason("StartFailed", "start.failed", detail=detail, raw=fault.message)
