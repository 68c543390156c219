"""Notice of changes."""

from __future__ import annotations

from typing import Protocol

from ..model.about import Revisions


class Changes(Protocol):
    """What gives each noun another revision when it changes."""

    @property
    def instance(self) -> str:
        """The life that revisions belong to; another one begins anew."""

    def revision(self, noun: str) -> str:
        """Return the revision of a noun: `sessions`, `quota`, `nodes` or `policy`."""

    async def changed(self, since: str, timeout: float) -> Revisions:
        """Wait until `latest` is not `since`, or `timeout` seconds; return all revisions."""

    def warnings(self) -> tuple[str, ...]:
        """Return what an admin should hear of."""
