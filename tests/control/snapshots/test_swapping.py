"""Folder and volumes are replaced together, or not at all."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.control.snapshots.journal import Record, ReplacedVolume, Swap, Tree
from jupyter_gpuquota.control.snapshots.swapping import Swapping
from jupyter_gpuquota.control.volumes.store import VolumeRecord
from jupyter_gpuquota.errors import Conflict, StorageFailed
from jupyter_gpuquota.memory.snapshots import MemoryFolders
from jupyter_gpuquota.model.snapshots.restore import Restoration, RestoreState

TREE = Tree(lake="main", dataset="d", version="v", folder="/v/new.filling/.restored")
BEFORE = {"/w", "/w-new", "/v/files", "/v/new"}
AFTER = {"/w", "/w-old", "/v/files", "/v/old"}


class StuckFolders(MemoryFolders):
    """Folders of which one cannot get a name, as if it were a mount point."""

    def __init__(self, names: set[str], stuck: str) -> None:
        super().__init__()
        self.names = set(names)
        self._stuck = stuck

    def rename(self, folder: str, to: str) -> None:
        """Rename a folder."""
        if to == self._stuck:
            raise StorageFailed(f"{folder} cannot be renamed.")
        super().rename(folder, to)


def record(state: RestoreState) -> Record:
    now = datetime(2026, 5, 4, tzinfo=UTC)
    shown = Restoration(
        id="r1",
        snapshot="s1",
        owner="ana",
        state=state,
        folder="/w-new",
        place="/w",
        kept="/w-old",
        begun=now,
        updated=now,
    )
    volume = ReplacedVolume(
        record=VolumeRecord(name="v", project="p"),
        tree=TREE,
        swap=Swap(place="/v/files", folder="/v/new", kept="/v/old"),
    )
    return Record(shown=shown, tree=TREE, replaced=(volume,))


@pytest.mark.parametrize(
    ("state", "names", "stuck"),
    [("replacing", BEFORE, "/v/old"), ("undoing", AFTER, "/v/new")],
)
def test_what_was_renamed_before_a_failure_is_put_back(
    state: RestoreState, names: set[str], stuck: str
) -> None:
    folders = StuckFolders(names, stuck)
    with pytest.raises(StorageFailed):
        Swapping(folders).swap(record(state))
    assert folders.names == names


def test_nothing_is_renamed_if_a_folder_is_lost() -> None:
    folders = StuckFolders({*BEFORE, "/v/old"}, "")
    with pytest.raises(Conflict, match="not as they were left"):
        Swapping(folders).swap(record("replacing"))
    assert folders.names == {*BEFORE, "/v/old"}


def test_all_are_replaced_then_put_back_then_removed() -> None:
    folders = StuckFolders(BEFORE, "")
    swapping = Swapping(folders)
    swapping.swap(record("replacing"))
    assert folders.names == AFTER
    swapping.swap(record("undoing"))
    assert folders.names == BEFORE
    swapping.swap(record("replacing"))
    assert not swapping.is_confirmed(record("replaced"))
    swapping.remove_kept(record("replaced"))
    assert folders.names == {"/w", "/v/files"}
    assert swapping.is_confirmed(record("replaced"))
