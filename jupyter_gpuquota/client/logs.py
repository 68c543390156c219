"""Logs of sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, overload

from msgspec import structs

from ..errors import FieldError, refused
from ..model.sessions import LogChunk, LogQuery, Session
from .lifecycle import AGAIN, MOVING
from .namespace import Namespace


class Logs(Namespace):
    """Read logs of sessions. `name` is an id, a name, or `project/name`."""

    @overload
    def logs(
        self,
        name: str,
        *,
        project: str = "",
        tail: int | None = None,
        process: int = 0,
        follow: Literal[False] = False,
    ) -> str: ...

    @overload
    def logs(
        self,
        name: str,
        *,
        project: str = "",
        tail: int | None = None,
        process: int = 0,
        follow: Literal[True],
    ) -> Iterator[str]: ...

    def logs(
        self,
        name: str,
        *,
        project: str = "",
        tail: int | None = None,
        process: int = 0,
        follow: bool = False,
    ) -> str | Iterator[str]:
        """Return the log, or its last `tail` lines; `follow` iterates over it until its end.

        `process` is the number of a process of a training that has several, from 0.
        """
        if not follow:
            return self.log(name, project=project, tail=tail, process=process).text
        found = self.follow(name, project=project, tail=tail, process=process)
        return (chunk.text for chunk in found)

    def log(
        self, name: str, *, project: str = "", tail: int | None = None, process: int = 0
    ) -> LogChunk:
        """Return the log, or its last `tail` lines, as one chunk. Raises InvalidFields."""
        chunk = first = self._read(name, project, _first_part(tail, process))
        texts = [first.text]
        while chunk.text and tail is None and not chunk.ended:
            chunk = self._read(name, project, LogQuery(cursor=chunk.cursor, process=process))
            texts.append(chunk.text)
        return structs.replace(first, text="".join(texts), cursor=chunk.cursor, ended=chunk.ended)

    def follow(
        self, name: str, *, project: str = "", tail: int | None = None, process: int = 0
    ) -> Iterator[LogChunk]:
        """Iterate over the log, or over what follows from its last `tail` lines on, to its end.

        Raises InvalidFields.
        """
        query = _first_part(tail, process)
        while True:
            chunk = self._read(name, project, query)
            query = LogQuery(cursor=chunk.cursor, process=process)
            if chunk.text:
                yield chunk
                continue
            if chunk.ended:
                session: Session = self._context.call_session("sessions.get", name, project)
                if session.state not in MOVING:
                    return
            self._context.pause(AGAIN)

    def _read(self, name: str, project: str, query: LogQuery) -> LogChunk:
        chunk: LogChunk = self._context.call_session("sessions.log", name, project, query=query)
        return chunk


def _first_part(tail: int | None, process: int = 0) -> LogQuery:
    """Return the first query of a log; on the wire a `tail` of 0 means the whole log."""
    if tail is not None and tail < 1:
        hint = "Leave it out to read the whole log."
        problem = FieldError("tail", "It must be at least 1.", hint)
        raise refused(problem)
    return LogQuery(tail=tail or 0, process=process)
