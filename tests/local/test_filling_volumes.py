"""Volumes that a restore fills appear as a whole, wherever it was killed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from jupyter_gpuquota.control.volumes.store import VolumeRecord
from jupyter_gpuquota.errors import NameTaken
from jupyter_gpuquota.local.datasets import FillingVolumes
from jupyter_gpuquota.local.volumes.store import FolderVolumes
from tests.builders import NOW

RECORD = VolumeRecord(name="exp-2-scratch", project="team.a", owner="ana", created=NOW)
ORDER = "0f" * 8


def filled(home: Path) -> tuple[FillingVolumes, Path]:
    """Begin a volume, and write its files."""
    filling = FillingVolumes(home)
    filling.begin(RECORD, ORDER)
    filling.begin(RECORD, ORDER)
    folder = Path(filling.folder(RECORD, ORDER))
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "weights").write_text("first")
    (folder / ".hidden").write_text("too")
    return filling, folder


def files(home: Path) -> dict[str, str]:
    root = Path(FolderVolumes(home).folder(RECORD))
    return {
        str(each.relative_to(root)): each.read_text() for each in root.rglob("*") if each.is_file()
    }


WHOLE = {"a/weights": "first", ".hidden": "too"}


def test_it_is_a_volume_once_it_is_complete(tmp_path: Path) -> None:
    filling, _ = filled(tmp_path)
    assert list(FolderVolumes(tmp_path).load()) == []
    filling.complete(RECORD, ORDER)
    filling.complete(RECORD, ORDER)
    assert list(FolderVolumes(tmp_path).load()) == [RECORD]
    assert files(tmp_path) == WHOLE
    assert not list(tmp_path.rglob(".restored"))


@pytest.mark.parametrize("moved", [("a",), ("a", ".hidden")])
def test_whoever_was_killed_while_files_were_moved_goes_on(
    tmp_path: Path, moved: tuple[str, ...]
) -> None:
    filling, folder = filled(tmp_path)
    for name in moved:
        (folder / name).rename(folder.parent / name)
    filling.complete(RECORD, ORDER)
    assert files(tmp_path) == WHOLE


def test_a_volume_of_this_name_stays_as_it_is(tmp_path: Path) -> None:
    filling, folder = filled(tmp_path)
    FolderVolumes(tmp_path).add(RECORD)
    with pytest.raises(NameTaken):
        filling.complete(RECORD, ORDER)
    assert files(tmp_path) == {}
    assert folder.is_dir()


def test_what_belongs_to_no_restore_is_removed(tmp_path: Path) -> None:
    filling, folder = filled(tmp_path)
    filling.keep_only({ORDER})
    assert folder.is_dir()
    filling.keep_only(())
    assert not folder.parent.parent.exists()
    shutil.rmtree(tmp_path / "volumes")
    filling.keep_only(())
