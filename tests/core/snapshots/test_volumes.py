"""Which volumes a snapshot copies, and which ones of two snapshots are the same."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.fields import NAME_LIMIT
from jupyter_gpuquota.core.snapshots import reproduction, requests, volumes
from jupyter_gpuquota.core.snapshots.comparison import compare
from jupyter_gpuquota.core.snapshots.restore import MARGIN, Found, Space, problems
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.snapshots.manifest import (
    LAKE,
    Manifest,
    NotebookPart,
    TreePart,
    VolumePart,
)
from jupyter_gpuquota.model.snapshots.restore import RestoreRequest
from jupyter_gpuquota.model.snapshots.runs import Run
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot, SnapshotRequest
from jupyter_gpuquota.model.volumes.mounts import Mount, VolumeUse
from jupyter_gpuquota.model.volumes.volumes import Volume
from tests.builders import NOW, make_session, make_spec

MOUNTS = (
    Mount(volume="scratch", path="/scratch"),
    Mount(volume="scratch", path="/again"),
    Mount(volume="scans", path="/scans", read_only=True),
    Mount(volume="models", path="/a/models"),
)
SPEC = make_spec(volumes=MOUNTS)
ALL_RUN = NotebookPart(path="a.ipynb", sha256="ab" * 32, cells=2, executed=2)
NOT_RUN = NotebookPart(path="z.ipynb", sha256="ab" * 32, cells=2)


def part(volume: str, path: str, version: str) -> VolumePart:
    tree = TreePart(folder="/v", lake="main", dataset=".v", version=version * 32)
    return VolumePart(volume=volume, path=path, provider=LAKE, handle=tree.version, tree=tree)


def manifest(*parts: VolumePart) -> Manifest:
    return Manifest(
        session="s1",
        name="exp-1",
        project="team-a",
        owner="ana",
        author="ana",
        created=NOW,
        spec=SPEC,
        volumes=parts,
    )


@pytest.mark.parametrize(
    ("wanted", "names"),
    [(None, ["scratch", "models"]), (("models",), ["models"]), ((), [])],
)
def test_all_that_the_session_may_write_are_copied_or_those_that_were_chosen(
    wanted: tuple[str, ...] | None, names: list[str]
) -> None:
    assert [each.volume for each in volumes.copied(SPEC, wanted)] == names
    left = {each.part: each.message.partition(": ")[2] for each in volumes.left_out(SPEC, names)}
    assert left.pop("left out:scans") == "it is mounted read-only."
    assert ("left out:a/models" in left) == ("models" not in names)
    assert set(left.values()) <= {"it was not chosen."}


def test_a_choice_names_volumes_that_the_session_may_write() -> None:
    session = replace(make_session(volumes=MOUNTS, state="running"), started=NOW)
    with pytest.raises(InvalidFields) as caught:
        requests.check(SnapshotRequest(volumes=("models", "scans", "other")), session)
    told = {each.field: each.message for each in caught.value.fields}
    assert told == {
        "volumes[1]": f"scans: the session {session.spec.name} mounts it read-only.",
        "volumes[2]": f"other: the session {session.spec.name} does not mount it.",
    }
    assert {each.hint for each in caught.value.fields} == {"It can copy: scratch, models."}


def test_others_that_work_in_a_volume_are_known() -> None:
    session = make_session(volumes=MOUNTS)
    own = VolumeUse(session=session.id, name="mine", state="running")
    other = VolumeUse(session="s9", name="other", state="running")
    known = [
        Volume(name="scratch", project=session.spec.project, folder="/s", uses=(own, other)),
        Volume(name="models", project="other-team", folder="/m"),
    ]
    scratch, models = volumes.mounted(session, None, known)
    assert (scratch.folder, scratch.path, scratch.writes) == ("/s", "/scratch", True)
    assert (models.folder, models.problem) == ("", "there is no such volume")
    idle = [replace(known[0], uses=(own, replace(other, read_only=True)))]
    assert not volumes.mounted(session, ("scratch",), idle)[0].writes


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        (["crash"], "crash"),
        (["crash", "crash"], "best-effort"),
        (["quiesced", "quiesced"], "quiesced"),
        (["quiesced", "best-effort"], "best-effort"),
    ],
)
def test_parts_of_several_moments_do_not_belong_together(parts, word: str) -> None:
    assert volumes.together(parts) == word


def test_volumes_are_compared_by_name_and_new_ones_with_those_at_their_paths() -> None:
    before = manifest(part("scratch", "/scratch", "1a"), part("models", "/models", "2b"))
    after = manifest(
        part("exp-2-scratch", "/scratch", "3c"),
        part("models", "/elsewhere", "2b"),
        part("new", "/new", "4d"),
    )
    found = compare("a", before, "b", after).volumes
    assert [(each.name, each.before[:2], each.after[:2]) for each in found] == [
        ("new", "", "4d"),
        ("scratch", "1a", "3c"),
    ]


def test_new_volumes_begin_with_the_name_of_their_session() -> None:
    stored = manifest(
        part("scratch", "/scratch", "1a"),
        part("exp-1-out", "/out", "2b"),
        VolumePart(volume="scans", path="/scans"),
    )
    names = volumes.new_names(stored, "exp-2", {"exp-2-out", "exp-2-out-2"})
    assert names == {"scratch": "exp-2-scratch", "exp-1-out": "exp-2-out-3"}
    long = volumes.new_names(stored, "e" * NAME_LIMIT, ())
    assert len(set(long.values())) == len(long)
    assert all(len(name) <= NAME_LIMIT for name in long.values())


def test_a_restored_session_mounts_new_volumes_as_it_had_the_others() -> None:
    made = volumes.mounting(SPEC, {"scratch": "exp-2-scratch"})
    assert [(each.volume, each.path, each.read_only) for each in made.volumes] == [
        ("exp-2-scratch", "/scratch", False),
        ("exp-2-scratch", "/again", False),
        ("scans", "/scans", True),
        ("models", "/a/models", False),
    ]


def test_commands_that_rebuild_a_run_name_its_volumes() -> None:
    stored = manifest(part("scratch", "/scratch", "1a"))
    snapshot = Snapshot(id="5a" * 32, project="team-a", owner="ana", created=NOW)
    lines = reproduction.commands(snapshot, stored)
    assert [line for line in lines if line.startswith("#")] == [
        "# /scratch is the volume exp-1-again-scratch, with the files of scratch",
        "# /again is the volume exp-1-again-scratch, with the files of scratch",
        "# /scans is the volume scans, as it is now",
        "# /a/models is the volume models, as it is now",
    ]


EXECUTE = ("jupyter", "execute", "--inplace")


@pytest.mark.parametrize(
    ("fields", "programs"),
    [
        ({}, ()),
        ({"notebooks": (ALL_RUN, NOT_RUN)}, ((*EXECUTE, "a.ipynb"),)),
        ({"notebooks": (ALL_RUN,), "run": Run(id="1", source="b.ipynb")}, ((*EXECUTE, "b.ipynb"),)),
        ({"notebooks": (ALL_RUN,), "run": Run(id="1", source="b.py")}, (("python", "b.py"),)),
        ({"notebooks": (ALL_RUN,), "run": Run(id="1", source="?")}, ((*EXECUTE, "a.ipynb"),)),
        ({"run": Run(id="1", source="b.py"), "program": ("sh", "c")}, (("sh", "c"),)),
        ({"program": ("sh", "c"), "spec": make_spec(command=("sh", "d"))}, ()),
    ],
)
def test_a_run_is_made_again_by_what_made_it(fields, programs) -> None:
    assert reproduction.programs(replace(manifest(), **fields)) == programs


def test_room_is_needed_on_each_file_system() -> None:
    spaces = (Space("/new", 10, 2 * MARGIN), Space("/volumes/v", MARGIN, 2 * MARGIN - 1))
    found = problems(manifest(), RestoreRequest(), Found(folder="/new", spaces=spaces))
    assert [each.message[:10] for each in found if each.field == "folder"] == ["/volumes/v"]
