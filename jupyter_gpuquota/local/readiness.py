"""Find the Jupyter Server of a session, and ask whether it answers."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
from collections.abc import Callable, Sequence

import msgspec

from ..control.resident import Report
from ..model.base import Model
from ..model.sessions import Endpoint, Session
from . import processes
from .folders import SessionFolder
from .listeners import listens

_log = logging.getLogger(__name__)
_PAUSE, _REFUSED = 0.03, 1.0
"""Seconds between two questions: while it does not listen, and while it answers otherwise."""
_OK = 200
_SECONDS = 5.0


class _Info(Model, frozen=True, kw_only=True):
    """Be what a Jupyter Server writes about itself into its runtime folder."""

    pid: int
    port: int
    base_url: str
    token: str


def find_server(folder: SessionFolder, run: int) -> Endpoint | None:
    """Read where the session's own server listens; None until it says so.

    The note of any process that does not descend from the session's first one is ignored, and so
    is a port that the server has given up: it may be a stranger's by now.
    """
    leader = folder.leader(run)
    if leader is None or not processes.alive(leader):
        return None
    for path in folder.runtime.glob("jpserver-*.json"):
        try:
            info = msgspec.json.decode(path.read_bytes(), type=_Info)
        except (FileNotFoundError, msgspec.DecodeError):
            continue  # it is being written or removed just now
        if processes.descends(info.pid, leader.pid) and listens(info.pid, info.port):
            headers = {"Authorization": _authorization(info.token)}
            return Endpoint(
                host="127.0.0.1", port=info.port, base_url=info.base_url, headers=headers
            )
    return None


def problem_of(folder: SessionFolder, run: int, endpoint: Endpoint) -> str:
    """Say why a server must not be shown: one without our token is open to every account."""
    launch = folder.launch(run)
    token = launch.env.get("JUPYTER_TOKEN", "") if launch else ""
    sent = endpoint.headers.get("Authorization", "")
    if token and hmac.compare_digest(_authorization(token).encode(), sent.encode()):
        return ""
    return (
        "Its Jupyter configuration sets a token of its own, or none: remove IdentityProvider.token "
        "and ServerApp.token from it."
    )


async def answers(endpoint: Endpoint) -> int:
    """Tell the status with which a server answers a request that needs its token.

    0 while it does not answer at all.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await asyncio.open_connection(endpoint.host, endpoint.port)
            try:
                headers = {"Host": endpoint.authority, **endpoint.headers}
                lines = [f"{name}: {value}" for name, value in headers.items()]
                first = f"GET {endpoint.base_url}api/status HTTP/1.0"
                writer.write("\r\n".join([first, *lines, "", ""]).encode())
                status = (await reader.readline()).split()
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (OSError, TimeoutError):
        return 0
    return int(status[1]) if len(status) > 1 and status[1].isdigit() else 0


def _authorization(token: str) -> str:
    return f"token {token}"


class Readiness:
    """What waits, in the event loop, for the Jupyter Servers that are starting."""

    def __init__(self, folder_of: Callable[[Session], SessionFolder]) -> None:
        self._folder_of = folder_of
        self._tasks: dict[tuple[str, int], asyncio.Task[None]] = {}

    def follow(self, sessions: Sequence[Session], report: Report) -> None:
        """Wait for exactly the servers among these that are starting."""
        starting = {
            (s.id, s.run): s for s in sessions if s.state == "starting" and s.spec.serves_jupyter
        }
        for key, task in list(self._tasks.items()):
            if task.done():
                del self._tasks[key]
                if not task.cancelled() and (error := task.exception()):
                    _log.error("waiting for %s failed", key[0], exc_info=error)
            elif key not in starting:
                self._tasks.pop(key).cancel()
        for key in starting.keys() - self._tasks.keys():
            self._tasks[key] = asyncio.create_task(self._wait(starting[key], report))

    async def close(self) -> None:
        """Stop waiting."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        self._tasks.clear()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait(self, session: Session, report: Report) -> None:
        folder = self._folder_of(session)
        while True:
            endpoint = await asyncio.to_thread(find_server, folder, session.run)
            if endpoint:
                problem = problem_of(folder, session.run, endpoint)
                status = 0 if problem else await answers(endpoint)
                if problem or status == _OK:
                    await report(session.id, session.run, problem)
                    return
                if status:
                    await asyncio.sleep(_REFUSED)
            await asyncio.sleep(_PAUSE)
