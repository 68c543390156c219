"""Completion of `%gpu` lines."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.errors import NoServer
from jupyter_gpuquota.ui.commands import COMMANDS
from jupyter_gpuquota.ui.completion import ShortTimeout, Source, candidates
from tests.client.inmemory import InMemory


def nobody():
    raise NoServer("No server.")


@pytest.fixture
def source(client, backend) -> Source:
    for name in ("exp1", "exp2"):
        client.sessions.submit(name)
    client.node_groups.put("big", ["dgx1-1"])
    return Source(lambda: InMemory(backend))


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ([], {"submit", "list", "help"}),
        (["describe"], {"exp1", "exp2", "--project"}),
        (["stop", "exp1"], {"exp2"}),
        (["submit", "x", "-p"], {"team-a", "team-b"}),
        (["submit", "x", "--project"], {"team-a", "team-b"}),
        (["submit", "x", "-i"], {"base"}),
        (["submit", "x", "--interactive"], {"--gpu", "--wait", "--no-wait"}),
        (["project", "default"], {"team-a"}),
        (["project", "rules"], {"--grace", "--consolidate"}),
        (["project", "groups"], {"list", "set", "delete"}),
        (["project", "groups", "set"], {"big", "--separate"}),
        (["project", "groups", "set", "big"], {"dgx1-1", "dgx1-2", "--separate"}),
        (["project", "groups", "set", "big", "dgx1-1"], {"dgx1-2"}),
        (["help"], {command.name for command in COMMANDS if not command.hidden}),
    ],
)
def test_what_can_follow(source, words, some):
    assert some <= set(candidates(words, source))


@pytest.mark.parametrize(
    ("verb", "without"),
    [
        ("stop", {"stopped1"}),
        ("suspend", {"stopped1", "suspended1"}),
        ("resume", {"exp1", "exp2"}),
        ("delete", set()),
        ("describe", set()),
    ],
)
def test_commands_offer_only_sessions_that_they_can_act_on(client, source, verb, without):
    for name in ("stopped1", "suspended1"):
        client.sessions.submit(name)
    client.sessions.stop("stopped1", wait=True)
    client.sessions.suspend("suspended1", wait=True)
    names = {"exp1", "exp2", "stopped1", "suspended1"}
    assert names & set(candidates([verb], source)) == names - without


@pytest.mark.parametrize("words", [["nothing"], ["exec", "exp1", "--"], ["submit", "x", "-g"]])
def test_other_values_are_not_completed(source, words):
    assert candidates(words, source) == []


def test_notebooks_are_not_offered_commands_of_the_shell(source):
    assert "bash" not in candidates([], source)
    assert "--json" not in candidates(["list"], source)


def test_options_are_completed_without_a_server():
    assert "--project" in candidates(["describe"], Source(nobody))


def test_completion_waits_for_two_seconds_only(backend):
    transport = InMemory(backend)
    candidates(["stop"], Source(lambda: transport))
    assert {message.timeout for message in transport.seen} == {2.0}
    assert ShortTimeout(transport).url == ""
