"""What a restore into folders needs for its next steps."""

from __future__ import annotations

import msgspec

from ...model.sessions import SessionSpec
from ...model.snapshots.manifest import TreePart
from ...model.snapshots.restore import Restoration
from ..volumes.store import VolumeRecord


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """The files to restore: a version in a lake, and the new `folder` that gets them.

    `variables` of a kernel are restored if they are wanted.
    """

    lake: str
    dataset: str
    version: str
    folder: str
    size: int = 0
    variables: bool = False


def tree_of(part: TreePart, folder: str, *, variables: bool = False) -> Tree:
    """Return a stored tree as it is restored to a folder."""
    return Tree(
        lake=part.lake,
        dataset=part.dataset,
        version=part.version,
        size=part.size,
        variables=variables,
        folder=folder,
    )


class NewVolume(msgspec.Struct, frozen=True, kw_only=True):
    """A volume to make of the files of a tree."""

    record: VolumeRecord
    tree: Tree


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One restore, with what its next steps need."""

    shown: Restoration
    tree: Tree | None
    spec: SessionSpec | None = None
    volumes: tuple[NewVolume, ...] = ()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Everything that is written."""
        own = (self.tree,) if self.tree else ()
        return (*own, *(each.tree for each in self.volumes))
