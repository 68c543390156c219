"""Notice of changes."""

from __future__ import annotations

from typing import Protocol

from ..model.about import Revisions


class Changes(Protocol):
    """What counts the changes of each noun."""

    @property
    def instance(self) -> str:
        """The life that revisions belong to; another one counts anew."""

    def revision(self, noun: str) -> int:
        """Return the revision of a noun: `sessions`, `quota`, `nodes` or `policy`."""

    async def changed(self, since: int, timeout: float) -> Revisions:
        """Wait until the counter is past `since`, or `timeout` seconds; return all revisions."""

    def warnings(self) -> tuple[str, ...]:
        """Return what an admin should hear of."""
