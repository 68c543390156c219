"""What changes sessions, and waiting for them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypedDict, Unpack

from ..errors import Conflict
from ..model.ending import EndRequest
from ..model.idleness import Activity, KeepAliveRequest
from ..model.rightsizing import ResizeRequest
from ..model.sessions import ENDED, LIVE, ResumeRequest, Session, State
from ..model.struct import Number, Request
from .connection.context import Context
from .namespace import Namespace
from .session import ClientSession, with_url

_NUMBERS = ("gpu", "gpu_memory", "gpu_compute")


class Changes(TypedDict, total=False):
    """What a restarted session has instead, or besides.

    `volumes` (`NAME:/path[:ro]`) are mounted besides those that it has; with these alone its share
    stays. `keep` are names of variables that the next kernel of `notebook` gets, by default of the
    only one.
    """

    gpu: Number
    gpu_memory: Number
    gpu_compute: Number
    mig_profile: str
    volumes: Sequence[str]
    keep: Sequence[str]
    notebook: str


MOVING: frozenset[State] = frozenset({"waiting", "starting", "stopping"})
"""States that a session leaves by itself."""

AGAIN = 0.3
"""Seconds between two looks at a session that is moving."""
_STEADY = 1.0
_ENDING = 180.0
"""Seconds to wait for a session that is stopping while nothing changes."""


class Lifecycle(Namespace):
    """Change sessions. `name` is an id, a name, or `project/name`."""

    def suspend(
        self, name: str, *, project: str = "", reason: str = "", wait: bool = False
    ) -> ClientSession:
        """Stop a session and keep its request, so that it can resume.

        Its owner sees the `reason`, and who gave it. Raises WrongState, InvalidFields.
        """
        request = EndRequest(reason=reason)
        return self._change("sessions.suspend", name, project, request, wait=wait)

    def stop(
        self, name: str, *, project: str = "", reason: str = "", wait: bool = False
    ) -> ClientSession:
        """Stop a session; its log stays until it is deleted.

        Its owner sees the `reason`, and who gave it. Raises WrongState, InvalidFields.
        """
        request = EndRequest(reason=reason)
        return self._change("sessions.stop", name, project, request, wait=wait)

    def resume(self, name: str, *, project: str = "", wait: bool = False) -> ClientSession:
        """Put a suspended or ended session back into the queue. Raises WrongState."""
        home = self._context.home()
        request = ResumeRequest(base_url=home.base_url if home else "")
        return self._change("sessions.resume", name, project, request, wait=wait)

    def resize(
        self, name: str, *, project: str = "", wait: bool = False, **wishes: Unpack[Changes]
    ) -> ClientSession:
        """Restart a session with another share, under its name; a running one is stopped first.

        Raises InvalidFields, WrongState.
        """
        texts = {key: str(value) for key, value in wishes.items() if key in _NUMBERS}
        request = ResizeRequest(
            **texts,
            mig_profile=wishes.get("mig_profile", ""),
            volumes=tuple(wishes.get("volumes", ())),
            keep=tuple(wishes.get("keep", ())),
            notebook=wishes.get("notebook", ""),
        )
        return self._change("sessions.resize", name, project, request, wait=wait)

    def keep_alive(self, name: str, span: str | int = "", *, project: str = "") -> ClientSession:
        """Keep an idle session alive for `30m` or `2h`.

        Without a `span` it is as long as the policy allows at a time. Raises InvalidFields,
        NotFound, WrongState, and NotAllowed beyond what the policy allows.
        """
        return self._change("sessions.keep_alive", name, project, KeepAliveRequest(span=span))

    def activity(self, name: str, *, project: str = "") -> Activity:
        """Return the activity of a running session. Raises NotFound, WrongState."""
        answer: Activity = self._context.call_session("sessions.activity", name, project)
        return answer

    def delete(self, name: str, *, project: str = "", stop: bool = False) -> None:
        """Delete a session and its log; with `stop` also a running one. Raises WrongState."""
        if stop:
            session: Session = self._context.call_session("sessions.get", name, project)
            if session.state in LIVE:
                session = self._change("sessions.stop", session.id, "", EndRequest(), wait=True)
            name, project = session.id, ""
        self._context.call_session("sessions.delete", name, project)

    def watch(
        self, name: str | Session, *, project: str = "", ended: bool = False
    ) -> Iterator[ClientSession]:
        """Iterate over the changes of a session until it runs or has ended.

        With `ended` until it has ended, or is suspended. A session that is given instead of its
        name is the first one, and is not read again.
        """
        session = name
        if not isinstance(session, Session):
            session = self._context.call_session("sessions.get", session, project)
        return changes(self._context, session, ended=ended)

    def wait(
        self, name: str, *, project: str = "", ended: bool = False, timeout: float | None = None
    ) -> ClientSession:
        """Return a session once it runs, or with `ended` once it has ended.

        Raises Conflict if it has failed, if it rests instead, or after `timeout` seconds.
        """
        session: Session = self._context.call_session("sessions.get", name, project)
        return arrived(settled(self._context, session, ended=ended, timeout=timeout), ended=ended)

    def _change(
        self,
        route: str,
        name: str,
        project: str,
        body: Request | None = None,
        *,
        wait: bool = False,
    ) -> ClientSession:
        session: Session = self._context.call_session(route, name, project, body=body)
        return settled(self._context, session) if wait else with_url(self._context, session)


def arrived(session: ClientSession, *, ended: bool) -> ClientSession:
    """Return a session that runs, or with `ended` has ended. Raises Conflict for any other."""
    name, state = session.spec.name, session.state
    if state in (ENDED - {"failed"} if ended else {"running"}):
        return session
    why = session.reason.message if session.reason else ""
    still = "still " if state in MOVING | {"running"} else ""
    raise Conflict(
        f"The session {name} is {still}{state}. {why}".strip(),
        hint=f"See why: jupyter gpu describe {name}, jupyter gpu logs {name}.",
    )


def settled(
    context: Context, session: Session, *, ended: bool = False, timeout: float | None = None
) -> ClientSession:
    """Return a session once it has stopped moving, with `ended` also of running."""
    latest = with_url(context, session)
    for latest in changes(context, session, ended=ended, timeout=timeout):  # noqa: B007 (the last)
        pass
    return latest


def changes(
    context: Context, session: Session, *, ended: bool = False, timeout: float | None = None
) -> Iterator[ClientSession]:
    """Iterate over the session's changes, beginning with the present one, until it stops moving.

    With `ended` a running session moves, too. It is left alone after `timeout` seconds. A command
    that has just started is looked at once more: many that are wrong end at once. A session that
    is stopping and does not change for minutes is left alone.
    """
    yield with_url(context, session)
    moving = MOVING | {"running"} if ended else MOVING
    last = float("inf") if timeout is None else time.monotonic() + timeout
    moved, still = False, 0.0
    while session.state in moving or (moved and _just_started(session)):
        if time.monotonic() > last:
            break
        moved = session.state in MOVING
        pause = AGAIN if moved else _STEADY
        context.pause(pause)
        newer: Session = context.call_session("sessions.get", session.id)
        still += pause
        if newer.revision != session.revision:
            still = 0.0
            yield with_url(context, newer)
        session = newer
        if session.state == "stopping" and still > _ENDING:
            break


def _just_started(session: Session) -> bool:
    return session.state == "running" and not session.spec.serves_jupyter
