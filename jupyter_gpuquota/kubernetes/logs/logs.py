"""The logs of sessions.

A cursor survives a restart of the container and a rotation by the kubelet, which keeps what it has
rotated to itself: lines between two readings may then be missed. When the pod is gone, so is its
log: what was kept of it before remains, or the last lines of a program that failed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...control.resident import INACTIVE
from ...errors import GpuQuotaError
from ...model.sessions import LogChunk, LogQuery, Session
from ..api import Api, Fault
from ..objects.pods import Pod
from ..session_pods import PodOf, pod_path, refusal
from ..state.ends import LINES
from . import chunks, kept
from .chunks import KEPT, Part, Position, parse, read_cursor

MOST = 64 * 2**20
"""Most bytes of a log that are asked for. A kubelet rotates it at 10 MiB, unless set otherwise."""

_NO_LOG = (400, 404)
"""Answers for a container that has not started, is gone, or was not restarted."""


@dataclass(frozen=True, slots=True)
class Source:
    """The log of one run of a container.

    `name` identifies it in cursors: the beginning of the pod's uid, and the number of restarts.
    """

    name: str
    pod: Pod
    previous: bool = False


def sources(pod: Pod | None) -> list[Source]:
    """Return the logs that the kubelet still has, oldest first."""
    if pod is None:
        return []
    container = pod.main.name
    found = [status for status in pod.status.container_statuses if status.name == container]
    if not found:
        return []
    status, uid = found[0], pod.metadata.uid.replace("-", "")[:12]
    newest = Source(f"{uid}.{status.restart_count}", pod)
    ended_before = status.last_state.terminated is not None
    if status.state.running or status.state.terminated:
        restarted = ended_before and status.restart_count > 0
        earlier = Source(f"{uid}.{status.restart_count - 1}", pod, previous=True)
        return [earlier, newest] if restarted else [newest]
    # While it waits for its restart, the newest log is that of the run that has just ended.
    return [newest] if ended_before else []


async def fetch(
    api: Api, source: Source, *, second: str = "", lines: int = 0, limit: int = MOST
) -> bytes:
    """Return a log with time stamps: from a second on, or its last lines; empty if it is gone.

    Raises Fault.
    """
    query = {
        "container": source.pod.main.name,
        "timestamps": "true",
        "limitBytes": str(limit),
        **({"previous": "true"} if source.previous else {}),
        **({"sinceTime": second} if second else {}),
        **({"tailLines": str(lines)} if lines else {}),
    }
    try:
        return await api.read(pod_path(source.pod, "log"), query)
    except Fault as fault:
        if fault.status in _NO_LOG:
            return b""
        raise


_log = logging.getLogger(__name__)
_READ = 2**20
_KEPT = 16 * 2**10
"""Maximum bytes that are read, and kept: in an annotation, with everything else."""


async def last_lines(api: Api, pod: Pod) -> tuple[str, ...]:
    """Return the last lines of a pod's log; none where there is no log, or it cannot be read."""
    for source in reversed(sources(pod)):
        try:
            log = await fetch(api, source, lines=LINES, limit=_READ)
        except Fault as fault:
            _log.warning("the log of %s cannot be read: %s", pod.metadata.name, fault)
            return ()
        text = b"".join(line.text for line in parse(log))[-_KEPT:]
        if text:
            return tuple(text.decode(errors="replace").splitlines()[-LINES:])
    return ()


LIMIT = 4 * 2**20
"""Maximum bytes of one chunk."""
_STAMPS = 256 * 1024
"""Bytes beyond a chunk's limit that are asked for at first: every line has a stamp of 31 bytes."""
_MORE = 16
"""Lines beyond a tail that are asked for, so that those with the same stamp can be counted."""


class KubeLogs:
    """Reads the logs of sessions' pods."""

    def __init__(self, api: Api, find: Callable[[str], Session], pod_of: PodOf) -> None:
        self._api = api
        self._find = find
        self._pod_of = pod_of

    async def read(self, session_id: str, query: LogQuery) -> LogChunk:
        """Return part of a log. Raises NotFound, InvalidFields, NotAllowed, Unavailable."""
        session = self._find(session_id)
        ended = session.state in INACTIVE  # checked before reading: an ended session adds nothing
        place = read_cursor("cursor", query.cursor)
        earlier = read_cursor("before", query.before)
        found = sources(self._pod_of(session, query.process))
        if not found:
            return await self._kept(session, query, ended=ended)
        limit = min(max(query.limit, 4), LIMIT)
        try:
            if earlier:
                return await self._before(found, earlier, limit)
            if query.tail > 0:
                return await self._tail(found, query.tail, limit, ended=ended)
            return await self._after(found, place, limit, ended=ended)
        except Fault as fault:
            raise refusal(session, fault) from fault

    async def last_lines(self, pod: Pod) -> tuple[str, ...]:
        """Return the last lines of a pod's log."""
        return await last_lines(self._api, pod)

    async def keep(self, session: Session) -> None:
        """Keep the end of a session's log, as its pod is about to go.

        A failure is logged: it must not keep the session from ending.
        """
        if not sources(self._pod_of(session, 0)):
            return
        try:
            end = await self.read(session.id, LogQuery(tail=kept.LINES, limit=kept.BYTES))
            log = kept.KeptLog(run=session.run, text=end.text, cut=bool(end.earlier))
            if log.text:
                await kept.write(self._api, session, log)
        except (GpuQuotaError, Fault) as error:
            _log.warning("the log of %s cannot be kept: %s", session.id, error)

    async def _kept(self, session: Session, query: LogQuery, *, ended: bool) -> LogChunk:
        """Return what is kept of the log of a session without a pod, once.

        Of several processes that is the log of the first one.
        """
        if query.cursor or query.before or query.process:
            return LogChunk(text="", cursor=query.cursor or KEPT, ended=ended)
        try:
            log = await kept.read(self._api, session) if ended else None
        except Fault as fault:
            raise refusal(session, fault) from fault
        if log is None:
            last = session.exit.last_lines if session.exit else ()
            log = kept.KeptLog(run=session.run, text="".join(f"{line}\n" for line in last))
        lines = log.text.splitlines(keepends=True)
        shown = lines[-query.tail :] if query.tail > 0 else lines
        return LogChunk(
            text="".join(shown),
            cursor=KEPT if shown else "",
            missed=log.cut and len(shown) == len(lines),
            ended=ended,
        )

    async def _after(
        self, found: Sequence[Source], place: Position | None, limit: int, *, ended: bool
    ) -> LogChunk:
        names = [source.name for source in found]
        known = place is not None and place.source in names
        index = names.index(place.source) if place and known else 0
        at = place if place and known else Position(names[index])
        while True:
            last = index == len(found) - 1
            part = await self._part(found[index], at, limit, ended=ended or not last)
            if part.text or last:
                break
            index += 1
            at = Position(names[index])
        return LogChunk(
            text=part.text.decode(errors="replace"),
            cursor=str(part.end),
            earlier=_earlier(names, index, part) if part.text else "",
            missed=part.missed or (place is not None and not known),
            ended=ended and last and not part.cut,
        )

    async def _part(self, source: Source, at: Position, limit: int, *, ended: bool) -> Part:
        """Return what follows a position; asks for more until the position is among it."""
        size = min(2 * limit + _STAMPS, MOST)
        while True:
            log = await fetch(self._api, source, second=at.second if at.stamp else "", limit=size)
            whole = len(log) < size or size == MOST
            part = chunks.after(parse(log), at, limit, whole=whole, ended=ended)
            if part:
                return part
            size = min(4 * size, MOST)

    async def _before(self, found: Sequence[Source], place: Position, limit: int) -> LogChunk:
        names = [source.name for source in found]
        if place.source not in names:
            return LogChunk(text="", cursor=str(place), ended=False)
        index = names.index(place.source)
        part = chunks.before(parse(await fetch(self._api, found[index])), place, limit)
        return LogChunk(
            text=part.text.decode(errors="replace"),
            cursor=str(place),
            earlier=_earlier(names, index, part),
            ended=False,
        )

    async def _tail(
        self, found: Sequence[Source], count: int, limit: int, *, ended: bool
    ) -> LogChunk:
        names = [source.name for source in found]
        part = await self._last_lines(found[-1], count, limit)
        index = len(found) - 1
        if not part.text and index:
            index -= 1
            part = await self._last_lines(found[index], count, limit)
        return LogChunk(
            text=part.text.decode(errors="replace"),
            cursor=str(part.end),
            earlier=_earlier(names, index, part),
            ended=ended and index == len(found) - 1,
        )

    async def _last_lines(self, source: Source, count: int, limit: int) -> Part:
        asked = count + _MORE
        while True:
            log = await fetch(self._api, source, lines=asked)
            lines = parse(log)
            if len(log) >= MOST and asked > 1:
                asked //= 4  # it has the first bytes of these lines, not the last ones
                continue
            shown = lines[-count:]
            if len(lines) < asked or len(log) >= MOST or lines[0].stamp != shown[0].stamp:
                return chunks.tail(lines, source.name, count, limit)
            asked *= 4


def _earlier(names: Sequence[str], index: int, part: Part) -> str:
    """Return the cursor of what precedes a part, empty where nothing does."""
    if not part.first:
        return str(part.begin)
    return names[index - 1] if index else ""
