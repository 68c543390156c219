"""How the GPUs of a cluster other than the first were used."""

from __future__ import annotations

from ..core.usage.history import Window
from ..model.history import History as Past
from ..ports.usage import History
from .naming import Outward, window_inside


class OutsideHistory:
    """Translates what enters and leaves it."""

    def __init__(self, names: Outward, inner: History) -> None:
        self._names = names
        self._inner = inner

    async def read(self, window: Window) -> Past:
        """Return how projects used GPUs in a period."""
        return self._names.history(await self._inner.read(window_inside(window, self._names)))
