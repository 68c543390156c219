"""What may follow in a `%gpu` line."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from jupyter_gpuquota.errors import NoServer
from jupyter_gpuquota.ui.completion import Hasty, Source, candidates
from jupyter_gpuquota.ui.magics import complete
from jupyter_gpuquota.ui.verbs import VERBS
from tests.client.inmemory import InMemory


def nobody():
    raise NoServer("Nobody.")


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
        (["config"], {"project"}),
        (["rules"], {"--grace", "--dry-run"}),
        (["groups", "set"], {"big", "dgx1-1", "dgx1-2", "--dry-run"}),
        (["help"], {verb.name for verb in VERBS}),
    ],
)
def test_what_may_follow(source, words, some):
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
def test_only_sessions_that_a_command_can_act_on_are_offered(client, source, verb, without):
    for name in ("stopped1", "suspended1"):
        client.sessions.submit(name)
    client.sessions.stop("stopped1", wait=True)
    client.sessions.suspend("suspended1", wait=True)
    names = {"exp1", "exp2", "stopped1", "suspended1"}
    assert names & set(candidates([verb], source)) == names - without


@pytest.mark.parametrize("words", [["nothing"], ["exec", "exp1", "--"], ["submit", "x", "-g"]])
def test_nothing_is_known_of_the_rest(source, words):
    assert candidates(words, source) == []


def test_a_notebook_is_not_offered_the_shells_own(source):
    assert "bash" not in candidates([], source)
    assert "--json" not in candidates(["list"], source)


def test_where_nobody_answers_the_grammar_is_still_known():
    assert "--project" in candidates(["describe"], Source(nobody))


def test_ipython_asks_with_the_line_before_the_cursor(source):
    def ask(text: str) -> list[str]:
        return complete(source, None, SimpleNamespace(text_until_cursor=text))

    assert "describe" in ask("%gpu desc")
    assert "exp1" in ask("%gpu describe ")
    assert "exp1" in ask("%gpu describe ex")
    assert "team-a" in ask("  %gpu submit x -p te")


def test_nobody_is_waited_for_long(backend):
    transport = InMemory(backend)
    Source(lambda: transport).values("names")
    assert {message.timeout for message in transport.seen} == {2.0}
    assert Hasty(transport).url == ""
