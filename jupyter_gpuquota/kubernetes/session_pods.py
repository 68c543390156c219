"""The pods of sessions, as programs, logs and the ingress need them, and their use from outside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Protocol

from ..errors import GpuQuotaError, WrongState
from ..model.sessions import Session
from .api import Fault
from .faults import error
from .objects.pods import Pod
from .resources import PODS


class Outside:
    """A record of which sessions run such programs now, and when each was last used so."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()
        self._last: dict[str, datetime] = {}

    @contextmanager
    def program(self, session_id: str) -> Iterator[None]:
        """Count a program of a session that runs within the block."""
        self._running[session_id] += 1
        try:
            yield
        finally:
            self._running[session_id] -= 1
            self.note(session_id, datetime.now(UTC))

    def note(self, session_id: str, at: datetime) -> None:
        """Record when a session was used in this way."""
        self._last[session_id] = max(at, self._last.get(session_id, at))

    def runs(self, session_id: str) -> bool:
        """Return whether somebody waits for a program of a session."""
        return self._running[session_id] > 0

    def last(self, session_id: str) -> datetime | None:
        """Return when a session was last used in this way, None if never."""
        return self._last.get(session_id)

    def keep_only(self, sessions: Iterable[str]) -> None:
        """Forget all other sessions, unless a program of theirs runs."""
        kept = {*sessions, *(+self._running)}
        self._last = {key: at for key, at in self._last.items() if key in kept}
        self._running = +self._running


class PodOf(Protocol):
    """Finds pods of sessions in memory."""

    def __call__(self, session: Session, process: int = 0) -> Pod | None:
        """Return the newest pod of a session's present run, None if it has none.

        Of several processes it is the one with this number.
        """


def require_running(session: Session, pod: Pod | None) -> Pod:
    """Return the pod of a running session. Raises WrongState."""
    name = session.spec.name
    if session.state != "running":
        waits = session.state in ("waiting", "starting")
        raise WrongState(
            f"{name} is {session.state}, not running.",
            hint="Wait until it is running." if waits else "Resume it first.",
        )
    if pod is None or pod.metadata.deletion_timestamp or pod.status.phase != "Running":
        raise WrongState(f"The pod of {name} is not running.", hint="Try again in a moment.")
    return pod


def pod_path(pod: Pod, subresource: str = "") -> str:
    """Return the path of a pod in the API."""
    return PODS.path(pod.metadata.namespace, pod.metadata.name, subresource)


def refusal(session: Session, fault: Fault) -> GpuQuotaError:
    """Return the error for a fault of something that was asked of a session's pod or Secret."""
    if fault.status == 404:
        return WrongState(
            f"The cluster no longer has what {session.spec.name} consists of.",
            hint="Look at its state, and try again in a moment.",
        )
    return error(fault)
