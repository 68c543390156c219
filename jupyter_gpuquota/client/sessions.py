"""Operations on sessions. `name` is always an id, a name, or `project/name`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from msgspec import structs

from ..errors import FieldError, refused
from ..model.base import Number, Page
from ..model.previews import Preview
from ..model.sessions import (
    LIVE,
    Kind,
    LogChunk,
    LogQuery,
    ResumeRequest,
    Session,
    SessionQuery,
    SessionRequest,
    State,
)
from .context import Context
from .names import find, pages
from .programs import as_words
from .steps import Emit, Operation, Pause, ask, look

MOVING: frozenset[State] = frozenset({"waiting", "starting", "stopping"})
"""States that a session leaves without being asked."""

_LOOK_AGAIN = 0.3
_STEADY = 1.0


class Wishes(TypedDict, total=False):
    """Name what may be asked for, as in `SessionRequest`."""

    project: str
    kind: Kind
    gpu: Number
    gpu_memory: Number
    gpu_compute: Number
    mig_profile: str
    environment: str
    folder: str
    command: Sequence[str]
    args: Sequence[str]
    env: Mapping[str, str]
    ports: Sequence[int]
    priority: int
    node_type: str
    idle_timeout: Number


def submit(
    context: Context, name: str, *, wait: bool = False, **wishes: Unpack[Wishes]
) -> Operation[Session]:
    """Ask for a session.

    It is `gpu=0.5` or `gpu=2`, or `gpu_memory="8Gi"`, or `mig_profile`; none of them for CPUs
    only. Without a `command` it is a Jupyter Server. `idle_timeout="2h"` wishes for an idle timeout
    of its own, as far as the policy allows. With `wait` the call returns when the session runs or
    has ended: see `state` and `reason`. A session outlives a wait that is interrupted.

    Raises InvalidFields with everything that is wrong, NameTaken.
    """
    request = yield from _request(context, name, wishes)
    session: Session = yield from ask("sessions.create", body=request)
    return (yield from _settle(session)) if wait else session


def preview(context: Context, name: str, **wishes: Unpack[Wishes]) -> Operation[Preview]:
    """Say what would happen to the same request of `submit`: whether it starts, and why not."""
    request = yield from _request(context, name, wishes)
    answer: Preview = yield from ask("sessions.preview", body=request)
    return answer


def page(
    context: Context, *, project: str = "", state: str = "", owner: str = ""
) -> Operation[Page[Session]]:
    """List sessions, oldest first, as one document of the wire."""
    return pages(SessionQuery(project=project, state=state, owner=owner))


def list_(
    context: Context, *, project: str = "", state: str = "", owner: str = ""
) -> Operation[tuple[Session, ...]]:
    """List sessions, oldest first; `state` may be several with commas."""
    return (yield from page(context, project=project, state=state, owner=owner)).items


def get(context: Context, name: str, *, project: str = "") -> Operation[Session]:
    """Show one session. Raises NotFound, Ambiguous."""
    return find(context, name, project)


def watch(context: Context, name: str, *, project: str = "") -> Operation[Session]:
    """Emit the session at each change for as long as it is on its way somewhere."""
    session = yield from find(context, name, project)
    return (yield from _settle(session))


def suspend(
    context: Context, name: str, *, project: str = "", wait: bool = False
) -> Operation[Session]:
    """Stop a session and keep its request, so that it can resume. Raises WrongState."""
    return _change(context, "sessions.suspend", name, project, wait=wait)


def stop(
    context: Context, name: str, *, project: str = "", wait: bool = False
) -> Operation[Session]:
    """Stop a session; its log stays until it is deleted. Raises WrongState."""
    return _change(context, "sessions.stop", name, project, wait=wait)


def resume(
    context: Context, name: str, *, project: str = "", wait: bool = False
) -> Operation[Session]:
    """Put a suspended or ended session back into the queue. Raises WrongState."""
    home = yield from look(context.home)
    request = ResumeRequest(base_url=home.base_url if home else "")
    return (yield from _change(context, "sessions.resume", name, project, wait=wait, body=request))


def delete(
    context: Context, name: str, *, project: str = "", stop: bool = False
) -> Operation[None]:
    """Forget a session, with its log; one that runs only with `stop`. Raises WrongState."""
    session = yield from find(context, name, project)
    if stop and session.state in LIVE:
        session = yield from ask("sessions.stop", session.id)
        session = yield from _settle(session)
    yield from ask("sessions.delete", session.id)


def log(
    context: Context, name: str, *, project: str = "", tail: int | None = None
) -> Operation[LogChunk]:
    """Read a session's log, or its last `tail` lines, as one piece. Raises InvalidFields."""
    query = _first_part(tail)
    session = yield from find(context, name, project)
    chunk: LogChunk = yield from ask("sessions.log", session.id, query=query)
    first, texts = chunk, [chunk.text]
    while chunk.text and tail is None:
        chunk = yield from ask("sessions.log", session.id, query=LogQuery(cursor=chunk.cursor))
        texts.append(chunk.text)
    text = "".join(texts)
    return structs.replace(first, text=text, cursor=chunk.cursor, ended=chunk.ended)


def follow(
    context: Context, name: str, *, project: str = "", tail: int | None = None
) -> Operation[None]:
    """Emit a session's log, or what follows from its last `tail` lines on, until it has ended.

    Raises InvalidFields.
    """
    query = _first_part(tail)
    session = yield from find(context, name, project)
    while True:
        chunk: LogChunk = yield from ask("sessions.log", session.id, query=query)
        query = LogQuery(cursor=chunk.cursor)
        if chunk.text:
            yield Emit(chunk)
            continue
        if chunk.ended:
            session = yield from ask("sessions.get", session.id)
            if session.state not in MOVING:
                return
        yield Pause(_LOOK_AGAIN)


def _first_part(tail: int | None) -> LogQuery:
    """Return the query that a log is begun with; on the wire 0 lines mean the whole log."""
    if tail is not None and tail < 1:
        hint = "Leave it out to read the whole log."
        problem = FieldError("tail", "It must be at least 1.", hint)
        raise refused(problem)
    return LogQuery(tail=tail or 0)


def _change(
    context: Context, route: str, name: str, project: str, *, wait: bool, **details: Any
) -> Operation[Session]:
    session = yield from find(context, name, project)
    changed: Session = yield from ask(route, session.id, **details)
    return (yield from _settle(changed)) if wait else changed


def _settle(session: Session) -> Operation[Session]:
    """Emit the session at each change, and return it once it is on its way no more.

    A command that has just started is looked at once more: many that are mistaken end at once.
    """
    yield Emit(session)
    moved = False
    while session.state in MOVING or (moved and _just_started(session)):
        moved = session.state in MOVING
        yield Pause(_LOOK_AGAIN if moved else _STEADY)
        newer: Session = yield from ask("sessions.get", session.id)
        if newer.revision != session.revision:
            yield Emit(newer)
        session = newer
    return session


def _just_started(session: Session) -> bool:
    return session.state == "running" and not session.spec.serves_jupyter


def _request(context: Context, name: str, wishes: Wishes) -> Operation[SessionRequest]:
    """Return the request, completed with what a JupyterLab would fill in.

    A command runs in the working folder, a Jupyter Server in the JupyterLab's root; a relative
    folder begins at the working folder.
    """
    given: dict[str, Any] = dict(wishes)
    for field in ("gpu", "gpu_memory", "gpu_compute", "idle_timeout"):
        if field in given:
            given[field] = str(given[field])  # NaN and the like are numbers, but not of JSON
    for field in ("command", "args"):
        given[field] = as_words(field, given.get(field, ()))
    given["ports"] = tuple(given.get("ports", ()))
    given["env"] = dict(given.get("env", {}))
    given["project"] = given.get("project") or (yield from look(context.project))
    home = yield from look(context.home)
    if home:
        given["base_url"] = home.base_url or "/"
        folder = given.get("folder", "")
        if folder or given["command"]:
            here = yield from look(context.folder)
            given["folder"] = folder if folder.startswith("~") else str(Path(here, folder))
        else:
            given["folder"] = home.root
    return SessionRequest(name=name, **given)
