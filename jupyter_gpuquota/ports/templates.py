"""Stored templates. Rights are the caller's matter."""

from __future__ import annotations

from typing import Protocol

from ..model.templates import Template


class Templates(Protocol):
    """The templates of admins and of every account. Changes raise StorageFailed."""

    def all(self) -> tuple[Template, ...]:
        """Return all templates, without `actions`."""

    def by_file(self) -> bool:
        """Return whether a file sets those of admins, which nobody can change here then."""

    async def put(self, template: Template, who: str) -> None:
        """Create or replace a template. `who` changes one of admins, for the audit log."""

    async def delete(self, template: Template, who: str) -> None:
        """Delete a template, if it is still there."""
