"""Find the Jupyter Server of a session, and wait until it responds."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import stat
from collections.abc import Callable, Sequence

import msgspec

from ...control.resident import Report
from ...control.session_http import ServerConnection
from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.sessions import Endpoint, Session
from ...model.struct import Model
from ..folders.folders import SessionFolder
from ..processes import processes
from ..processes.listeners import listens

_log = logging.getLogger(__name__)
_PAUSE, _REFUSED = 0.03, 1.0
"""Seconds between two requests: while it does not listen, and while it reports another status."""
_OK, _FORBIDDEN = 200, 403
_SECONDS = 5.0
_NAMED = 80
"""The port in the address of a server that has none."""


class _Info(Model, frozen=True, kw_only=True):
    """The fields that are read of a Jupyter Server's note in its runtime folder."""

    pid: int
    port: int
    base_url: str
    sock: str = ""


def find_server(folder: SessionFolder, run: int) -> Endpoint | None:
    """Return where the session's own server listens; None until it reports it.

    Notes of processes that do not descend from the session's first one are ignored, and so are
    ports on which the server no longer listens: another program may have taken them. A socket is in
    a folder that only this account can open.
    """
    leader, launch = folder.leader(run), folder.launch(run)
    if leader is None or launch is None or not processes.alive(leader):
        return None
    headers = {"Authorization": f"token {launch.env.get('JUPYTER_TOKEN', '')}"}
    for path in folder.runtime.glob("jpserver-*.json"):
        try:
            info = msgspec.json.decode(path.read_bytes(), type=_Info)
        except (FileNotFoundError, msgspec.DecodeError):
            continue  # it is being written or removed
        if not processes.descends(info.pid, leader.pid):
            continue
        if _is_socket(info.sock) if launch.sockets else listens(info.pid, info.port):
            return Endpoint(
                host="127.0.0.1",
                port=info.port or _NAMED,
                socket=info.sock if launch.sockets else "",
                base_url=info.base_url,
                headers=headers,
                runtime=str(folder.runtime),
            )
    return None


def _is_socket(path: str) -> bool:
    """Return whether a path names a socket."""
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 (empty, it names nothing)
    except OSError:
        return False


async def problem_of(endpoint: Endpoint, status: int) -> Reason | None:
    """Return why a responding server must not be shown, None if it may.

    A server that needs no token is open to every account of the machine, and has no login page.
    That page is requested because, unlike a refused request, it leaves no trace in the log.
    """
    if status == _FORBIDDEN:
        return reason("StartFailed", "start.token_refused")
    stranger = msgspec.structs.replace(endpoint, headers={})
    if status == _OK and await answers(stranger, "login") != _OK:
        return reason("StartFailed", "start.open")
    return None


async def answers(endpoint: Endpoint, path: str = "api/status") -> int:
    """Return the HTTP status of a GET; `api/status` requires the session's token.

    0 if there is no response.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            connection = await ServerConnection.open(endpoint)
            with contextlib.closing(connection):
                return (await connection.get(path)).status
    except (OSError, TimeoutError):
        return 0


class Readiness:
    """Waits, in the event loop, for the Jupyter Servers that are starting."""

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
                    _log.error("waiting for the server of %s failed", key[0], exc_info=error)
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
                status = await answers(endpoint)
                problem = await problem_of(endpoint, status)
                if problem or status == _OK:
                    await report(session.id, session.run, problem)
                    return
                if status:
                    await asyncio.sleep(_REFUSED)
            await asyncio.sleep(_PAUSE)
