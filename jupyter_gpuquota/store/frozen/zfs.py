"""Snapshots of ZFS datasets: see zfs-snapshot(8), zfs-destroy(8) and zfs-allow(8)."""

from __future__ import annotations

import os
import pwd
from collections.abc import Collection
from grp import getgrgid
from pathlib import Path

from .commands import Commands, Refused
from .mounts import Mount
from .views import View

_NEEDED = frozenset({"snapshot", "destroy", "mount"})
"""What an account must be allowed; zfs-allow(8): the first two need the third."""
_NAMES = {"user": 2, "group": 2, "everyone": 1}
"""The words before the permissions, by whom they are granted to."""


class Zfs:
    """Freezes folders of ZFS, with the program `zfs`."""

    name = "zfs"

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def offers(self, mount: Mount) -> bool:
        """Return whether this is ZFS, and its program installed."""
        return mount.kind == "zfs" and self._commands.has("zfs")

    def take(self, folder: Path, mount: Mount, place: Path) -> View:
        """Return a snapshot of the folder's dataset. Raises Refused, OSError."""
        if os.geteuid():
            who = pwd.getpwuid(os.geteuid()).pw_name
            groups = {getgrgid(each).gr_name for each in os.getgroups()}
            granted = allowed(self._commands.run(permissions(mount.source)), who, groups)
            if missing := sorted(_NEEDED - granted):
                raise Refused(f"zfs allow does not grant {', '.join(missing)} on {mount.source}.")
        self._commands.run(snapshot(mount.source, place.name))
        root = _seen(mount, place) / folder.relative_to(mount.point)
        if not root.is_dir():  # this mounts it
            raise Refused(f"{root} cannot be read.")
        return View(root=root, provider=self.name, atomic=True, device=folder.stat().st_dev)

    def drop(self, mount: Mount, place: Path) -> None:
        """Remove the snapshot. Raises Refused."""
        if _seen(mount, place).is_dir():
            self._commands.run(destroy(mount.source, place.name))


def snapshot(dataset: str, name: str) -> list[str]:
    """Return the command that takes a snapshot."""
    return ["zfs", "snapshot", _named(dataset, name)]


def destroy(dataset: str, name: str) -> list[str]:
    """Return the command that removes a snapshot."""
    return ["zfs", "destroy", _named(dataset, name)]


def permissions(dataset: str) -> list[str]:
    """Return the command that lists who may do what with a dataset."""
    return ["zfs", "allow", dataset]


def allowed(text: str, user: str, groups: Collection[str]) -> frozenset[str]:
    """Return what `zfs allow DATASET` says that a user may do with the dataset itself.

    Sets of permissions (`@name`) and grants for descendants only are passed over.
    """
    found: set[str] = set()
    counts = False
    for line in text.splitlines():
        words = line.split()
        if not line[:1].isspace():
            counts = line.startswith("Local")
            continue
        if not counts or not words or len(words) <= _NAMES.get(words[0], len(words)):
            continue
        is_ours = {
            "user": words[1] == user,
            "group": words[1] in groups,
            "everyone": True,
        }
        if is_ours[words[0]]:
            found.update(words[_NAMES[words[0]]].split(","))
    return frozenset(found)


def _named(dataset: str, name: str) -> str:
    return f"{dataset}@gpuquota-{name}"


def _seen(mount: Mount, place: Path) -> Path:
    """Return where a snapshot can be read, also where `.zfs` is not listed (`snapdir`)."""
    return mount.point / ".zfs" / "snapshot" / f"gpuquota-{place.name}"
