"""Keep exemptions for whom there is, and only as long as they last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from ..errors import FieldError, refuse
from ..model.policy import Policy, PolicyRequest
from ..model.sessions import Session

_SHOWN = 10
"""How many of the sessions that there are a hint names."""


def sessions_named(
    request: PolicyRequest, sessions: Sequence[Session]
) -> tuple[PolicyRequest, tuple[FieldError, ...]]:
    """Return what is asked with each excepted session by its id, and what cannot be found.

    A session is named by its id, its name, or `project/name`.
    """
    found = [_by_id(asked.who, sessions) for asked in request.exemptions]
    exemptions = tuple(
        msgspec.structs.replace(asked, who=who)
        for asked, (who, _) in zip(request.exemptions, found, strict=True)
    )
    errors = tuple(
        FieldError(f"exemptions[{i}].who", *wrong) for i, (_, wrong) in enumerate(found) if wrong
    )
    return msgspec.structs.replace(request, exemptions=exemptions), errors


def as_far_as_known(
    policy: Policy, sessions: Sequence[Session], now: datetime
) -> tuple[Policy, tuple[str, ...]]:
    """Return a policy with each excepted session by its id, and whom it does not find now.

    It is for a policy that stands in a file, which sessions come and go beside.
    """
    found = [_by_id(exemption.who, sessions) for exemption in policy.exemptions]
    pairs = tuple(zip(policy.exemptions, found, strict=True))
    known = tuple(msgspec.structs.replace(exemption, who=who) for exemption, (who, _) in pairs)
    missing = tuple(
        f"{exemption.who} is not exempt: {' '.join(wrong)}"
        for exemption, (_, wrong) in pairs
        if wrong and exemption.until > now
    )
    return msgspec.structs.replace(policy, exemptions=known), missing


def session_id(name: str, sessions: Sequence[Session]) -> str:
    """Return the id of the one session that is named.

    Raises LookupError with what is wrong, and what to do.
    """
    if any(session.id == name for session in sessions):
        return name
    found = [s for s in sessions if name in {s.spec.name, _full(s)}]
    if len(found) == 1:
        return found[0].id
    if found:
        known = ", ".join(map(_full, found))
        raise LookupError(
            f"{len(found)} sessions are named {name}: {known}.",
            "Name it with its project, as they are written here.",
        )
    there = sorted({session.spec.name for session in sessions})
    if len(there) > _SHOWN:
        there[_SHOWN:] = ["…"]
    names = f"There are: {', '.join(there)}." if there else "There are none yet."
    raise LookupError(f"There is no session {name!r}.", f"Write its name or its ID. {names}")


def projects_missing(request: PolicyRequest, projects: Sequence[str]) -> Iterator[FieldError]:
    """Say which excepted projects there are not."""
    for i, asked in enumerate(request.exemptions):
        sort, _, name = asked.who.partition(":")
        if sort == "project" and name and name not in projects:
            hint = f"There are: {', '.join(projects) or 'none'}."
            yield FieldError(f"exemptions[{i}].who", f"There is no project {name!r}.", hint)


def named(
    request: PolicyRequest,
    before: Policy,
    projects: Sequence[str],
    sessions: Sequence[Session],
) -> tuple[PolicyRequest, tuple[FieldError, ...]]:
    """Return what is asked with each excepted session by its id, and whom there is not.

    Whom `before` excepts already may be gone. Users are not known: a user may be anybody.
    """
    standing = {exemption.who for exemption in before.exemptions}
    found, errors = sessions_named(request, sessions)
    new = {
        f"exemptions[{i}].who"
        for i, asked in enumerate(request.exemptions)
        if asked.who not in standing
    }
    wrong = (*errors, *projects_missing(request, projects))
    return found, tuple(error for error in wrong if error.field in new)


def current(policy: Policy, before: Policy, now: datetime) -> Policy:
    """Return a policy without exemptions that are over, or that a newer one replaces.

    Raises InvalidFields for one that is over though it was not there before: it is a mistake.
    """
    new = {i: e for i, e in enumerate(policy.exemptions) if e not in before.exemptions}
    refuse(
        [
            FieldError(f"exemptions[{i}].until", "That time is over.", "Take a later one.")
            for i, exemption in new.items()
            if exemption.until <= now
        ]
    )
    newest = {exemption.who: i for i, exemption in new.items()}
    left = [
        exemption
        for i, exemption in enumerate(policy.exemptions)
        if exemption.until > now and newest.get(exemption.who, i) == i
    ]
    return msgspec.structs.replace(policy, exemptions=tuple(dict.fromkeys(left)))


def without_project(policy: Policy, name: str) -> Policy:
    """Return a policy that says nothing of a project."""
    who = f"project:{name}"
    return msgspec.structs.replace(
        policy,
        levels=tuple(level for level in policy.levels if level.level != who),
        exemptions=tuple(exemption for exemption in policy.exemptions if exemption.who != who),
    )


def _full(session: Session) -> str:
    return f"{session.spec.project}/{session.spec.name}"


def _by_id(who: str, sessions: Sequence[Session]) -> tuple[str, tuple[str, ...]]:
    """Return whom an exemption is for, a session by its id, and what is wrong with it."""
    sort, _, name = who.partition(":")
    if sort != "session" or not name.strip():
        return who, ()
    try:
        return f"session:{session_id(name.strip(), sessions)}", ()
    except LookupError as error:
        return who, error.args
