"""Putting restored folders in the places of the originals, and back.

A restore has one swap for the session's folder and one for each volume. All are decided on before
the first rename. If one fails, those before it are taken back.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from ...core.snapshots import replacement
from ...errors import Conflict, GpuQuotaError
from .folders import Folders
from .journal import Record, Swap

Decide = Callable[..., replacement.Step]


class Swapping:
    """Swaps folders. All methods block, and are called in a thread."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders

    def swap(self, record: Record) -> None:
        """Rename until a replacement, or its undo, is done. Raises Conflict, StorageFailed."""
        undo = record.shown.state == "undoing"
        decide, back = replacement.replacing, replacement.undoing
        if undo:
            decide, back = back, decide
        for each in record.swaps:
            if self._next(each, decide) == "lost":
                raise Conflict(
                    f"{each.place}, {each.folder} and {each.kept} are not as they were left.",
                    hint="Somebody has moved one of them. Put it back, then try again.",
                )
        try:
            for each in record.swaps:
                self._rename(each, decide, undo=undo)
        except GpuQuotaError:
            for each in record.swaps:
                self._rename(each, back, undo=not undo)
            raise

    def is_confirmed(self, record: Record) -> bool:
        """Return whether the originals are gone, or going: nothing can be put back then."""
        return not self._folders.exists(record.swaps[0].kept)

    def remove_kept(self, record: Record) -> None:
        """Remove the originals; all are renamed first, so that no part of one is put back."""
        going = [(each.kept, _going(each, record.shown.id)) for each in record.swaps]
        for kept, name in going:
            if self._folders.exists(kept):
                self._folders.rename(kept, name)
        for _, name in going:
            self._folders.remove(name)

    def remove_restored(self, record: Record) -> None:
        """Remove the files of volumes that were not put, or did not stay, in their places."""
        for each in record.replaced:
            self._folders.remove(posixpath.dirname(each.tree.folder))
            self._folders.remove(each.swap.folder)

    def _next(self, swap: Swap, decide: Decide) -> replacement.Step:
        exists = self._folders.exists
        return decide(place=exists(swap.place), folder=exists(swap.folder), kept=exists(swap.kept))

    def _rename(self, swap: Swap, decide: Decide, *, undo: bool) -> None:
        away, back = (swap.folder, swap.kept) if undo else (swap.kept, swap.folder)
        while (step := self._next(swap, decide)) in ("keep", "put"):
            names = (swap.place, away) if step == "keep" else (back, swap.place)
            self._folders.rename(*names)


def kept_at(place: str, snapshot: str, restore: str) -> str:
    """Return where the original folder is kept: a name that nothing else has."""
    return f"{place}.before-{snapshot[:8]}-{restore[:4]}"


def _going(swap: Swap, restore: str) -> str:
    """Return where a kept folder is while it is removed."""
    parent, name = posixpath.split(swap.place)
    return posixpath.join(parent or "/", f".removing-{name}-{restore}")
