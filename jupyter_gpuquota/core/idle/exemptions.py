"""Exemptions from the idle policy: for known sessions and projects, until they expire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import msgspec

from ...errors import Ambiguous, FieldError, NotFound, refuse
from ...model.messages.build import field_error
from ...model.policy import Policy, PolicyRequest
from ...model.sessions import Session
from ...model.spans import parse_span
from ..fields import FieldReader
from ..names import find_session


def sessions_named(
    request: PolicyRequest, sessions: Sequence[Session]
) -> tuple[PolicyRequest, tuple[FieldError, ...]]:
    """Return the request with each exempt session by its id, and errors for unknown sessions.

    A session is named by its id, its name, or `project/name`.
    """
    found = [_by_id(asked.who, sessions) for asked in request.exemptions]
    exemptions = tuple(
        msgspec.structs.replace(asked, who=who)
        for asked, (who, _) in zip(request.exemptions, found, strict=True)
    )
    errors = tuple(
        FieldError(f"exemptions[{i}].who", wrong[0], wrong[1])
        for i, (_, wrong) in enumerate(found)
        if wrong
    )
    return msgspec.structs.replace(request, exemptions=exemptions), errors


def resolve_known(
    policy: Policy, sessions: Sequence[Session], now: datetime
) -> tuple[Policy, tuple[str, ...]]:
    """Return a policy with each exempt session by its id, and warnings for unknown sessions.

    For policies from a file, which may name sessions that do not exist yet or any more.
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


def dated(request: PolicyRequest, now: datetime) -> PolicyRequest:
    """Return the request with a time for each `until` that is a duration from now, such as `3d`."""
    exemptions = tuple(
        msgspec.structs.replace(asked, until=_dated(asked.until, now))
        for asked in request.exemptions
    )
    return msgspec.structs.replace(request, exemptions=exemptions)


def projects_missing(request: PolicyRequest, projects: Sequence[str]) -> Iterator[FieldError]:
    """Yield an error for each exempt project that does not exist."""
    reader = FieldReader()
    for i, asked in enumerate(request.exemptions):
        sort, _, name = asked.who.partition(":")
        if sort == "project" and name:
            reader.known(f"exemptions[{i}].who", name, projects, "project.unknown")
    yield from reader.errors


def named(
    request: PolicyRequest,
    before: Policy,
    projects: Sequence[str],
    sessions: Sequence[Session],
) -> tuple[PolicyRequest, tuple[FieldError, ...]]:
    """Return the request with each exempt session by its id, and errors for unknown names.

    Exemptions that `before` already has may name what no longer exists. Users are not checked.
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
    """Return a policy without exemptions that have expired or are replaced by a newer one.

    Raises InvalidFields for a new one that has already expired.
    """
    new = {i: e for i, e in enumerate(policy.exemptions) if e not in before.exemptions}
    refuse(
        field_error(f"exemptions[{i}].until", "exemption.over")
        for i, exemption in new.items()
        if exemption.until <= now
    )
    newest = {exemption.who: i for i, exemption in new.items()}
    left = [
        exemption
        for i, exemption in enumerate(policy.exemptions)
        if exemption.until > now and newest.get(exemption.who, i) == i
    ]
    return msgspec.structs.replace(policy, exemptions=tuple(dict.fromkeys(left)))


def without_project(policy: Policy, name: str) -> Policy:
    """Return a policy without the level and the exemptions of a project."""
    who = f"project:{name}"
    return msgspec.structs.replace(
        policy,
        levels=tuple(level for level in policy.levels if level.level != who),
        exemptions=tuple(exemption for exemption in policy.exemptions if exemption.who != who),
    )


def _by_id(who: str, sessions: Sequence[Session]) -> tuple[str, tuple[str, ...]]:
    """Return whom an exemption is for, a session by its id, and the error, empty for none."""
    sort, _, name = who.partition(":")
    if sort != "session" or not name.strip():
        return who, ()
    try:
        return f"session:{find_session(name.strip(), sessions).id}", ()
    except (NotFound, Ambiguous) as error:
        return who, (error.message, error.hint)


def _dated(until: str, now: datetime) -> str:
    try:
        datetime.fromisoformat(until.strip())
    except ValueError:
        pass
    else:
        return until
    try:
        return (now + timedelta(seconds=parse_span(until))).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return until  # the check of the policy reports it
