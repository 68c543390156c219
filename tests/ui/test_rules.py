"""What holds for all projects, and node groups, in the words of a shell and a notebook."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_gpuquota import AsyncClient
from jupyter_gpuquota.errors import InvalidFields, InvalidRequest, NotAllowed, NotFound
from jupyter_gpuquota.ui.actions import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.client.inmemory import InMemory


@pytest.fixture
def gpu(client, screen):
    def gpu(line: str):
        return run(client, parse(split_line(line), terminal=True), screen)

    return gpu


def test_rules_are_shown_and_changed_one_by_one(gpu, backend):
    assert "60 s to save" in gpu("rules").text
    changed = gpu("rules --grace 2m --consolidate yes")
    assert "120 s to save" in changed.text
    assert "sessions may be moved" in changed.text
    assert (backend.inventory.rules().grace, backend.inventory.rules().min_runtime) == (120, 0)
    assert gpu("rules --min-runtime 5m").data.grace == 120
    assert gpu("rules").records[0]["min_runtime"] == 300


def test_a_rule_that_cannot_be_is_refused(gpu):
    with pytest.raises(InvalidFields) as caught:
        gpu("rules --grace soon --min-runtime -1")
    assert {field.field for field in caught.value.fields} == {"grace", "min_runtime"}


def test_groups_are_set_and_deleted(gpu, client):
    assert gpu("groups list").text == "There are no node groups."
    assert "dgx1-2" in gpu("groups set shared dgx1-2 --separate").text
    gpu("groups set all dgx1-1 dgx1-2")
    found = gpu("groups")
    assert [row["group"] for row in found.records] == ["shared", "all"]
    assert "<table" in found.html
    gpu("groups delete shared")
    assert [group.name for group in client.node_groups.list().items] == ["all"]
    with pytest.raises(NotFound):
        gpu("groups delete shared")


def test_rules_are_tried_without_being_set(gpu, client, backend):
    for name, team in (("loan", "team-b"), ("train", "team-a")):
        client.sessions.submit(name, project=team, kind="train", gpu=4, command=["true"])
    tried = gpu("rules --grace 2m --min-runtime 1h --dry-run")
    assert "2 sessions would not have run long enough to be made to leave" in tried.text
    assert "2 sessions would have 120 s to end, instead of 60 s" in tried.html
    assert [row["project"] for row in tried.records] == ["team-a", "team-b"]
    assert (backend.inventory.rules().grace, backend.inventory.rules().min_runtime) == (60, 0)
    with pytest.raises(InvalidFields) as caught:
        gpu("rules --grace soon --min-runtime -1 --dry-run")
    assert {field.field for field in caught.value.fields} == {"rules.grace", "rules.min_runtime"}


def test_groups_are_tried_without_being_set(gpu, client, backend):
    gpu("groups set big dgx1-1 dgx1-2")
    tried = gpu("groups delete big --dry-run")
    assert tried.text == "Nothing would change at once for the sessions that there are."
    client.projects.put("team-a", node_affinity={"train": ["big"]})
    client.sessions.submit("first", kind="train", gpu=4, project="team-a", command=["true"])
    with pytest.raises(InvalidFields, match="not acceptable") as caught:
        gpu("groups delete big --dry-run")
    assert "team-a may run on the group big only" in caught.value.fields[0].message
    gpu("groups set big --separate --dry-run")
    assert [g.nodes for g in backend.administration.groups().items] == [("dgx1-1", "dgx1-2")]
    with pytest.raises(InvalidFields) as caught:
        gpu("groups set Small nowhere --dry-run")
    assert [f.field for f in caught.value.fields] == ["groups[1].name", "groups[1].nodes[0]"]
    with pytest.raises(NotFound):
        gpu("groups delete shared --dry-run")


def test_a_notebook_tries_in_the_same_words(client, screen, backend):
    for line in ("rules --consolidate yes --dry-run", "groups set big dgx1-1 --dry-run"):
        view = run(client, parse(split_line(line), terminal=False), screen)
        assert "<p>Nothing would change" in view.html
    assert (backend.inventory.rules().consolidate, backend.administration.groups().items) == (
        False,
        (),
    )


def test_a_group_without_nodes_shows_who_would_wait(gpu, client):
    gpu("groups set big dgx1-1")
    client.projects.put("team-b", node_affinity={"train": ["big"]})
    for name in ("first", "second", "third"):
        client.sessions.submit(name, kind="train", gpu=8, project="team-b", command=["true"])
    client.sessions.stop("first")
    tried = gpu("groups set big --dry-run")
    assert "third (team-b) could not start any more at all: " in tried.text


@pytest.mark.parametrize(
    "line",
    [
        "groups set",
        "groups list x",
        "groups delete x dgx1-1",
        "groups list --dry-run",
        "rules --dry-run",
    ],
)
def test_words_that_do_not_go_together_are_refused(gpu, line):
    with pytest.raises(InvalidRequest):
        gpu(line)


def test_who_is_no_admin_is_told(gpu, transport):
    transport.user = "ben"
    changes = ("rules --grace 5", "groups set all dgx1-1")
    for line in (*changes, *(f"{change} --dry-run" for change in changes)):
        with pytest.raises(NotAllowed):
            gpu(line)


def test_the_same_for_coroutines(backend):
    async def work():
        client = AsyncClient(transport=InMemory(backend))
        await client.node_groups.put("all", ["dgx1-1"])
        await client.node_groups.preview("all", deleted=True)
        await client.rules.preview(grace=9)
        return await client.rules.put(grace=5), await client.node_groups.list()

    rules, groups = asyncio.run(work())
    assert rules.grace == 5
    assert groups.items[0].nodes == ("dgx1-1",)
