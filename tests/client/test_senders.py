"""Both senders perform the same operations with the same outcome."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_gpuquota import AsyncClient, Client
from jupyter_gpuquota.client import groups
from jupyter_gpuquota.client.senders import Awaiting, Blocking
from jupyter_gpuquota.client.steps import Emit, Look, Pause
from jupyter_gpuquota.errors import NotFound
from tests.client.inmemory import InMemory, Surroundings

PAIRS = [
    (groups.Sessions, groups.AsyncSessions),
    (groups.Quotas, groups.AsyncQuotas),
    (groups.Nodes, groups.AsyncNodes),
    (groups.Projects, groups.AsyncProjects),
    (groups.Rules, groups.AsyncRules),
    (groups.NodeGroups, groups.AsyncNodeGroups),
    (groups.Environments, groups.AsyncEnvironments),
    (Client, AsyncClient),
]


@pytest.mark.parametrize(("blocking", "awaiting"), PAIRS)
def test_they_have_the_same_verbs(blocking, awaiting):
    def names(kind):
        return {name for name in vars(kind) if not name.startswith("_")}

    assert names(blocking) == names(awaiting)


def steps(found: list):
    """Emit, look, pause, fail, go on: everything an operation may do."""
    yield Emit("first")
    found.append((yield Look(lambda: 41)))
    yield Pause(0)

    def fail():
        raise NotFound("Gone.")

    try:
        yield Look(fail)
    except NotFound as error:
        found.append(error.message)
    yield Emit("second")
    return 42


def test_blocking_performs_every_step(transport):
    found: list = []
    sender = Blocking(Surroundings(transport))
    assert sender.run(steps(found)) == 42
    assert found == [41, "Gone."]
    assert list(sender.stream(steps([]))) == ["first", "second"]


def test_awaiting_performs_every_step(transport):
    async def main():
        found: list = []
        sender = Awaiting(Surroundings(transport))
        assert await sender.run(steps(found)) == 42
        assert found == [41, "Gone."]
        assert [item async for item in sender.stream(steps([]))] == ["first", "second"]

    asyncio.run(main())


def test_an_error_that_is_not_handled_comes_out(sessions):
    with pytest.raises(NotFound):
        sessions.get("nothing")


def test_the_asynchronous_client_is_the_same(backend):
    async def main():
        client = AsyncClient(transport=InMemory(backend))
        session = await client.sessions.submit("exp1", gpu=0.5, project="team-a")
        assert [s.id for s in await client.sessions.list()] == [session.id]
        backend.logs.texts[session.id] = "hello\n"
        assert await client.sessions.logs("exp1") == "hello\n"
        await client.sessions.stop("exp1", wait=True)
        pieces = [piece async for piece in client.sessions.logs("exp1", follow=True)]
        assert pieces == ["hello\n"]
        states = [s.state async for s in client.sessions.watch("exp1")]
        assert states == ["stopped"]
        with pytest.raises(NotFound):
            await client.sessions.get("nothing")
        assert (await client.about()).backend == "fake"
        assert (await client.quota.get()).mine == ("team-a", "team-b")
        assert len((await client.nodes.list()).nodes) == 2
        assert (await client.environments.list()).environments[0].id == "base"

    asyncio.run(main())


def test_a_verb_explains_itself(sessions):
    assert "Ask for a session" in sessions.submit.__doc__
