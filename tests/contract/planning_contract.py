"""What every backend promises of planning and of usage."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.requests import specs
from jupyter_gpuquota.errors import NotFound, Unsupported
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import launch, run, until


async def preview(backend: Backend, **fields: Any) -> Preview:
    request = SessionRequest(**{"name": "asked", "project": "team-a", **fields})
    found = backend.inventory
    place = await found.look_up(request)
    facts = specs.Facts(projects=found.projects(), nodes=found.nodes(), place=place, fits=found.fit)
    return await backend.planning.preview(specs.check(request, facts), "ana")


class PlanningContract:
    """The contract of the ports `Planning` and `Usage`."""

    async def test_a_preview_is_what_then_happens(self, backend: Backend) -> None:
        assert (await preview(backend, gpu="4")).verdict == "fits"
        await run(backend, "first", gpu="4")
        waits = await preview(backend, gpu="1")
        assert waits.verdict == "waits"
        assert waits.reason is not None
        second = await launch(backend, "second", gpu="1")
        waiting = await until(backend, second.id, lambda s: s.reason is not None)
        assert waiting.state == "waiting"
        assert waiting.reason is not None
        assert waiting.reason.code == waits.reason.code

    async def test_who_waits_is_told_why_and_where(self, backend: Backend) -> None:
        await run(backend, "first", gpu="4")
        second = await launch(backend, "second", gpu="1")
        await until(backend, second.id, lambda s: s.reason is not None)
        found = await backend.planning.position(second.id)
        assert found.session == second.id
        assert found.reason is not None
        if backend.differences.knows_position:
            assert found.position == 1
        with pytest.raises(NotFound):
            await backend.planning.position("nobody")

    async def test_a_change_is_tried_without_being_made(self, backend: Backend) -> None:
        await run(backend, "first", gpu="2", project="team-b")
        second = await launch(backend, "second", gpu="1", project="team-b")
        await until(backend, second.id, lambda s: s.reason is not None)
        [old] = (each for each in backend.inventory.projects() if each.name == "team-b")
        more = replace(old, quota=3000)
        if backend.administration and backend.administration.set_by() == "engine":
            with pytest.raises(Unsupported):
                await backend.planning.try_change(more)
            return
        tried = await backend.planning.try_change(more)
        assert ("second", "starts") in {(e.name, e.effect) for e in tried.sessions}
        assert backend.inventory.projects()[1].quota == 2000

    async def test_what_is_held_is_summed_up(self, backend: Backend) -> None:
        before = backend.usage.quota()
        await run(backend, "half", gpu="0.5")
        after = backend.usage.quota()
        team = {use.name: use for use in after.projects}["team-a"]
        assert (team.allocated, team.running, team.quota) == (500, 1, 4000)
        assert [(u.user, u.allocated) for u in team.users] == [("me", 500)]
        assert after.allocated == before.allocated + 500
        assert after.free == before.free - 500
        # On a cluster other tests close nodes, whose rest is not free, and remove some.
        nodes = {node.name: node for node in backend.inventory.nodes()}
        on_nodes = sum(
            holding.placement.milli
            for holding in backend.usage.holdings()
            if holding.placement.node in nodes
        )
        rest = after.capacity - after.allocated - on_nodes - after.free
        assert rest >= 0
        assert rest == 0 or any(node.problem for node in nodes.values())

    async def test_what_others_hold_is_counted(self, backend: Backend) -> None:
        held = sum(holding.placement.milli for holding in backend.usage.holdings())
        assert backend.usage.quota().others == held
