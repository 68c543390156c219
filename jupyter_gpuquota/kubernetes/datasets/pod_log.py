"""The log of a pod that reports its progress in lines."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

from ..api import Api, Fault
from ..connection.decoding import lines
from ..objects.pods import Pod
from ..session_pods import container_of, pod_path

_STAMP = re.compile(rb"((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\S*) ")
_NO_LOG = (400, 404)
"""Answers for a container that has not started, or is gone."""


class PodLog:
    """Reads the log of one pod, as often as necessary; lines may come twice."""

    def __init__(self, api: Api, pod: Pod) -> None:
        self._api = api
        self._pod = pod
        self._since = ""

    async def read(self, *, follow: bool) -> AsyncGenerator[tuple[datetime, bytes]]:
        """Yield lines and their times, from the second of the last one that was read.

        With `follow` it goes on until the server ends it, which some do with the container. Raises
        Fault.
        """
        query = {"container": container_of(self._pod), "timestamps": "true"}
        if follow:
            query["follow"] = "true"
        if self._since:
            query["sinceTime"] = self._since
        try:
            path = pod_path(self._pod, "log")
            async with aclosing(lines(self._api.stream(path, query))) as found:
                async for line in found:
                    stamp = _STAMP.match(line)
                    if stamp:
                        self._since = f"{stamp[2].decode()}Z"
                        yield _time(stamp[1].decode()), line[stamp.end() :]
        except Fault as fault:
            if fault.status not in _NO_LOG:
                raise


def _time(stamp: str) -> datetime:
    """Return the time of a line, to the microsecond."""
    try:
        return datetime.fromisoformat(stamp).astimezone(UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
