"""Templates, stored with the settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..core.templates import key_of
from ..model.templates import Template
from .administration import Administrator
from .board import Board


class StoredTemplates:
    """The templates in the state folder and the quota file; `work` is the thread of settings."""

    def __init__(
        self, board: Board, admin: Administrator, work: Callable[..., Awaitable[Any]]
    ) -> None:
        self._board = board
        self._admin = admin
        self._work = work

    def all(self) -> tuple[Template, ...]:
        """Return all templates, without `actions`."""
        return self._board.settings.templates

    def by_file(self) -> bool:
        """Return whether the quota file sets those of admins."""
        return bool(self._admin.path)

    async def put(self, template: Template, who: str) -> None:
        """Create or replace a template. Raises Conflict, StorageFailed."""
        await self._work(self._admin.put_template, key_of(template), template, who)

    async def delete(self, template: Template, who: str) -> None:
        """Delete a template. Raises Conflict, StorageFailed."""
        await self._work(self._admin.put_template, key_of(template), None, who)
