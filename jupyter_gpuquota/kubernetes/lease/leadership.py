"""Whether this controller is in charge."""

from __future__ import annotations

from .keeper import LeaseKeeper

LOST = (
    "This controller is not in charge any more: another one has taken over, or the cluster did not "
    "confirm in time that this one still is."
)


class Leadership:
    """Whether this controller is in charge: always, unless it contests a lease."""

    def __init__(self) -> None:
        self._keeper: LeaseKeeper | None = None
        self._began = False

    def contest(self, keeper: LeaseKeeper) -> None:
        """Let a lease decide."""
        self._keeper = keeper

    async def begin(self) -> None:
        """Return once this controller is in charge. Raises NotAllowed."""
        if self._keeper:
            await self._keeper.acquire()
        self._began = True

    async def end(self) -> None:
        """Let another controller take over at once."""
        if self._keeper:
            await self._keeper.release()

    def lost(self) -> str:
        """Return why this controller may write no more, empty while it may; reads come before."""
        if not (self._keeper and self._began):
            return ""
        return "" if self._keeper.is_held else LOST
