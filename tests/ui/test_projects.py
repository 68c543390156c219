"""What `project` and `audit` do, against the real use cases in memory."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.client.exit_codes import exit_code_of
from jupyter_gpuquota.errors import (
    InUse,
    InvalidFields,
    InvalidRequest,
    NotAllowed,
    NotFound,
    Outdated,
)
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.client.inmemory import InMemory


@pytest.fixture
def gpu(client, console):
    """Run a line of `jupyter gpu`."""

    def gpu(line: str):
        return run(client, parse(split_line(line), terminal=True), console)

    return gpu


def test_projects_are_listed_and_shown(gpu):
    lines = gpu("project list").text.splitlines()
    assert lines[0].split()[:3] == ["PROJECT", "QUOTA", "WEIGHT"]
    assert lines[1].split()[:4] == ["team-a", "4", "4", "none"]
    assert [row["quota"] for row in gpu("project list").records] == [4, 2]
    shown = gpu("project show team-b")
    assert "Quota:" in shown.text
    assert "team-b" in shown.html
    with pytest.raises(NotFound, match="team-a, team-b"):
        gpu("project show nobody")


def test_a_string_is_not_a_list_of_names(client):
    with pytest.raises(InvalidFields) as caught:
        client.projects.put("team-a", members="ana", leads="ben")
    said = {problem.field: problem.hint for problem in caught.value.fields}
    assert said == {"members": 'Write ["ana"].', "leads": 'Write ["ben"].'}
    assert client.projects.get("team-a").leads == ()


def test_set_keeps_settings_that_are_not_named(gpu, client):
    gpu("project groups set big dgx1-2")
    gpu("project set team-a --members ana,ben --limit 8 --interactive-duration 8h --train-on big")
    gpu("project set team-a --quota 3 --weight 1")
    found = client.projects.get("team-a")
    assert (found.quota, found.weight, found.limit) == (3000, 1000, 8000)
    assert (found.members, found.interactive_duration) == (("ana", "ben"), 28_800)
    assert found.node_affinity.train == ("big",)
    gpu("project set team-a --members all --limit none --weight quota --train-on any")
    found = client.projects.get("team-a")
    assert (found.weight, found.limit, found.members) == (None, None, ())
    assert found.node_affinity.train == ()


def test_leads_and_viewers_are_set_beside_members(gpu, client):
    assert "LEADS" not in gpu("project list").text
    gpu("project set team-a --members ana,group:ml --leads cho --viewers group:finance,eve")
    found = client.projects.get("team-a")
    assert found.members == ("ana", "group:ml")
    assert (found.leads, found.viewers) == (("cho",), ("group:finance", "eve"))
    table = gpu("project list").text
    assert "LEADS" in table
    assert "group:finance, eve" in table
    assert "cho" in gpu("project show team-a").html
    gpu("project set team-a --leads none --viewers none")
    found = client.projects.get("team-a")
    assert (found.members, found.leads, found.viewers) == (("ana", "group:ml"), (), ())
    client.projects.put("team-a", leads=["dee"])
    assert client.projects.get("team-a").leads == ("dee",)
    assert "leads none → dee" in gpu("project audit -n 1").text


def test_viewers_of_an_open_project_cause_a_warning(gpu):
    assert "everyone may launch" in gpu("project set team-a --viewers eve").text


def test_a_new_project_needs_a_quota(gpu, client):
    with pytest.raises(InvalidFields, match=r"^1 invalid field\.") as caught:
        gpu("project set team-z --limit 3")
    assert [f.field for f in caught.value.fields] == ["quota"]
    assert "99" in gpu("project set team-z -q 99").text
    assert "add up to" in gpu("project list").text
    assert client.projects.get("team-z").quota == 99_000


def test_all_problems_are_reported_at_once(gpu):
    with pytest.raises(InvalidFields) as caught:
        gpu("project set team-a --quota -1 --limit nan --members a,a --train-on x --min-runtime y")
    assert {f.field for f in caught.value.fields} == {
        "quota",
        "limit",
        "members[1]",
        "node_affinity.train[0]",
        "min_runtime",
    }


def test_a_dry_run_shows_the_effect_and_changes_nothing(gpu, backend):
    gpu("submit wants -g 6 -p team-a -- sleep 1")
    gpu("submit more -g 6 -p team-a -- sleep 1")
    text = gpu("project set team-b --quota 12 --dry-run").text
    assert "team-b" in text
    assert "2 → 12" in text
    assert [p.quota for p in backend.inventory.projects()] == [4000, 2000]


def test_a_project_with_sessions_is_drained_or_kept(gpu, backend):
    gpu("submit exp1 -p team-b --interactive")
    with pytest.raises(InUse) as caught:
        gpu("project delete team-b")
    assert exit_code_of(caught.value) == 4
    assert (
        "will be deleted when these sessions end: exp1" in gpu("project delete team-b --drain").text
    )
    assert "team-b (draining)" in gpu("project list").text
    gpu("stop exp1")
    assert [p.name for p in backend.inventory.projects()] == ["team-a"]
    assert gpu("project delete team-a").text == "Deleted team-a."


def test_the_audit_log_shows_who_changed_what(gpu):
    assert gpu("project audit").text == "No changes yet."
    gpu("project set team-a --quota 3")
    gpu("project delete team-b")
    lines = gpu("project audit").text.splitlines()
    assert "deleted project team-b" in lines[1]
    assert "quota 4 → 3" in lines[2]
    assert [row["who"] for row in gpu("project audit -n 1").records] == ["me"]
    assert "quota 4" in gpu("project audit").html


def test_the_audit_log_shows_settings_as_administrators_write_them(gpu):
    gpu("project set new --quota 1.5 --members ana,ben --interactive-duration 90m")
    gpu("project groups set big dgx1-2 --separate")
    gpu("project set new --train-on big --limit 2 --weight 0")
    gpu("project delete new")
    deleted, changed, groups, made = gpu("project audit").text.splitlines()[1:]
    assert "quota 1.5, priority 100, members ana, ben, interactive_duration 1h30m" in made
    assert "items none → big (dgx1-2, separate)" in groups
    assert "weight same as quota → 0, limit none → 2, node_affinity none → train: big" in changed
    assert "limit 2" in deleted


def test_others_than_administrators_are_refused(gpu, transport):
    transport.user = "ben"
    for line in ("project set team-a --quota 1", "project delete team-a", "project audit"):
        with pytest.raises(NotAllowed) as caught:
            gpu(line)
        assert exit_code_of(caught.value) == 5
    assert gpu("project list").data.items


@pytest.mark.parametrize(
    "line",
    [
        "project list team-a",
        "project set",
        "project set team-a",
        "project set team-a --drain",
        "project show team-a --quota 3",
        "project delete team-a --quota 3",
        "project frobnicate",
    ],
)
def test_wrong_combinations_are_refused(gpu, line):
    with pytest.raises(InvalidRequest) as caught:
        gpu(line)
    assert caught.value.hint


def test_the_second_of_two_concurrent_changes_is_refused(client, backend):
    transport = InMemory(backend)

    class Meddling(InMemory):
        """Change the project just before the request arrives."""

        def send(self, message):
            if message.method == "PUT":
                client.projects.put("team-a", quota=7)
            return transport.send(message)

    with pytest.raises(Outdated) as caught:
        client.__class__(transport=Meddling(backend)).projects.put("team-a", quota=1)
    assert exit_code_of(caught.value) == 4
    assert backend.inventory.projects()[0].quota == 7000


def test_a_program_does_the_same(client):
    client.projects.put("team-z", quota="0.5", members=["ana"])
    client.projects.preview("team-z", quota=9)
    client.projects.delete("team-z", drain=True)
    assert [e.what for e in client.audit()] == ["deleted project team-z", "created project team-z"]
