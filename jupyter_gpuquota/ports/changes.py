"""Revisions and notice of changes."""

from __future__ import annotations

from typing import Protocol

from ..model.about import Revisions


class Changes(Protocol):
    """Gives each noun a new revision when it changes."""

    @property
    def instance(self) -> str:
        """The id of this run of the controller; revisions of another run are not comparable."""

    def revision(self, noun: str) -> str:
        """Return the revision of a noun: `sessions`, `quota`, `nodes` or `policy`."""

    async def changed(self, since: str, timeout: float) -> Revisions:
        """Wait until `latest` differs from `since`, or `timeout` seconds; return all revisions."""

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins."""
