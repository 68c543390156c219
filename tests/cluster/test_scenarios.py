"""The documents' scenarios end in the same table under Kueue as with our own scheduler."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.engines.engine import Engine
from jupyter_gpuquota.kubernetes.names import object_name
from jupyter_gpuquota.kubernetes.resources import JOBS, STATEFUL_SETS
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.yaml_document import YamlDocument
from tests.builders import make_session
from tests.cluster.queues import Nested, engine_of, workload_of
from tests.cluster.teams import Teams
from tests.waiting import wait_for

SCENARIO = Path(__file__).parents[1] / "scenarios" / "netapp-over-quota.yaml"

Json = dict[str, Any]


class Player:
    """Plays a scenario on a cluster; what stands is read from the engine."""

    def __init__(self, rest: Any, prefix: str, quotas: dict[str, int]) -> None:
        self._rest = rest
        self._prefix = prefix
        self._quotas = quotas
        self.sessions: dict[str, Session] = {}

    async def play(self, api: Api, engine: Engine, steps: list[Json]) -> int:
        """Play all steps; return how many expectations were met."""
        met = 0
        for step in steps:
            if wish := step.get("submit"):
                await self._submit(engine, wish)
            for name in step.get("delete", ()):
                session = self.sessions.pop(name)
                kind = JOBS if session.spec.kind == "train" else STATEFUL_SETS
                await api.delete(kind, session.spec.project, object_name(session))
            if wanted := step.get("expect"):
                await wait_for(lambda wanted=wanted: self._meets(engine, wanted), f"never {wanted}")
                met += 1
        return met

    async def _submit(self, engine: Engine, wish: Json) -> None:
        """Create a session, and wait until Kueue has decided: the order of arrival matters."""
        project = f"{self._prefix}-{wish['project']}"
        session = make_session(wish["name"], str(wish["gpu"]), project=project, kind=wish["kind"])
        self.sessions[wish["name"]] = session
        self._rest.create(workload_of(session, engine))
        await wait_for(lambda: _is_decided(engine, session), f"{wish['name']} is never decided")
        if not engine.admission(session).admitted:
            await asyncio.sleep(1.1)  # Kueue orders by the time of creation, in whole seconds

    def _meets(self, engine: Engine, wanted: Json) -> bool:
        states = {
            name: "running" if engine.admission(session).admitted else "waiting"
            for name, session in self.sessions.items()
        }
        for name, use in wanted.get("projects", {}).items():
            own = [n for n, s in self.sessions.items() if s.spec.project.endswith(name)]
            running = [n for n in own if states[n] == "running"]
            held = sum(self.sessions[n].spec.share.milli for n in running)
            found = {"allocated": held / 1000, "waiting": len(own) - len(running)}
            found["quota"] = self._quotas[name] / 1000
            if any(found[key] != value for key, value in use.items()):
                return False
        return all(states[n] == s["state"] for n, s in wanted.get("sessions", {}).items())


def _is_decided(engine: Engine, session: Session) -> bool:
    admission = engine.admission(session)
    why = admission.queue.reason if admission.queue else None
    return admission.admitted or (why is not None and why.code != "BeingReclaimed")


@pytest.fixture
def nested(cluster: Any, name: str) -> Iterator[Nested]:
    made = Nested(cluster.rest(), name)
    yield made
    made.remove()


@pytest.mark.parametrize("shape", ["nested", "flat"])
async def test_the_scenario_ends_in_the_same_table(
    cluster: Any, connected: Any, name: str, nested: Nested, teams: Teams, shape: str
) -> None:
    plain: Any = YamlDocument(SCENARIO.read_bytes(), 1 << 20).plain
    quotas = {project["name"]: project["quota"] * 1000 for project in plain["projects"]}
    for group, milli in quotas.items():
        if shape == "nested":
            nested.team(group, milli)
        else:
            teams.with_kueue(group, milli)
    player = Player(cluster.rest(), name, quotas)
    async with (
        connected() as api,
        engine_of(
            api, lambda: list(player.sessions.values()), [f"{name}-{group}" for group in quotas]
        ) as engine,
    ):
        await wait_for(lambda: len(engine.projects()) == len(quotas), "the projects are not there")
        found = {p.name.removeprefix(f"{name}-"): p.quota for p in engine.projects()}
        assert {group: found[group] for group in quotas} == quotas
        assert await player.play(api, engine, plain["steps"]) == 4
