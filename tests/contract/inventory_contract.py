"""What every backend promises of its inventory, and of notice of changes."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.resources import Node
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import launch, until
from tests.waiting import patience


class InventoryContract:
    """The contract of the ports `Inventory` and `Changes`; `projects` are all that there are."""

    projects: tuple[str, ...] = ("team-a", "team-b", "team-c")

    async def test_nodes_and_projects_are_as_the_fixture_says(self, backend: Backend) -> None:
        found = backend.inventory
        assert [p.name for p in found.projects()] == list(self.projects)
        assert max(gpus_of(node) for node in found.nodes()) >= 4
        known = {device.uuid for node in found.nodes() for device in node.devices}
        assert set(found.readings()) <= known
        assert found.source in {"nvml", "simulated", "none"} or found.source
        assert found.rules().grace >= 0

    async def test_a_request_finds_an_environment_that_is_listed(self, backend: Backend) -> None:
        listed = await backend.inventory.environments()
        assert [env.id for env in listed if env.default]
        place = await backend.inventory.look_up(SessionRequest(name="x", environment=listed[0].id))
        assert place.environment is not None
        assert place.environment.id == listed[0].id
        nowhere = SessionRequest(name="x", environment="no-such-environment")
        assert (await backend.inventory.look_up(nowhere)).environment is None

    async def test_a_session_may_not_outgrow_what_there_is(self, backend: Backend) -> None:
        node = max(gpus_of(node) for node in backend.inventory.nodes())
        with pytest.raises(InvalidFields):
            await launch(backend, gpu=str(node + 1), kind="train")

    async def test_changes_are_noticed_and_counted(self, backend: Backend) -> None:
        before = await backend.changes.changed("", 0)
        session = await launch(backend)
        after = await backend.changes.changed(before.latest, patience())
        assert after.latest != before.latest
        assert after.nouns["sessions"] != before.nouns["sessions"]
        assert after.instance == before.instance == backend.changes.instance
        quiet = await until(backend, session.id, "running")
        assert quiet.revision

    async def test_a_wait_for_nothing_ends(self, backend: Backend) -> None:
        latest = (await backend.changes.changed("", 0)).latest
        async with asyncio.timeout(patience()):
            while (found := (await backend.changes.changed(latest, 0.05)).latest) != latest:
                latest = found

    async def test_a_healthy_backend_warns_of_nothing(self, backend: Backend) -> None:
        found = backend.changes.warnings()
        assert found == (), found


def gpus_of(node: Node) -> int:
    """Return how many GPUs a node has."""
    return sum(device.count for device in node.devices)
