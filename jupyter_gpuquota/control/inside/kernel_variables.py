"""Variables of the kernels of sessions, asked for by a program that runs beside them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...errors import FieldError, GpuQuotaError, Unavailable, WrongState, refuse
from ...model.programs import ExecRequest
from ...model.rightsizing import KeepRequest, NotebookVariables, Variable
from ...model.sessions import Session
from ...ports.sessions import Exec, Ingress
from ..session_http import ServerConnection
from ..signals.servers import Kernel
from .carrying import Unreadable, answered, command

_HERE = "client.variables"
MODULES = tuple(f"{_HERE}.{name}" for name in ("pickles", "far", "source", "evaluating", "inside"))
"""The modules that are carried."""
_MARK = "gpuquota-variables:"
"""What precedes an answer: a session's Python may print, too."""
_SERVER, _LISTING, _KEEPING = 10.0, 5.0, 240.0
"""Seconds for the session's server, for a kernel to list, and for one to write its variables."""
_STARTS = 30
"""Seconds that the program itself may take besides."""
_HINT = "Leave it out, or write a file of it."
_BUSY, _PAUSE = 10.0, 0.2
"""Seconds to wait for a kernel that is busy: its server hears late of the end of a cell."""


class _Notebook(msgspec.Struct, frozen=True, kw_only=True):
    """A notebook or the like with its kernel, as a Jupyter Server describes it."""

    path: str = ""
    name: str = ""
    kernel: Kernel | None = None

    @property
    def alive(self) -> bool:
        """Whether it has a kernel that runs."""
        return self.kernel is not None and self.kernel.execution_state != "dead"

    @property
    def busy(self) -> bool:
        """Whether its kernel runs a cell."""
        return self.kernel is not None and self.kernel.execution_state == "busy"


class SessionKernelVariables:
    """Asks the kernels of sessions; `find` returns a session by its id."""

    def __init__(self, find: Callable[[str], Session], programs: Exec, ingress: Ingress) -> None:
        self._find = find
        self._programs = programs
        self._ingress = ingress

    async def of(self, session_id: str) -> tuple[NotebookVariables, ...]:
        """Return the variables of each notebook. Raises NotFound, WrongState, Unavailable."""
        notebooks = await self._notebooks(session_id)
        idle = _ids(each for each in notebooks if not each.busy)
        asked = {id_: {"do": "list"} for id_ in idle.values()}
        answers = await self._ask(session_id, asked, _LISTING)
        return tuple(_variables(each, answers) for each in notebooks)

    async def keep(self, session_id: str, wanted: Sequence[KeepRequest]) -> None:
        """Write variables to the session's folder, all or none.

        Raises NotFound, WrongState, Unavailable, InvalidFields.
        """
        folder = self._find(session_id).spec.folder
        kernels = await self._once_idle(session_id, [each.path for each in wanted])
        asked = {
            kernels[each.path]: {"do": "keep", "names": list(each.names), "folder": folder}
            for each in wanted
        }
        try:
            answers = await self._ask(session_id, asked, _KEEPING)
            refuse(
                problem
                for number, each in enumerate(wanted)
                for problem in _problems(f"keep[{number}]", answers.get(kernels[each.path], {}))
            )
        except GpuQuotaError:
            await self._forget(session_id, kernels.values())
            raise

    async def forget(self, session_id: str, wanted: Sequence[KeepRequest]) -> None:
        """Remove what was kept. Raises NotFound, WrongState, Unavailable."""
        paths = {each.path for each in wanted}
        found = await self._notebooks(session_id)
        await self._forget(session_id, [id_ for path, id_ in _ids(found).items() if path in paths])

    async def _forget(self, session_id: str, kernels: Iterable[str]) -> None:
        folder = self._find(session_id).spec.folder
        asked = {id_: {"do": "forget", "folder": folder} for id_ in kernels}
        await self._ask(session_id, asked, _LISTING)

    async def _once_idle(self, session_id: str, paths: Sequence[str]) -> dict[str, str]:
        """Return the ids of kernels by their notebooks, once none of them is busy.

        Raises InvalidFields for a notebook without a kernel, WrongState for one that stays busy.
        """
        deadline = time.monotonic() + _BUSY
        while True:
            notebooks = await self._notebooks(session_id)
            known = _ids(notebooks)
            refuse(
                FieldError(f"keep[{number}]", f"{path} has no kernel.", "List the variables again.")
                for number, path in enumerate(paths)
                if path not in known
            )
            busy = next((each for each in notebooks if each.path in paths and each.busy), None)
            if busy is None:
                return {path: known[path] for path in paths}
            if time.monotonic() > deadline:
                raise WrongState(
                    f"The kernel of {busy.path} is busy.",
                    hint="Interrupt it, or wait for it.",
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
        return [each for each in found or () if each.alive]

    async def _ask(
        self, session_id: str, requests: Mapping[str, Any], seconds: float
    ) -> dict[str, dict[str, Any]]:
        """Return the answers of kernels by their ids. Raises NotFound, WrongState, Unavailable."""
        if not requests:
            return {}
        words = json.dumps({"requests": requests, "seconds": seconds})
        program = command(MODULES, _MARK, words)
        patience = int(seconds * len(requests)) + _STARTS
        request = ExecRequest(command=program, timeout=patience)
        result = await self._programs.execute(session_id, request)
        try:
            found: dict[str, dict[str, Any]] = answered(result.output, _MARK)
        except Unreadable as error:
            raise Unavailable(
                f"The session's Python (python3) did not ask its kernels: {error}",
                hint="It needs jupyter_client, as every Jupyter Server does.",
            ) from error
        return found


def _ids(notebooks: Iterable[_Notebook]) -> dict[str, str]:
    return {each.path: each.kernel.id for each in notebooks if each.kernel}


def _variables(notebook: _Notebook, answers: Mapping[str, Any]) -> NotebookVariables:
    """Return what is shown of a notebook: its variables, or why there are none."""
    answer = answers.get(notebook.kernel.id if notebook.kernel else "", {})
    return NotebookVariables(
        path=notebook.path,
        name=notebook.name or notebook.path,
        variables=msgspec.convert(answer.get("variables", ()), tuple[Variable, ...]),
        more=answer.get("more", 0),
        problem="It runs a cell." if notebook.busy else answer.get("failed", ""),
    )


def _problems(field: str, answer: Mapping[str, Any]) -> Iterator[FieldError]:
    """Yield why a kernel has kept nothing."""
    if failed := answer.get("failed", ""):
        yield FieldError(field, failed, "Restart without these variables, or try again.")
    for name, why in answer.get("problems", {}).items():
        yield FieldError(
            field, f"{name}: {why.rstrip('.')}.", "Leave it out, or write a file of it."
        )
