"""GPU hours by user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...model.history import UserHours
from .buckets import Bucket

_HOUR = 3600


def sum_up(buckets: Iterable[Bucket]) -> tuple[UserHours, ...]:
    """Return the GPU hours of every project by user, the most first.

    The part of a project that no user's bucket has comes last, without a name, so that all add up
    to the project.
    """
    wholes: dict[str, Bucket] = {}
    users: dict[str, dict[str, Bucket]] = {}
    for bucket in buckets:
        own = users.setdefault(bucket.project, {}) if bucket.user else wholes
        key = bucket.user or bucket.project
        own[key] = own[key] + bucket if key in own else bucket
    found: list[UserHours] = []
    for project in sorted({*wholes, *users}):
        own = users.get(project, {})
        named = sorted(map(_hours, own.values()), key=lambda u: (-u.allocated, -u.waited, u.user))
        rest = _without(wholes.get(project, Bucket(at=0, project=project)), own.values())
        found += [*named, _hours(rest)]
    return tuple(u for u in found if u.allocated or u.waited)


def _without(whole: Bucket, users: Iterable[Bucket]) -> Bucket:
    """Return the rest of a project; its utilisation is known only if that is all of it."""
    rest = whole
    for user in users:
        rest = replace(
            rest,
            allocated=max(0, rest.allocated - user.allocated),
            borrowed=max(0, rest.borrowed - user.borrowed),
            asked=max(0, rest.asked - user.asked),
            busy=0,
            measured=0,
        )
    return rest


def _hours(bucket: Bucket) -> UserHours:
    allocated, borrowed, waited = (
        _rounded(total, _HOUR) for total in (bucket.allocated, bucket.borrowed, bucket.asked)
    )
    return UserHours(
        project=bucket.project,
        user=bucket.user,
        allocated=allocated,
        borrowed=borrowed,
        waited=waited,
        utilisation=_rounded(bucket.busy, bucket.measured) if bucket.measured else None,
    )


def _rounded(total: int, parts: int) -> int:
    return (2 * total + parts) // (2 * parts)
