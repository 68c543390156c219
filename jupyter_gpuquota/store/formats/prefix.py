"""Objects below a prefix of a bucket, as they are now or were: `s3://bucket/prefix`.

`?at=2026-01-31T12:00:00Z` names a time, and `?versions=all` makes a version of every state; both
need a bucket that keeps versions of objects. What was written within a minute is one state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from ...errors import FieldError, NotFound, refused
from ..lake.connection import Connection, connect
from ..lake.objects import Stored
from . import object_versions
from .object_versions import ObjectVersion
from .state import Format, Item, State

_SCHEMES = ("s3", "gs", "az")
_BURST = timedelta(minutes=1)
"""A pause in writing after which a new state begins."""
_SEPARATOR = "?versionId="


def _matches(place: str) -> bool:
    return urlsplit(place).scheme in _SCHEMES


def _read(place: str, variables: Mapping[str, str]) -> list[State]:
    parts = urlsplit(place)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    url = parts._replace(query="").geturl()
    objects = connect(url, variables)
    unknown = {*query} - {"at", "versions"}
    if unknown or query.get("versions", "all") != "all" or (query and parts.scheme != "s3"):
        raise refused(
            FieldError("source", "A prefix is followed by ?at=TIME or ?versions=all, only of S3.")
        )
    if not query:
        return [current(objects, url)]
    prefix = parts.path.strip("/")
    below = f"{prefix}/" if prefix else ""
    found = [
        each._replace(key=each.key.removeprefix(below))
        for each in object_versions.listed(parts.netloc, below, variables)
        if not each.key.endswith("/")
    ]
    times = [_time(query["at"])] if "at" in query else ends(each.written for each in found)
    versioned = _Versioned(objects)
    states = [(when, state_at(found, when)) for when in times]
    if not any(items for _, items in states):
        raise NotFound(f"{url} had no objects then.", hint="Choose another time.")
    return [
        State(
            items=items,
            objects=versioned,
            time=when,
            message=f"{url} at {when:%Y-%m-%d %H:%M:%S} UTC",
            source=f"{url}?at={when:%Y-%m-%dT%H:%M:%SZ}",
        )
        for when, items in states
    ]


def current(objects: Connection, url: str) -> State:
    """Return the state of a prefix as it is now. Raises NotFound if it is empty."""
    stored = asyncio.run(_listed(objects))
    if not stored:
        raise NotFound(f"{url} has no objects.", hint="Check the bucket and the prefix.")
    when = max(each.written for each in stored)
    return State(
        items=[Item(each.key, each.size, key=each.key) for each in stored],
        objects=objects,
        time=when.astimezone(UTC),
        message=f"{url} as of {when:%Y-%m-%d %H:%M} UTC",
        source=url,
    )


async def _listed(objects: Connection) -> list[Stored]:
    return [each async for each in objects.list("")]


def ends(times: Iterable[datetime]) -> list[datetime]:
    """Return the last time of each burst of writing, in order."""
    found: list[datetime] = []
    for when in sorted(times):
        if found and when - found[-1] <= _BURST:
            found[-1] = when
        else:
            found.append(when)
    return found


def state_at(versions: Iterable[ObjectVersion], when: datetime) -> list[Item]:
    """Return the objects that there were at a time.

    Of versions that were written at the same second, the one that is listed first is the newest.
    """
    newest: dict[str, ObjectVersion] = {}
    for each in versions:
        if each.written <= when and (
            each.key not in newest or newest[each.key].written < each.written
        ):
            newest[each.key] = each
    return [
        Item(each.key, each.size, key=f"{each.key}{_SEPARATOR}{each.id}")
        for each in newest.values()
        if not each.deleted
    ]


class _Versioned:
    """Versions of objects; a key ends in the version's id."""

    def __init__(self, objects: Connection) -> None:
        self._objects = objects

    async def get(self, key: str) -> bytes:
        """Return the bytes of a version of an object."""
        name, _, version = key.rpartition(_SEPARATOR)
        return await self._objects.get(name, version)

    async def get_ranges(
        self, key: str, starts: Sequence[int], sizes: Sequence[int]
    ) -> list[bytes]:
        """Return several ranges of a version of an object."""
        body = await self.get(key)
        return [body[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise refused(FieldError("source", f"{text} is not a time, such as 2026-01-31.")) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


FORMAT = Format("prefix", _matches, _read)
