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


@pytest.mark.parametrize(
    "line",
    [
        "project groups set",
        "project groups list x",
        "project groups delete x dgx1-1",
        "project rules --grace 5 --dry-run",
    ],
)
def test_wrong_combinations_are_refused(gpu, line):
    with pytest.raises(InvalidRequest):
        gpu(line)


def test_others_than_administrators_are_refused(gpu, transport):
    transport.user = "ben"
    for line in ("project rules --grace 5", "project groups set all dgx1-1"):
        with pytest.raises(NotAllowed):
            gpu(line)


def test_a_program_does_the_same(client):
    client.node_groups.put("all", ["dgx1-1"])
    assert client.rules.put(grace=5).grace == 5
    assert client.node_groups.list()[0].nodes == ("dgx1-1",)
