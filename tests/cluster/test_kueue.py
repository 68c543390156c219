"""What the Kueue engine says is what Kueue then does, and what it writes Kueue accepts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import Outdated
from jupyter_gpuquota.kubernetes.engines.engine import Engine
from jupyter_gpuquota.model.quota import Department, Project
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.cluster.queues import Nested, engine_of, workload_of
from tests.waiting import wait_for


@pytest.fixture
def nested(cluster: Any, name: str) -> Iterator[Nested]:
    made = Nested(cluster.rest(), name)
    yield made
    made.remove()


def why(engine: Engine, session: Session) -> Reason | None:
    queue = engine.admission(session).queue
    return queue.reason if queue else None


def named(engine: Engine, name: str) -> Project:
    return {project.name: project for project in engine.projects()}[name]


async def test_a_life_in_the_queue(cluster: Any, connected: Any, name: str, nested: Nested) -> None:
    """A borrower is reclaimed, told for whom, waits in its place, and comes back."""
    rest, sessions = cluster.rest(), []
    ours, others = nested.team("team-a", 1000).namespace, nested.team("team-b", 1000).namespace

    def session(title: str, gpu: str, project: str, kind: str) -> Session:
        sessions.append(make_session(title, gpu, project=project, kind=kind))
        return sessions[-1]

    async with connected() as api, engine_of(api, lambda: sessions, [ours, others]) as engine:
        await wait_for(lambda: len(engine.projects()) == 2, "the projects are not there")
        borrower = session("borrower", "2", ours, "train")
        assert (await engine.preview(borrower.spec)).verdict == "borrows"
        rest.create(workload_of(borrower, engine))
        await wait_for(lambda: engine.admission(borrower).admitted, "the borrower is not admitted")

        more = session("more", "1", ours, "train")
        forecast = await engine.preview(more.spec)
        assert forecast.verdict == "waits"
        rest.create(workload_of(more, engine))
        told = await wait_for(lambda: why(engine, more), "no reason")
        assert forecast.reason is not None
        assert (told.code, told.key) == (forecast.reason.code, forecast.reason.key)

        taker = session("taker", "1", others, "interactive")
        forecast = await engine.preview(taker.spec)
        assert (forecast.verdict, forecast.message) == (
            "reclaims",
            f"Preempts a session of {ours}, which will be requeued, to free 2 GPUs.",
        )
        rest.create(workload_of(taker, engine))
        await wait_for(lambda: engine.admission(taker).admitted, "the taker is not admitted")
        evicted = await wait_for(lambda: engine.admission(borrower).reclaim, "nobody was reclaimed")
        assert (evicted.session, evicted.name, evicted.project) == (taker.id, "taker", others)
        found = engine.admission(borrower).reason
        assert found is not None
        assert found.code == "Reclaimed"
        assert "Preempted to accommodate a workload" in found.raw

        await wait_for(lambda: engine.admission(more).admitted, "what fits now is not admitted")
        await wait_for(lambda: why(engine, borrower), "no reason for the borrower")
        assert (await engine.position(borrower)).position == 1
        assert not engine.admission(borrower).admitted


async def test_quotas_are_written(cluster: Any, connected: Any, nested: Nested) -> None:
    rest, namespace = cluster.rest(), nested.team("team-a", 1000).namespace
    sessions = [make_session("waits", "3", project=namespace, kind="train")]
    async with connected() as api, engine_of(api, lambda: sessions, [namespace]) as engine:
        await wait_for(engine.projects, "the project is not there")
        rest.create(workload_of(sessions[0], engine))
        told = await wait_for(lambda: why(engine, sessions[0]), "no reason")
        assert told.code in {"OverQuota", "OverLimit"}
        old = named(engine, namespace)
        wanted = Project(name=namespace, quota=3000, limit=4000, revision=old.revision)
        changed = await engine.administration.change_project(wanted)
        assert (changed.quota, changed.limit) == (3000, 4000)
        await wait_for(lambda: engine.admission(sessions[0]).admitted, "it did not start")
        await wait_for(
            lambda: named(engine, namespace).revision == changed.revision, "another revision"
        )
        with pytest.raises(Outdated):
            await engine.administration.change_project(wanted)


async def test_departments_are_the_cohorts_above_teams(
    cluster: Any, connected: Any, name: str, nested: Nested
) -> None:
    teams = [nested.team("team-a", 1000).namespace, nested.team("team-b", 2000).namespace]
    everyone = Department(name=name, projects=tuple(teams), quota=3000, limit=3000)
    async with connected() as api, engine_of(api, list, teams) as engine:
        await wait_for(lambda: [*engine.departments()] == [everyone], "the Cohort is not shown")
        path = f"/apis/kueue.x-k8s.io/v1beta2/cohorts/{name}"
        above = {"spec": {"parentName": f"{name}-all"}}
        cluster.rest().request("PATCH", path, above, "application/merge-patch+json")
        whole = Department(name=f"{name}-all", quota=3000, limit=3000)
        below = replace(everyone, parent=whole.name, limit=None)
        await wait_for(lambda: [*engine.departments()] == [below, whole], "no Cohort above")


async def test_a_queue_that_is_held_says_so(cluster: Any, connected: Any, nested: Nested) -> None:
    rest = cluster.rest()
    namespace = nested.team("team-a", 1000).namespace
    session = make_session("exp-1", "1", project=namespace, kind="train")
    async with connected() as api, engine_of(api, lambda: [session], [namespace]) as engine:
        await wait_for(engine.projects, "the project is not there")
        path = f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{namespace}"
        rest.request(
            "PATCH", path, {"spec": {"stopPolicy": "Hold"}}, "application/merge-patch+json"
        )
        await wait_for(
            lambda: engine.projects() and named(engine, namespace).quota == 1000, "no project"
        )
        rest.create(workload_of(session, engine))
        told = await wait_for(lambda: why(engine, session), "no reason")
        assert (told.code, told.key) == ("QueueMissing", "queue.inactive")
        assert (await engine.preview(session.spec)).verdict == "waits"
