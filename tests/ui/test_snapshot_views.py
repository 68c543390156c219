"""What `snapshot show` and `snapshot restore` say."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.registry import entry_of
from jupyter_gpuquota.model.snapshots.manifest import (
    FilePart,
    GitPart,
    KernelPart,
    Manifest,
    PartProblem,
    TreePart,
    VolumePart,
)
from jupyter_gpuquota.model.snapshots.restore import Original, Restoration, RestorePlan
from jupyter_gpuquota.model.snapshots.runs import Run
from jupyter_gpuquota.model.snapshots.snapshots import (
    LeftOut,
    SnapshotDetails,
    SnapshotList,
    SnapshotPreview,
)
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


def restored(**fields: object) -> Restoration:
    known = {"id": "r1", "snapshot": "5a" * 32, "owner": "ana", "begun": NOW, "updated": NOW}
    return Restoration(**{**known, "state": "done", "folder": "/f-r1", "name": "exp-r1", **fields})


FOLDER = "/f-r1 has the files of 5a5a5a5a5a5a; the session exp-r1 works there."
CLAIMS = "New volumes have the files of 5a5a5a5a5a5a: w-1. The session exp-r1 mounts them."


@pytest.mark.parametrize(
    ("restore", "said"),
    [
        (restored(), FOLDER),
        (
            restored(original=Original(name="exp", folder="/a b")),
            f"{FOLDER} To go on with it instead of exp: `jupyter gpu stop exp`, "
            "then keep /a b or move it: `mv '/a b' '/a b.old'`.",
        ),
        (
            restored(original=Original(name="exp", folder="/")),
            f"{FOLDER} To go on with it instead of exp: `jupyter gpu stop exp`. "
            "Its folder has the new one in it.",
        ),
        (
            restored(original=Original(name="exp"), folder="", volumes=("w-1",)),
            f"{CLAIMS} To go on with it instead of exp: `jupyter gpu stop exp`, "
            "then keep its volumes or delete them: `jupyter gpu volume delete NAME`.",
        ),
        (restored(state="fetching"), "Restoring into /f-r1: fetching."),
    ],
)
def test_a_restore_names_the_steps_that_follow_while_the_original_goes_on(
    restore: Restoration, said: str
) -> None:
    view = views.RestoreView(restore)
    assert view.text == said
    assert ("%gpu stop exp" in view.body) == ("gpu stop" in said)


def test_a_plan_names_the_steps_that_would_follow() -> None:
    plan = RestorePlan(snapshot="5a", folder="/f-r1", original=Original(name="exp", folder="/f"))
    view = views.plan(plan)
    assert view.text.endswith("`jupyter gpu stop exp`, then keep /f or move it: `mv /f /f.old`.")
    assert "`%gpu stop exp`" in view.body


CACHE, SECRET = "Caches are not stored.", "It is a file of credentials or keys."


def test_what_a_snapshot_left_out_is_said_by_reason() -> None:
    caches = [PartProblem(part=f"left out:{name}", message=CACHE) for name in "abcde"]
    problems = (
        *caches,
        PartProblem(part="left out:key\n", message=SECRET),
        PartProblem(part="left out", message="4 more paths, not named here."),
        PartProblem(part="git", message="It is broken."),
    )
    assert views.left_out(replace(MANIFEST, problems=problems)) == [
        "Left out:",
        f"  a, b, c and 2 more: {CACHE}",
        rf"  key\n: {SECRET}",
        "  4 more paths, not named here.",
    ]
    assert views.left_out(MANIFEST) == []
    assert views.left_out(None) == []


def test_parts_that_are_missing_or_torn_are_said_with_the_reason() -> None:
    said = [
        ("kernel", "The session has no kernel with variables."),
        ("left out:.cache", CACHE),
        ("left out", "4 more paths, not named here."),
        ("written:log", "It was written meanwhile."),
        ("torn:a.db\n", "It is locked."),
    ]
    problems = tuple(PartProblem(part=part, message=why) for part, why in said)
    assert views.remarks(replace(MANIFEST, problems=problems)) == [
        "Not stored, or with remarks:",
        "  kernel: The session has no kernel with variables.",
        r"  torn:a.db\n: It is locked.",
    ]
    many = tuple(PartProblem(part=f"git:{n}", message="It is broken.") for n in range(5))
    assert views.remarks(replace(MANIFEST, problems=many))[-1] == "  2 more"
    assert views.remarks(MANIFEST) == views.remarks(None) == []


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (SnapshotPreview(files=1, size=2048), ["1 file, 2 KiB."]),
        (
            SnapshotPreview(files=1200, size=2048, complete=False),
            ["More than 1,200 files, 2 KiB."],
        ),
        (SnapshotPreview(), ["How much would be stored is not known before."]),
        (
            SnapshotPreview(
                files=0, size=0, left_out=(LeftOut(path=".cache", why=CACHE),), all_left_out=8
            ),
            ["0 files, 0 B.", "Left out:", f"  .cache: {CACHE}", "  7 more"],
        ),
    ],
)
def test_a_preview_says_how_much_would_be_stored(found: SnapshotPreview, lines: list[str]) -> None:
    assert views.preview(found).text.splitlines() == lines
