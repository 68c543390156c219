"""Names of sessions, unique in a project, and ids named by their beginning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from ..errors import Ambiguous, NameTaken, NotFound
from ..model.datasets.versions import SHORTEST, SHOWN
from ..model.messages.build import field_error
from ..model.messages.formats import sessions_arg
from ..model.sessions import ENDED, Session, SessionSpec

_LISTED = 10
"""How many names a hint lists at most."""
_COMPARED = 1000
"""How many names are searched for similar ones: this takes 20 ms in the event loop."""


def find_session(name: str, sessions: Sequence[Session], owner: str = "") -> Session:
    """Return the session with an id, or else with a name or `project/name`.

    In the path of a request `~` stands for the slash: proxies rewrite `%2F`. If several sessions
    have the name, those of `owner` come first. Raises NotFound, Ambiguous.
    """
    project, _, short = name.replace("~", "/").rpartition("/")
    matches = [session for session in sessions if session.id == name] or [
        session
        for session in sessions
        if session.spec.name == short and project in ("", session.spec.project)
    ]
    matches = [session for session in matches if session.owner == owner] or matches
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise not_found(name, sessions)
    full = ", ".join(f"{s.spec.project}/{s.spec.name}" for s in matches)
    raise Ambiguous(
        f"{len(matches)} sessions are named {short}: {full}.",
        hint="Add the project, as in this list.",
    )


def not_found(name: str, sessions: Iterable[Session] | None = None) -> NotFound:
    """Return the error of a session that does not exist or that the caller does not see.

    `sessions` are those that the caller sees: the hint names similar ones, or some of them.
    """
    name = name.replace("~", "/")
    hint = "It may have been deleted: list the sessions again."
    if sessions is not None:
        names = sorted({session.spec.name for session in sessions})
        listed = [*names[:_LISTED], *(["…"] if len(names) > _LISTED else [])]
        hint = f"Sessions: {', '.join(listed)}." if names else "No sessions yet."
        if close := get_close_matches(name.rpartition("/")[2], names[:_COMPARED], n=3):
            hint = f"Did you mean {' or '.join(close)}?"
    return NotFound(f"Session {name!r} not found.", hint=hint)


def check_free(spec: SessionSpec, sessions: Iterable[Session]) -> None:
    """Raise NameTaken if a session of the project, ended ones included, has the name."""
    for session in sessions:
        if (session.spec.project, session.spec.name) == (spec.project, spec.name):
            key = "name.taken.ended" if session.state in ENDED else "name.taken"
            problem = field_error("name", key)
            raise NameTaken(
                f"{spec.project} has a session named {spec.name} already; it is {session.state}.",
                fields=(problem,),
            )


def mention(sessions: Iterable[Session], project: str) -> str:
    """Return sessions as an argument of a message that anyone who sees a project may read.

    Users who see a project need not see another: of its sessions only the project is named.
    """
    named = tuple(sessions)
    own = [s.spec.name for s in named if s.spec.project == project]
    others = Counter(s.spec.project for s in named if s.spec.project != project)
    return sessions_arg(own, others)


def with_beginning(ref: str, ids: Iterable[str], noun: str) -> str:
    """Return the id that begins with `ref`, empty if none does.

    Shorter ones than `SHORTEST` are refused even if only one id begins so: a mistyped tag would
    often name something else.

    :raises Ambiguous: several ids begin so.
    :raises NotFound: it is too short.
    """
    found = [each for each in dict.fromkeys(ids) if ref and each.startswith(ref)]
    if not found:
        return ""
    some = ", ".join(each[:SHOWN] for each in found[:_LISTED])
    some += ", …" if len(found) > _LISTED else ""
    if len(ref) < SHORTEST:
        what = f"{ref!r} is too short for the id of a {noun}."
        raise NotFound(what, hint=f"Write at least {SHORTEST} digits of one of these: {some}.")
    if len(found) > 1:
        raise Ambiguous(f"{ref} is the beginning of several {noun}s: {some}.", hint="Add digits.")
    return found[0]
