"""What `snapshot show` and `snapshot confirm` say."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.registry import entry_of
from jupyter_gpuquota.model.snapshots.manifest import (
    FilePart,
    GitPart,
    KernelPart,
    Manifest,
    TreePart,
    VolumePart,
)
from jupyter_gpuquota.model.snapshots.restore import Restoration
from jupyter_gpuquota.model.snapshots.runs import Run
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotDetails, SnapshotList
from jupyter_gpuquota.ui.views import snapshots as views
from tests.builders import NOW, make_spec

TREE = TreePart(folder="/f", lake="main", dataset=".s", version="7e" * 32, files=2, size=2048)
FROZEN = replace(TREE, provider="btrfs", mechanism="instant")
CLAIM = VolumePart(
    volume="scans", provider="csi", handle="ns/s", consistency="crash", mechanism="instant"
)
MANIFEST = Manifest(
    session="s1",
    name="exp-1",
    project="team-a",
    owner="ana",
    author="ana",
    created=NOW,
    spec=make_spec(),
    tree=TREE,
)


def shown(**fields: object) -> str:
    manifest = replace(MANIFEST, **fields)
    snapshot = entry_of("main", "5a" * 32, manifest).snapshot
    return views.details(SnapshotDetails(snapshot=snapshot, manifest=manifest)).text


@pytest.mark.parametrize(
    ("fields", "mechanism", "providers"),
    [
        ({}, "copy", ("lake",)),
        ({"tree": FROZEN}, "instant", ("lake", "btrfs")),
        ({"tree": None, "volumes": (CLAIM,)}, "instant", ("csi",)),
        ({"tree": TREE, "volumes": (CLAIM,)}, "copy", ("lake", "csi")),
        ({"tree": None, "volumes": (CLAIM, replace(CLAIM, mechanism="copy"))}, "copy", ("csi",)),
        ({"tree": None}, "copy", ()),
    ],
)
def test_it_is_listed_what_has_stored_a_snapshot_and_whether_at_once(
    fields: dict[str, object], mechanism: str, providers: tuple[str, ...]
) -> None:
    snapshot = entry_of("main", "5a" * 32, replace(MANIFEST, **fields)).snapshot
    assert (snapshot.mechanism, snapshot.providers) == (mechanism, providers)
    listed = views.SnapshotsView(SnapshotList(items=(snapshot,))).text
    assert "STORED BY" in listed
    assert (", ".join(providers) or "-") in listed


def test_every_part_is_shown() -> None:
    text = shown(
        tree=FROZEN,
        volumes=(CLAIM, VolumePart(volume="home")),
        logs=(FilePart(path=".gpuquota/snapshot/log.txt", size=1024, sha256="0"),),
        kernel=KernelPart(provider="pickle", names=("weights", "step")),
        run=Run(id="r1", name="bold-crane", params={"lr": "0.1"}),
        program=("python", "train.py", "two words"),
    )
    lines = dict(line.split(maxsplit=1) for line in text.splitlines())
    assert {name: lines[f"{name}:"] for name in PARTS} == PARTS
    assert "read one by one" in shown()
    assert "code main (no commit) with changes" in shown(
        git=(GitPart(folder="code", branch="main", dirty=True),)
    )


PARTS = {
    "files": "2 files, 2 KiB, frozen by btrfs",
    "volumes": "scans (csi, at once, crash), home (recorded, not stored)",
    "log": ".gpuquota/snapshot/log.txt, 1 KiB",
    "variables": "weights, step",
    "run": "bold-crane lr=0.1",
    "program": "python train.py 'two words'",
}


@pytest.mark.parametrize(
    ("kept", "said", "confirmed"),
    [
        ("work", "Its own are kept (work): snapshot undo r1", "Removed work, the original of exp."),
        ("", "To mount its own again: snapshot undo r1.", "Forgot the restore r1."),
    ],
)
def test_replaced_volumes_say_where_the_originals_are(kept: str, said: str, confirmed: str) -> None:
    restore = Restoration(
        id="r1",
        snapshot="5a",
        owner="ana",
        state="replaced",
        folder="",
        place="exp",
        replaces="s1",
        kept=kept,
        begun=NOW,
        updated=NOW,
    )
    assert views.restored_text(restore).startswith("exp mounts the volumes of the snapshot.")
    assert said in views.restored_text(restore)
    assert views.confirmed_text(restore) == confirmed


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("replaced", "Removed /f.before-1, the original of /f."),
        ("done", "Forgot the restore r1. /f-r1 stays."),
        ("failed", "Forgot the restore r1."),
    ],
)
def test_confirming_says_what_was_removed(state: str, said: str) -> None:
    restore = Restoration(
        id="r1",
        snapshot="5a",
        owner="ana",
        state=state,
        folder="/f-r1",
        place="/f",
        kept="/f.before-1",
        begun=NOW,
        updated=NOW + timedelta(minutes=1),
    )
    assert views.confirmed_text(restore) == said
