"""A read-only view of a folder that does not change, where its file system can make one.

The content store reads it in place of the folder: programs need not pause until all is stored.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from ..processes.rooms import room
from ..tasks import in_thread
from .commands import Refused
from .mounts import Mount, is_mounted_below, mount_of, mounts

PLACE = ".gpuquota/frozen"
"""Where a folder has its views while they are read: they must be on its file system."""
_PREFIX = "view-"

_Reduced = tuple[object, tuple[tuple[Any, ...], dict[str, Any]]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A folder as it was at the moment `taken`, in nanoseconds since 1970.

    `atomic` is true if all of its files are of that moment. `device` is that of the folder, whose
    files have the same numbers and times in the view; where they have not, `states` are the
    states of the folder's files by path.
    """

    root: Path
    provider: str
    atomic: bool
    device: int
    taken: int = field(default_factory=time.time_ns)
    states: Mapping[str, os.stat_result] | None = None

    def state(self, path: str, seen: os.stat_result) -> os.stat_result | None:
        """Return the state of the folder's own file, None if it was being written."""
        if self.states is not None:
            return self.states.get(path)
        _, (values, named) = cast("_Reduced", seen.__reduce__())
        return os.stat_result((*values[:2], self.device, *values[3:]), named)


class Provider(Protocol):
    """One way to freeze a folder. All methods block."""

    name: str

    def offers(self, mount: Mount) -> bool:
        """Return whether a folder of this file system may perhaps be frozen."""

    def take(self, folder: Path, place: Path) -> View:
        """Return a view of a folder; `place` is an own folder beside its files.

        Raises Refused, OSError.
        """

    def drop(self, place: Path) -> None:
        """Remove the view that was taken for this place, if any. Raises Refused."""


@asynccontextmanager
async def frozen(folder: Path, providers: Sequence[Provider]) -> AsyncIterator[View | None]:
    """Return a view of a folder by the first provider that can, None if none can.

    Views that killed processes have left behind are removed, too.
    """
    async with AsyncExitStack() as stack:
        try:
            view = await _view(folder.resolve(), providers, stack)
        except OSError as error:
            _log.info("%s is not frozen: %s", folder, error)
            view = None
        yield view


async def _view(folder: Path, providers: Sequence[Provider], stack: AsyncExitStack) -> View | None:
    known = await in_thread(mounts)
    mount = mount_of(folder, known)
    if mount is None or is_mounted_below(folder, known):
        return None  # what is mounted in the folder would be missing
    able = [each for each in providers if each.offers(mount)]
    place = folder / PLACE
    if not able or place.parent.is_symlink() or place.is_symlink():
        return None

    def remove(left: Path) -> None:
        for each in able:
            try:
                each.drop(left)
            except Refused as error:
                _log.warning("A view of %s cannot be removed: %s", folder, error)
        shutil.rmtree(left, ignore_errors=True)

    place.mkdir(parents=True, exist_ok=True)
    stack.callback(_tidy, place)
    own = f"{_PREFIX}{uuid.uuid4().hex}"
    mine = await stack.enter_async_context(room(place / own, _PREFIX, remove))
    for each in able:
        try:
            return await in_thread(each.take, folder, mine)
        except (Refused, OSError) as error:
            _log.info("%s cannot freeze %s: %s", each.name, folder, error)
    return None


def _tidy(place: Path) -> None:
    """Remove the folders of views unless they contain something."""
    with suppress(OSError):
        place.rmdir()
        place.parent.rmdir()
