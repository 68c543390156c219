"""Volumes to create, change and delete: what is asked, by whom, and what is told instead."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.volumes import requests, rights, uses
from jupyter_gpuquota.errors import InvalidFields, NameTaken, NotAllowed, NotFound
from jupyter_gpuquota.model.volumes.mounts import VolumeUse
from jupyter_gpuquota.model.volumes.volumes import (
    NewVolume,
    StorageClass,
    Volume,
    VolumeChange,
    VolumeRequest,
)

GIB = 2**30
DISK = StorageClass(name="disk", default=True, expandable=False, modes=("RWO",))
SHARED = StorageClass(name="shared", levels=("gold",), modes=("RWX", "ROX"))
SCANS = Volume(
    name="scans",
    project="team-a",
    owner="ana",
    kind="claim",
    storage_class="disk",
    size=GIB,
    folder="/secret",
    uses=(
        VolumeUse(session="s1", name="exp", project="team-a", owner="li", path="/scans"),
        VolumeUse(session="s2", name="hid", project="team-b", owner="bo", path="/x"),
        VolumeUse(name="loader"),
    ),
)


def person(name: str, role: str = "member", session: str = "") -> Rights:
    roles = {"team-a": role} if role else {}
    return Rights(Caller(name, session=session), roles=roles)


def new(**fields: object) -> NewVolume:
    request = VolumeRequest(**{"name": "data", "project": "team-a", **fields})
    return requests.new_volume(
        request, [SCANS], [DISK, SHARED], ["team-a", "team-b"], person("ana")
    )


def mistakes(**fields: object) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        new(**fields)
    return {each.field: f"{each.message} {each.hint}".strip() for each in caught.value.fields}


def test_what_is_not_asked_is_usual() -> None:
    made = new(project="")
    assert (made.project, made.owner, made.storage_class) == ("team-a", "ana", "disk")
    assert (made.size, made.mode) == (0, "RWO")
    assert new(storage_class="shared", size="10Gi", mode="rox").mode == "ROX"
    assert new(storage_class="shared").mode == "RWX"


def test_every_mistake_is_told_at_once_with_what_would_work() -> None:
    assert mistakes(
        name="My Data",
        project="team-b",
        storage_class="shared",
        size="ten",
        mode="RWO",
        level="iron",
        folder="data",
        source="volume:gone",
        description="two\nlines",
    ) == {
        "name": "Use lowercase letters, digits and hyphens (not first or last), e.g. my-data.",
        "project": "You are not a member of team-b. Yours: team-a.",
        "size": "'ten' is not valid. Use 10Gi or 500Mi.",
        "mode": "'RWO' is not possible. Choose RWX or ROX.",
        "level": "'iron' is not possible. Choose gold.",
        "folder": "A shared folder is not a clone. Leave one of them out.",
        "description": "It is too long, or has several lines. Use one line of at most 1000 "
        "characters.",
        "source": "team-b has no volume gone. It has none.",
    }
    assert mistakes(level="gold") == {"level": "The class disk has no levels. Leave it out."}
    assert "disk or shared" in mistakes(storage_class="tape")["storage_class"]
    with pytest.raises(NameTaken, match="scans"):
        new(name="scans")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (VolumeChange(size="512Mi"), "A volume cannot shrink. Use at least 1Gi."),
        (VolumeChange(size="2Gi"), "Volumes of the class disk cannot grow. Clone it into"),
        (VolumeChange(size="much"), "'much' is not valid. Use 10Gi or 500Mi."),
        (VolumeChange(level="gold"), "The class disk has no levels. Leave it out."),
    ],
)
def test_what_cannot_be_changed_is_told(change: VolumeChange, text: str) -> None:
    with pytest.raises(InvalidFields) as caught:
        requests.changed_size(SCANS, change, [DISK])
    [error] = caught.value.fields
    assert f"{error.message} {error.hint}".startswith(text)


def test_a_folder_shrinks_no_more_than_a_claim_but_may_lose_its_limit() -> None:
    folder = replace(SCANS, kind="folder", storage_class="folder")
    with pytest.raises(InvalidFields, match="cannot shrink"):
        requests.changed_size(folder, VolumeChange(size="512Mi"), [])
    assert requests.changed_size(folder, VolumeChange(size="0"), []) == 0
    assert requests.changed_size(replace(folder, size=0), VolumeChange(size="1Gi"), []) == GIB
    with pytest.raises(InvalidFields, match="cannot shrink"):
        requests.changed_size(SCANS, VolumeChange(size="0"), [])


def test_a_volume_keeps_its_size_or_grows() -> None:
    larger = StorageClass(name="disk")
    assert requests.changed_size(SCANS, VolumeChange(size="2Gi"), [larger]) == 2 * GIB
    assert requests.changed_size(SCANS, VolumeChange(description="x"), [DISK]) is None


@pytest.mark.parametrize(
    ("who", "actions"),
    [
        (person("ana"), {"mount", "change", "delete"}),
        (person("li"), {"mount"}),
        (person("li", "lead"), {"mount", "change", "delete"}),
        (person("li", "viewer"), set()),
        (person("li", ""), set()),
        (person("ana", "", session="s1"), set()),
        (Rights(Caller("root"), admin=True), {"mount", "change", "delete"}),
    ],
)
def test_who_may_do_what(who: Rights, actions: set[str]) -> None:
    assert set(rights.granted(SCANS, who)) == actions
    for action in ("mount", "change", "delete"):
        if action not in actions:
            with pytest.raises(NotAllowed, match="may not"):
                rights.check(action, SCANS, who)


def test_others_are_named_only_to_those_who_may_see_them() -> None:
    shown = rights.find("team-a", "scans", [SCANS], person("li"))
    assert [use.name for use in shown.uses] == ["exp", "a session of team-b", "loader"]
    assert [use.owner for use in shown.uses] == ["li", "", ""]
    assert shown.folder == "/secret"
    assert rights.find("team-a", "scans", [SCANS], person("vi", "viewer")).folder == ""
    problem = uses.in_use(shown)
    assert problem is not None
    assert "exp (li), a session of team-b, loader" in problem.message
    for name, who in (("scans", person("bo", "")), ("none", person("li"))):
        with pytest.raises(NotFound):
            rights.find("team-a", name, [SCANS], who)
