"""Volumes as folders: nothing that is there already is replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.control.volumes.store import VolumeRecord
from jupyter_gpuquota.errors import NameTaken
from jupyter_gpuquota.local.volumes.store import FolderVolumes
from tests.builders import UNREADABLE

SCANS = VolumeRecord(name="scans", project="team-a", size=1 << 20)


def test_a_volume_does_not_take_the_place_of_another(tmp_path: Path) -> None:
    volumes = FolderVolumes(tmp_path)
    volumes.add(SCANS)
    with pytest.raises(NameTaken):
        volumes.add(SCANS)
    assert list(volumes.load()) == [SCANS]


def test_a_volume_does_not_take_the_place_of_an_empty_folder(tmp_path: Path) -> None:
    volumes = FolderVolumes(tmp_path)
    volumes.add(SCANS)
    (found,) = tmp_path.glob("volumes/*/scans")
    other = found.with_name("other")
    other.mkdir()
    with pytest.raises(NameTaken, match="exists already"):
        volumes.add(VolumeRecord(name="other", project="team-a", size=1 << 20))
    assert list(other.iterdir()) == []
    assert sorted(each.name for each in found.parent.iterdir()) == ["other", "scans"]


@pytest.mark.parametrize("body", UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_record_that_cannot_be_read_is_named_and_hides_no_other(
    tmp_path: Path, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    volumes = FolderVolumes(tmp_path)
    volumes.add(SCANS)
    volumes.add(VolumeRecord(name="other", project="team-a", size=1 << 20))
    (found,) = tmp_path.glob("volumes/*/other")
    (found / "volume.json").write_bytes(body)
    assert list(volumes.load()) == [SCANS]
    assert str(found) in caplog.text
