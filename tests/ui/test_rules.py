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
    assert (backend.rules().grace, backend.rules().min_runtime) == (120, 0)
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
    found = gpu("groups list")
    assert [row["group"] for row in found.records] == ["shared", "all"]
    assert "<table" in found.html
    gpu("groups delete shared")
    assert [group.name for group in client.node_groups.list().items] == ["all"]
    with pytest.raises(NotFound):
        gpu("groups delete shared")


@pytest.mark.parametrize("line", ["groups set", "groups list x", "groups delete x dgx1-1"])
def test_words_that_do_not_go_together_are_refused(gpu, line):
    with pytest.raises(InvalidRequest):
        gpu(line)


def test_who_is_no_admin_is_told(gpu, backend):
    backend.admins = frozenset({"somebody-else"})
    for line in ("rules --grace 5", "groups set all dgx1-1"):
        with pytest.raises(NotAllowed):
            gpu(line)


def test_the_same_for_coroutines(backend):
    async def work():
        client = AsyncClient(transport=InMemory(backend))
        await client.node_groups.put("all", ["dgx1-1"])
        return await client.rules.put(grace=5), await client.node_groups.list()

    rules, groups = asyncio.run(work())
    assert rules.grace == 5
    assert groups.items[0].nodes == ("dgx1-1",)
