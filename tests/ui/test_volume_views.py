"""Volumes as text: sizes as they were asked for, and what new ones can be made of."""

from __future__ import annotations

from msgspec.structs import replace

from jupyter_gpuquota.model.volumes.volumes import StorageClass, Volume, VolumeList
from jupyter_gpuquota.ui.views.volumes import VolumesView, VolumeView

SCANS = Volume(name="scans", project="team-a", size=10 << 30, used=1_500_000)


def test_a_volume_has_its_limit_and_what_it_uses() -> None:
    for text in (VolumeView(SCANS).text, VolumesView(VolumeList(items=(SCANS,))).text):
        assert "10 GiB" in text
        assert "1.4 MiB" in text


def test_a_folder_says_whether_its_size_is_enforced() -> None:
    text = VolumeView(SCANS).text
    assert "10 GiB, not enforced" in text
    assert "10 GiB, enforced by the file system" in VolumeView(replace(SCANS, enforced=True)).text
    assert "enforced" not in VolumeView(replace(SCANS, kind="claim", enforced=True)).text


def test_storage_classes_are_listed_where_one_can_choose() -> None:
    fast, slow = StorageClass(name="fast", default=True), StorageClass(name="<slow>")
    view = VolumesView(VolumeList(items=(SCANS,), classes=(fast, slow)))
    assert "Storage classes: fast (default), <slow>." in view.text
    assert "fast (default), &lt;slow&gt;." in view.body
    assert "classes" not in VolumesView(VolumeList(items=(SCANS,), classes=(fast,))).text
