"""Variables of the kernels of sessions, written by them for a program that runs beside them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ...errors import Unavailable, WrongState
from ...model.programs import ExecRequest
from ...model.sessions import Session
from ...model.snapshots.dumps import PLACE
from ...ports.sessions import Exec, Ingress
from ..session_http import ServerConnection
from ..signals.servers import Kernel
from .carrying import Unreadable, answered, command

MODULES = tuple(f"client.variables.{name}" for name in ("pickles", "evaluating"))
"""The modules that are carried."""
_MARK = "gpuquota-variables:"
"""What precedes an answer: a session's Python may print, too."""
_SERVER, _WRITING, _FORGETTING = 10.0, 240.0, 5.0
"""Seconds for the session's server, and for a kernel to write its variables or to remove them."""
_STARTS = 30
"""Seconds that the program itself may take besides."""
_BUSY, _PAUSE = 10.0, 0.2
"""Seconds to wait for a kernel that is busy: its server hears late of the end of a cell."""


class _Notebook(msgspec.Struct, frozen=True, kw_only=True):
    """A notebook or the like with its kernel, as a Jupyter Server describes it."""

    path: str = ""
    name: str = ""
    kernel: Kernel | None = None


class SessionKernelVariables:
    """Lets the kernels of sessions write; `find` returns a session by its id.

    `folder` returns that of a session which has files for snapshots; it may begin with `~`.
    """

    def __init__(
        self,
        find: Callable[[str], Session],
        programs: Exec,
        ingress: Ingress,
        folder: Callable[[Session], str],
    ) -> None:
        self._find = find
        self._programs = programs
        self._ingress = ingress
        self._folder = folder

    async def write(
        self, session_id: str, names: Sequence[str], notebook: str, dump: str = ""
    ) -> dict[str, str]:
        """Write variables for the next kernel of their notebook, or to a file for a snapshot.

        Raises NotFound, WrongState, Unavailable.
        """
        kernel = await self._once_idle(session_id, notebook)
        session = self._find(session_id)
        path = f"{self._folder(session)}/{PLACE}/{dump}.zip"
        place = repr(path) if dump else _kept(session)
        then = f'm["write"](get_ipython().user_ns, {list(names)!r}, {place})'
        found: dict[str, str] = await self._run(session_id, kernel, then, _WRITING)
        return found

    async def forget(self, session_id: str, notebook: str) -> None:
        """Remove what is kept for the next kernel of a notebook.

        Raises NotFound, WrongState, Unavailable.
        """
        found = _chosen(await self._notebooks(session_id), notebook)
        if len(found) == 1:
            then = f'm["forget"]({_kept(self._find(session_id))})'
            await self._run(session_id, found[0], then, _FORGETTING)

    async def _once_idle(self, session_id: str, notebook: str) -> Kernel:
        """Return the kernel of a notebook once it is idle.

        Raises NotFound, WrongState, Unavailable.
        """
        deadline = time.monotonic() + _BUSY
        while True:
            notebooks = await self._notebooks(session_id)
            if not notebooks:
                raise WrongState(
                    "The session has no kernel with variables.", hint="Run a cell there first."
                )
            found = _chosen(notebooks, notebook)
            if len(found) != 1:
                paths = ", ".join(each.path for each in notebooks)
                raise WrongState(
                    f"These notebooks have a kernel: {paths}. Name one of them.",
                    hint="In a command: --notebook PATH.",
                )
            if found[0].execution_state != "busy":
                return found[0]
            if time.monotonic() > deadline:
                raise WrongState(
                    "The kernel with these variables is busy.", hint="Interrupt it, or wait for it."
                )
            await asyncio.sleep(_PAUSE)

    async def _notebooks(self, session_id: str) -> list[_Notebook]:
        """Return the notebooks that have a kernel, none of a session without a Jupyter Server.

        Raises NotFound, WrongState, Unavailable.
        """
        if not self._find(session_id).spec.serves_jupyter:
            return []
        endpoint = await self._ingress.endpoint(session_id, 0)
        try:
            async with asyncio.timeout(_SERVER):
                connection = await ServerConnection.open(endpoint)
                try:
                    found = await connection.get_json("api/sessions", list[_Notebook])
                finally:
                    connection.close()
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise Unavailable(
                "The session's Jupyter Server does not list its kernels.",
                hint="Try again; see the session's log.",
            ) from error
        return [
            each for each in found or () if each.kernel and each.kernel.execution_state != "dead"
        ]

    async def _run(self, session_id: str, kernel: Kernel, then: str, seconds: float) -> Any:
        """Return the value of an expression in a kernel. Raises NotFound, WrongState, Unavailable.

        In it, `m` has the names of the module `pickles`.
        """
        words = json.dumps({"kernel": kernel.id, "then": then, "seconds": seconds})
        program = command(MODULES, _MARK, words)
        request = ExecRequest(command=program, timeout=int(seconds) + _STARTS)
        result = await self._programs.execute(session_id, request)
        try:
            found = answered(result.output, _MARK)
        except Unreadable as error:
            raise Unavailable(
                f"The session's Python (python3) did not ask its kernel: {error}",
                hint="It needs jupyter_client, as every Jupyter Server does.",
            ) from error
        if failed := found.get("failed", ""):
            raise Unavailable(
                f"The kernel did not write its variables: {failed}", hint="Try again."
            )
        return found["value"]


def _kept(session: Session) -> str:
    """Return an expression for the file with variables for the next kernel of a notebook."""
    return f'm["kept_file"]({session.spec.folder!r})'


def _chosen(notebooks: Sequence[_Notebook], wanted: str) -> list[Kernel]:
    return [
        each.kernel for each in notebooks if each.kernel and wanted in ("", each.path, each.name)
    ]
