"""What a restore is told to differ in, before anything is made."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.snapshots import restore
from jupyter_gpuquota.core.snapshots.redaction import LEFT_OUT
from jupyter_gpuquota.core.snapshots.restore import Found
from jupyter_gpuquota.model.snapshots.manifest import (
    EnvironmentPart,
    Manifest,
    PartProblem,
    TreePart,
)
from jupyter_gpuquota.model.snapshots.restore import Original, Restoration, RestoreRequest
from jupyter_gpuquota.model.volumes.mounts import Mount
from tests.builders import NOW, make_session, make_spec

SCANS, OUT = Mount(volume="scans", path="/scans"), Mount(volume="out", path="/out")


def manifest(*mounts: Mount, **fields: object) -> Manifest:
    """Return a manifest of a session with volumes."""
    return Manifest(
        **{
            "session": "s1",
            "name": "exp-1",
            "project": "team-a",
            "owner": "ana",
            "author": "ana",
            "created": datetime(2026, 5, 4, tzinfo=UTC),
            "consistency": "quiesced",
            "spec": replace(make_spec(), volumes=mounts),
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("old", "root", "places"),
    [
        ("/home/ana/exp", "/home/ana", ["/home/ana/new", "/home/ana/new"]),
        ("/data/exp", "/home/ana", ["/data/new", "/home/ana/new"]),
        ("/home/ana", "/home/ana", ["/home/ana/new"]),
        ("/home", "/home/ana", ["/home/ana/new"]),
        ("/", "/home/ana", ["/home/ana/new"]),
        ("/home/ana2", "/home/ana", ["/home/new", "/home/ana/new"]),
        ("/home/ana/exp", "", ["/home/ana/new"]),
    ],
)
def test_a_restored_folder_is_never_beside_the_root_of_the_user(old, root, places) -> None:
    assert restore.places(old, "new", root) == places


def told(found: Manifest, **claims: str) -> tuple[str, ...]:
    return restore.warnings(found, Found(folder="/new", claims=claims))


def test_volumes_without_a_copy_are_said_to_be_used_as_they_are() -> None:
    assert told(manifest(SCANS, OUT)) == ("Volumes are used as they are now: scans, out.",)
    assert told(manifest(SCANS, OUT), out="new-out") == (
        "Volumes are used as they are now: scans.",
    )
    assert told(manifest(OUT), out="new-out") == ()
    assert told(manifest(Mount(host_path="/data", path="/data"))) == ()


def test_what_was_left_out_on_purpose_is_no_lost_part() -> None:
    problems = (
        PartProblem(part="left out:best-*", message="No file matches it."),
        PartProblem(part="git", message="It is broken."),
        PartProblem(part="env:API_KEY", message="It may be a secret."),
    )
    assert told(manifest(problems=problems)) == (
        "These variables are not stored, as they may be secrets: API_KEY.",
        "git: It is broken.",
    )


def test_files_that_may_be_secrets_are_said_to_be_missing() -> None:
    def left_out(*paths: str) -> Manifest:
        problems = [PartProblem(part=f"left out:{path}", message=LEFT_OUT) for path in paths]
        return manifest(problems=tuple(problems))

    said = "These files are not stored, as they may be secrets: .env, a/.netrc."
    assert told(left_out(".env", "a/.netrc")) == (said,)
    (many,) = told(left_out(*(f"{number}.pem" for number in range(12))))
    assert many.endswith("8.pem, 9.pem and 2 more.")


def restored(hours: int = 0, **fields: object) -> Restoration:
    """Return a restore that has ended so many hours ago."""
    known = {"id": "r1", "snapshot": "5a", "owner": "ana", "folder": "/f", "begun": NOW}
    ended = NOW - timedelta(hours=hours)
    return Restoration(**{**known, "state": "done", "updated": ended, **fields})


@pytest.mark.parametrize(
    ("shown", "is_listed", "is_forgotten"),
    [
        (restored(99, state="launching"), True, False),
        (restored(23, state="failed"), True, False),
        (restored(25, state="failed"), False, True),
        (restored(23), True, False),
        (restored(25), False, True),
        (restored(25, session="s2"), False, False),
    ],
)
def test_what_has_ended_is_listed_for_a_day_and_then_only_known_with_a_session(
    shown: Restoration, *, is_listed: bool, is_forgotten: bool
) -> None:
    assert restore.is_listed(shown, NOW) == is_listed
    assert restore.is_forgotten(shown, NOW) == is_forgotten


def test_the_original_is_named_until_it_has_ended() -> None:
    tree = TreePart(folder="/w", lake="main", dataset=".s", version="7e")
    session = make_session("exp-1", owner="ana", folder="/w", state="running")
    found = manifest(session=session.id, tree=tree)
    assert restore.original(found, [session]) == Original(name="exp-1", folder="/w")
    suspended = [replace(session, state="suspended")]
    assert restore.original(replace(found, tree=None), suspended) == Original(name="exp-1")
    assert restore.original(found, [replace(session, state="stopped")]) is None
    assert restore.original(found, [replace(session, owner="bo")]) is None
    assert restore.original(found, []) is None


def test_an_image_by_tag_is_said_to_be_what_the_tag_is_now() -> None:
    def made_from(image: str, digest: str) -> Manifest:
        spec = replace(make_spec(), image=image)
        return manifest(spec=spec, environment=EnvironmentPart(image=image, digest=digest))

    assert told(made_from("ghcr.io/team/torch:2.9", "sha256:ab")) == (
        "The image ghcr.io/team/torch:2.9 is used as its tag is now; "
        "the snapshot was taken with sha256:ab.",
    )
    assert told(made_from("ghcr.io/team/torch@sha256:ab", "sha256:ab")) == ()
    assert told(made_from("ghcr.io/team/torch:2.9", "")) == ()
    assert told(made_from("", "")) == ()


def test_variables_that_were_not_stored_are_told() -> None:
    request = RestoreRequest(variables=True)
    found = restore.problems(manifest(), request, Found(folder="/new", taken=True))
    assert [each.field for each in found] == ["snapshot", "folder", "variables"]
