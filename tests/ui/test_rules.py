"""Scheduling rules and node groups, in shells and notebooks."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.errors import InvalidFields, InvalidRequest, NotAllowed, NotFound
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line


@pytest.fixture
def gpu(client, console):
    def gpu(line: str):
        return run(client, parse(split_line(line), terminal=True), console)

    return gpu


def test_rules_are_shown_and_changed_one_by_one(gpu, backend):
    assert "time to save:  60 s" in gpu("project rules").text
    changed = gpu("project rules --grace 2m --consolidate yes")
    assert "time to save:  120 s" in changed.text
    assert "consolidate:   on" in changed.text
    assert (backend.inventory.rules().grace, backend.inventory.rules().min_runtime) == (120, 0)
    assert gpu("project rules --min-runtime 5m").data.grace == 120
    assert gpu("project rules").records[0]["min_runtime"] == 300


def test_an_invalid_rule_is_refused(gpu):
    with pytest.raises(InvalidFields) as caught:
        gpu("project rules --grace soon --min-runtime -1")
    assert {field.field for field in caught.value.fields} == {"grace", "min_runtime"}


def test_groups_are_set_and_deleted(gpu, client):
    assert gpu("project groups list").text == "No node groups."
    assert "dgx1-2" in gpu("project groups set shared dgx1-2 --separate").text
    gpu("project groups set all dgx1-1 dgx1-2")
    found = gpu("project groups")
    assert [row["group"] for row in found.records] == ["shared", "all"]
    assert "<table" in found.html
    gpu("project groups delete shared")
    assert [group.name for group in client.node_groups.list().items] == ["all"]
    with pytest.raises(NotFound):
        gpu("project groups delete shared")


def test_rules_are_tried_without_being_set(gpu, client, backend):
    for name, team in (("loan", "team-b"), ("train", "team-a")):
        client.sessions.submit(name, project=team, kind="train", gpu=4, command=["true"])
    tried = gpu("project rules --grace 2m --min-runtime 1h --dry-run")
    assert "2 sessions would still be protected by their minimum run time" in tried.text
    assert "2 sessions would have 2 min instead of 1 min to save when preempted" in tried.html
    assert [row["project"] for row in tried.records] == ["team-a", "team-b"]
    assert (backend.inventory.rules().grace, backend.inventory.rules().min_runtime) == (60, 0)
    with pytest.raises(InvalidFields) as caught:
        gpu("project rules --grace soon --min-runtime -1 --dry-run")
    assert {field.field for field in caught.value.fields} == {"rules.grace", "rules.min_runtime"}


def test_groups_are_tried_without_being_set(gpu, client, backend):
    gpu("project groups set big dgx1-1 dgx1-2")
    tried = gpu("project groups delete big --dry-run")
    assert tried.text == "No immediate effect on current sessions."
    client.projects.put("team-a", node_affinity={"train": ["big"]})
    client.sessions.submit("first", kind="train", gpu=4, project="team-a", command=["true"])
    with pytest.raises(InvalidFields, match=r"^1 invalid field\.") as caught:
        gpu("project groups delete big --dry-run")
    assert "team-a may run on the group big only" in caught.value.fields[0].message
    gpu("project groups set big --separate --dry-run")
    assert [g.nodes for g in backend.administration.groups().items] == [("dgx1-1", "dgx1-2")]
    with pytest.raises(InvalidFields) as caught:
        gpu("project groups set Small nowhere --dry-run")
    assert [f.field for f in caught.value.fields] == ["groups[1].name", "groups[1].nodes[0]"]
    with pytest.raises(NotFound):
        gpu("project groups delete shared --dry-run")


def test_a_notebook_tries_rules_and_groups(client, console, backend):
    for line in (
        "project rules --consolidate yes --dry-run",
        "project groups set big dgx1-1 --dry-run",
    ):
        view = run(client, parse(split_line(line), terminal=False), console)
        assert "<p>No immediate effect" in view.html
    assert (backend.inventory.rules().consolidate, backend.administration.groups().items) == (
        False,
        (),
    )


def test_a_group_without_nodes_shows_who_would_be_queued(gpu, client):
    gpu("project groups set big dgx1-1")
    client.projects.put("team-b", node_affinity={"train": ["big"]})
    for name in ("first", "second", "third"):
        client.sessions.submit(name, kind="train", gpu=8, project="team-b", command=["true"])
    client.sessions.stop("first")
    tried = gpu("project groups set big --dry-run")
    assert "third (team-b) could never start: " in tried.text


@pytest.mark.parametrize(
    "line",
    [
        "project groups set",
        "project groups list x",
        "project groups delete x dgx1-1",
        "project groups list --dry-run",
        "project rules --dry-run",
    ],
)
def test_wrong_combinations_are_refused(gpu, line):
    with pytest.raises(InvalidRequest):
        gpu(line)


def test_others_than_administrators_are_refused(gpu, transport):
    transport.user = "ben"
    changes = ("project rules --grace 5", "project groups set all dgx1-1")
    for line in (*changes, *(f"{change} --dry-run" for change in changes)):
        with pytest.raises(NotAllowed):
            gpu(line)


def test_a_program_does_the_same(client):
    client.node_groups.put("all", ["dgx1-1"])
    client.node_groups.preview("all", deleted=True)
    client.rules.preview(grace=9)
    assert client.rules.put(grace=5).grace == 5
    assert client.node_groups.list()[0].nodes == ("dgx1-1",)
