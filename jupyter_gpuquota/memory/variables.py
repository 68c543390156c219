"""Variables of kernels that never ran: those that were put here."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FieldError, refuse
from ..model.rightsizing import KeepRequest, NotebookVariables


class MemoryVariables:
    """The variables of notebooks, and what was kept of them, by the ids of sessions."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[NotebookVariables, ...]] = {}
        self.kept: dict[str, tuple[KeepRequest, ...]] = {}

    async def of(self, session_id: str) -> tuple[NotebookVariables, ...]:
        """Return the variables of a session's notebooks."""
        return self.known.get(session_id, ())

    async def keep(self, session_id: str, wanted: Sequence[KeepRequest]) -> None:
        """Keep variables that are known. Raises InvalidFields for others."""
        known = {
            (each.path, variable.name)
            for each in await self.of(session_id)
            for variable in each.variables
        }
        refuse(
            FieldError("keep", f"{name}: There is no such variable.")
            for each in wanted
            for name in each.names
            if (each.path, name) not in known
        )
        self.kept[session_id] = tuple(wanted)

    async def forget(self, session_id: str, wanted: Sequence[KeepRequest]) -> None:
        """Forget what was kept."""
        self.kept.pop(session_id, None)
