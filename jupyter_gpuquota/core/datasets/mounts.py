"""Which sessions may start because their datasets are cached, and why others wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from ...model.datasets.caches import CachedVersion, CacheRoom
from ...model.datasets.jobs import Job
from ...model.datasets.mounts import DataMount, MountPreview
from ...model.messages.build import message, reason
from ...model.reasons import Reason
from ...model.sessions import Session
from ...model.struct import Message
from ..lifecycle import note

Key: TypeAlias = tuple[str, str]
"""A dataset and the id of a version."""
Verdict: TypeAlias = tuple[datetime, Reason | None]
"""When a session was queued that may start (None), or why it waits for its datasets."""


def key_of(mount: DataMount) -> Key:
    """Return what a mount is of."""
    return mount.dataset, mount.version


def shown(mount: DataMount) -> str:
    """Return a version as it was requested, as messages name it."""
    return f"{mount.dataset}@{mount.ref}"


def waiting(sessions: Iterable[Session]) -> list[Session]:
    """Return the queued sessions that use datasets."""
    return [session for session in sessions if session.state == "waiting" and session.spec.data]


def held(sessions: Iterable[Session], verdicts: Mapping[str, Verdict]) -> dict[str, Reason]:
    """Return why queued sessions cannot start yet: their datasets are not cached, or unchecked.

    A verdict counts for the time in the queue that it was made for, not after a resume.
    """
    found = {}
    for session in waiting(sessions):
        since, why = verdicts.get(session.id, (None, None))
        if since != session.since:
            why = reason("DataPending", "data.waiting", data=shown(session.spec.data[0]))
        if why:
            found[session.id] = why
    return found


def missing(session: Session, copies: Mapping[Key, CachedVersion]) -> list[DataMount]:
    """Return the datasets of a session that are not cached."""
    return [mount for mount in session.spec.data if not is_there(copies.get(key_of(mount)))]


def is_there(copy: CachedVersion | None) -> bool:
    """Return whether a version can be used."""
    return copy is not None and copy.state == "cached"


def why_waiting(
    mounts: Sequence[DataMount],
    copies: Mapping[Key, CachedVersion],
    problems: Mapping[Key, str],
) -> Reason | None:
    """Return why a session waits for these datasets; None if there are none."""
    if not mounts:
        return None
    under_way = {key for key, copy in copies.items() if copy.state == "fetching"}
    failed = next((m for m in mounts if key_of(m) in problems.keys() - under_way), None)
    if failed:
        return reason(
            "DataPending", "data.failed", data=shown(failed), problem=problems[key_of(failed)]
        )
    first = mounts[0]
    copy = copies.get(key_of(first))
    if copy and key_of(first) in under_way and copy.size:
        done = min(99, 100 * copy.done // copy.size)
        return reason("DataPending", "data.fetching", data=shown(first), done=done)
    return reason("DataPending", "data.waiting", data=shown(first))


def fetching(session: Session, why: Reason, now: datetime) -> Session:
    """Return a queued session with a line of progress for each version that has to be fetched."""
    if why.key != "data.fetching":
        return session
    data = str(why.args["data"])
    known = {line.args.get("data") for line in session.progress if line.key == "progress.fetching"}
    return session if data in known else note(session, message("progress.fetching", data=data), now)


def fetched(session: Session, now: datetime) -> Session:
    """Return a session that starts, with the time that each version took to be fetched."""
    for line in session.progress:
        if line.key == "progress.fetching":
            span = max(1, round((now - line.at).total_seconds()))
            step = message("progress.fetched", data=str(line.args["data"]), span=span)
            session = note(session, step, now)
    return session


def preview_of(
    mount: DataMount,
    size: int,
    copy: CachedVersion | None,
    jobs: Iterable[Job],
    room: CacheRoom | None = None,
) -> MountPreview:
    """Return whether a version of `size` bytes is cached, and how long it takes to fetch it.

    The time is that of its running job, else what the last jobs would have taken. `room` is that
    of the cache, None if it is not known.
    """
    if is_there(copy):
        return MountPreview(mount=mount, state="cached", size=size, done=size)
    found = [job for job in jobs if job.kind == "cache"]
    if copy and copy.state == "fetching":
        left = _left(mount, size - copy.done, found)
        return MountPreview(mount=mount, state="fetching", size=size, done=copy.done, left=left)
    problem = _no_room(mount, size).text if room and not _fits(size, room) else ""
    left = _left(mount, size, found)
    return MountPreview(mount=mount, state="missing", size=size, left=left, problem=problem)


def _fits(size: int, room: CacheRoom) -> bool:
    """Return whether a version can be fetched once all has gone that nothing keeps."""
    kept = room.committed - room.evictable
    return not room.capacity or kept + size <= room.capacity


def _no_room(mount: DataMount, size: int) -> Message:
    return message("preview.no_room", data=shown(mount), size=size)


def _left(mount: DataMount, size: int, jobs: Sequence[Job]) -> int | None:
    """Return the seconds that `size` bytes still take; None if that is not known."""
    own = (job for job in jobs if job.active and (job.dataset, job.version) == key_of(mount))
    left = next((job.left for job in own), None)
    rate = _rate(jobs)
    return round(size / rate) if left is None and rate else left


def sentences(found: Iterable[MountPreview]) -> list[Message]:
    """Return which datasets are cached already, and which are fetched first."""
    mounts = list(found)
    made = []
    if there := [shown(each.mount) for each in mounts if each.state == "cached"]:
        made.append(message("preview.cached", data=",".join(there)))
    for each in mounts:
        if each.problem:
            made.append(_no_room(each.mount, each.size))
        elif each.state != "cached":
            made.append(_fetched_first(each))
    return made


def _fetched_first(found: MountPreview) -> Message:
    data, size = shown(found.mount), found.size - found.done
    if found.left is None:
        return message("preview.fetched", data=data, size=size)
    return message("preview.fetched_in", data=data, size=size, span=max(1, found.left))


def _rate(jobs: Iterable[Job]) -> float:
    """Return the bytes a second of the last fetches that were long enough to tell; 0 for none."""
    spans = [
        (job.size, (job.updated - job.started).total_seconds())
        for job in jobs
        if job.state == "done" and job.size
    ][:5]
    size, seconds = sum(size for size, _ in spans), sum(span for _, span in spans)
    return size / seconds if seconds > 0 else 0.0
