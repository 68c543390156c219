"""Who may do what with a dataset: one table of roles and grants."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.access import Caller, Rights, Role
from jupyter_gpuquota.core.datasets import rights as data_rights
from jupyter_gpuquota.errors import NotAllowed, NotFound
from jupyter_gpuquota.model.datasets.datasets import Dataset, DatasetAction
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.messages.build import reason
from tests.builders import make_session

ALL: tuple[DatasetAction, ...] = ("see", "cache", "write", "remove")


def dataset(**more: object) -> Dataset:
    base: dict[str, object] = {
        "name": "faces",
        "lake": "local",
        "project": "team-a",
        "owner": "ana",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Dataset(**(base | more))


def rights(name: str = "li", session: str = "", *, admin: bool = False, **roles: Role) -> Rights:
    named = {project.replace("_", "-"): role for project, role in roles.items()}
    return Rights(Caller(name, session=session), admin, named)


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        (rights(), ()),
        (rights(team_a="viewer"), ("see",)),
        (rights(team_a="member"), ("see", "cache", "write")),
        (rights(team_a="lead"), ALL),
        (rights("ana", team_a="member"), ALL),
        (rights("ana"), ()),
        (rights(team_b="viewer"), ("see",)),
        (rights(team_b="lead"), ("see", "cache")),
        (rights(team_c="member"), ("see", "cache", "write")),
        (rights(team_d="lead"), ()),
        (rights(admin=True), ALL),
        (rights("ana", session="s1", team_a="lead"), ()),
    ],
)
def test_roles(who: Rights, allowed: tuple[DatasetAction, ...]) -> None:
    found = dataset(readers=("team-b",), writers=("team-c",))
    assert data_rights.granted(found, who) == allowed


def test_everyone_may_read_what_is_open_to_all_projects() -> None:
    found = dataset(readers=("*",))
    assert data_rights.granted(found, rights()) == ("see",)
    assert data_rights.granted(found, rights(team_d="member")) == ("see", "cache")
    assert data_rights.granted(found, rights(team_d="viewer")) == ("see",)


def test_what_one_may_not_see_is_not_found_like_what_does_not_exist() -> None:
    hidden = [dataset()]
    texts = []
    for name in ("faces", "nothing"):
        with pytest.raises(NotFound) as caught:
            data_rights.find(name, hidden, rights())
        texts.append(str(caught.value).replace(name, "X"))
    assert texts[0] == texts[1]


def test_refusals_say_who_may() -> None:
    with pytest.raises(NotAllowed, match="You may not tag faces") as caught:
        data_rights.check("write", dataset(), rights(team_a="viewer"), "tag")
    assert "members of team-a" in caught.value.hint


def test_a_session_of_others_does_not_name_datasets_that_one_does_not_see() -> None:
    seen, hidden = dataset(name="open", readers=("*",)), dataset()
    mounts = tuple(DataMount(dataset=each.name, version="ab" * 32) for each in (seen, hidden))
    waits = reason("DataPending", "data.fetching", data="faces@good", done=43)
    session = replace(make_session(owner="ana", project="team-a", data=mounts), reason=waits)
    shown = data_rights.session(session, [seen, hidden], rights("li", team_a="member"))
    assert shown == session  # team-a sees both
    shown = data_rights.session(session, [seen, hidden], rights("li"))
    assert [each.dataset for each in shown.spec.data] == ["open"]
    assert shown.reason == reason("DataPending", "data.hidden")
    other = replace(session, reason=reason("DataPending", "data.waiting", data="open"))
    assert data_rights.session(other, [seen, hidden], rights("li")).reason == other.reason
    for who in (rights("ana"), rights(admin=True), rights("li", session=session.id)):
        assert data_rights.session(session, [seen, hidden], who) == session
