"""Variables of kernels that never ran: those that were put here."""

from __future__ import annotations

from collections.abc import Collection, Sequence


class MemoryVariables:
    """The names of variables, and what was kept of them, by the ids of sessions."""

    def __init__(self) -> None:
        self.known: dict[str, Collection[str]] = {}
        self.kept: dict[str, tuple[str, ...]] = {}

    async def write(
        self, session_id: str, names: Sequence[str], notebook: str, dump: str = ""
    ) -> dict[str, str]:
        """Keep variables that are known; return why others are not."""
        known = self.known.get(session_id, ())
        if not dump:
            self.kept[session_id] = tuple(name for name in names if name in known)
        return {name: "There is no such variable." for name in names if name not in known}

    async def forget(self, session_id: str, notebook: str) -> None:
        """Forget what was kept."""
        self.kept.pop(session_id, None)
