"""Trainings for MPI: their MPIJob, and the states that follow from launcher and workers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.requests.pods import last_process
from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.session_manifests import SessionManifests
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.engines.engine import EnginePatch
from jupyter_gpuquota.kubernetes.labels import COMPLETE, MPI_INDEX, MPI_ROLE, SHAPE
from jupyter_gpuquota.kubernetes.objects.meta import Meta, Object, Owner
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.objects.workloads import MpiJob
from jupyter_gpuquota.kubernetes.reconcile.kinds import WorkloadKinds
from jupyter_gpuquota.kubernetes.resources import JOBS, MPI_JOBS, SERVICES, STATEFUL_SETS
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.state.advance import advance
from jupyter_gpuquota.kubernetes.state.desired import Action, next_action
from jupyter_gpuquota.kubernetes.state.ends import is_left, tidying
from jupyter_gpuquota.kubernetes.state.record import Record, shape_of
from jupyter_gpuquota.kubernetes.state.seen import Seen
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.kubernetes.sights import NOW, pod, record

RUNS: dict[str, Any] = {"running": {}}
DONE: dict[str, Any] = {"terminated": {"exitCode": 0}}
FAILED: dict[str, Any] = {"terminated": {"exitCode": 3, "finishedAt": "2026-01-01T00:00:05Z"}}
LAUNCHER_JOB = Object(
    metadata=Meta(
        name="gpu-exp-1-launcher",
        namespace="team-a",
        uid="job",
        owner_references=(Owner(kind="MPIJob", name="gpu-exp-1", uid="w1"),),
    )
)


def recorded(state: str, **fields: Any) -> Record:
    found = record(state, kind="train", command=("mpirun", "train"), processes=2, **fields)
    spec = replace(found.session.spec, framework="mpi")
    return replace(found, session=replace(found.session, spec=spec))


WAITING = recorded("waiting")
STARTING = recorded("starting", pod="v0", run=1)
RUNNING = recorded("running", pod="launcher", run=1, started=NOW)


def mpi_job(*, suspend: bool = False, condition: str = "") -> MpiJob:
    annotations = {SHAPE: shape_of(RUNNING.session), **({} if suspend else {COMPLETE: "true"})}
    raw = {
        "metadata": {
            "name": "gpu-exp-1",
            "namespace": "team-a",
            "uid": "w1",
            "annotations": annotations,
        },
        "spec": {"runPolicy": {"suspend": suspend}},
        "status": {"conditions": [{"type": condition, "status": "True"}] if condition else []},
    }
    return msgspec.json.decode(msgspec.json.encode(raw), type=MpiJob)


def labelled(made: Pod, **labels: str) -> Pod:
    return replace(made, metadata=replace(made.metadata, labels=labels))


def worker(number: int, **facts: Any) -> Pod:
    return labelled(pod(f"v{number}", **facts), **{MPI_ROLE: "worker", MPI_INDEX: str(number)})


def launcher(**facts: Any) -> Pod:
    return labelled(pod("launcher", owner="job", **facts), **{MPI_ROLE: "launcher"})


def sight(*pods: Pod, **fields: Any) -> Seen:
    job = fields.pop("workload", mpi_job())
    return Seen(workload=job, pods=pods, between={"job": LAUNCHER_JOB}, **fields)


WORKERS = (worker(0, state=RUNS), worker(1, state=RUNS))


def test_it_starts_with_its_workers_and_runs_with_its_launcher() -> None:
    placed = advance(WAITING, sight(worker(0)), NOW)
    assert (placed.session.state, placed.pod) == ("starting", "v0")
    assert advance(STARTING, sight(*WORKERS), NOW).session.state == "starting"
    runs = advance(STARTING, sight(*WORKERS, launcher(state=RUNS)), NOW)
    assert (runs.session.state, runs.pod) == ("running", "launcher")


def test_a_launcher_of_another_workload_is_not_its_own() -> None:
    after = advance(STARTING, Seen(workload=mpi_job(), pods=(*WORKERS, launcher(state=RUNS))), NOW)
    assert (after.session.state, after.pod) == ("starting", "v0")


@pytest.mark.parametrize(("end", "state"), [(DONE, "done"), (FAILED, "failed")])
def test_its_end_is_that_of_its_launcher_although_workers_are_deleted(
    end: dict[str, Any], state: str
) -> None:
    gone = worker(0, state=RUNS, deleted=True)
    ended = launcher(state=end, phase="Succeeded" if end is DONE else "Failed")
    after = advance(RUNNING, sight(gone, WORKERS[1], ended), NOW).session
    assert (after.state, after.exit and after.exit.code) == (state, 0 if end is DONE else 3)
    assert after.reason is None or after.reason.key == "exit.command"
    finished = sight(ended, workload=mpi_job(condition="Succeeded"))
    assert next_action(after, finished) is Action.NONE


def test_a_worker_that_fails_ends_it() -> None:
    failed = worker(1, state=FAILED, phase="Failed")
    after = advance(RUNNING, sight(WORKERS[0], failed, launcher(state=RUNS)), NOW).session
    assert after.state == "failed"
    assert after.reason is not None
    assert after.reason.message == "Process 2 of 2 exited with code 3, so all were stopped."


@pytest.mark.parametrize("condition", ["", "Succeeded"])
def test_workers_that_its_operator_does_not_end_are_ended(condition: str) -> None:
    ended, job = launcher(state=DONE, phase="Succeeded"), mpi_job(condition=condition)
    seen = sight(*WORKERS, ended, workload=job)
    session = advance(RUNNING, seen, NOW).session
    left = tidying(session, NOW)
    assert left is not None
    assert not is_left(session, seen, NOW)
    assert next_action(session, seen) is Action.NONE
    later = NOW + timedelta(seconds=left)
    assert tidying(session, later) is None
    assert is_left(session, seen, later)
    late = sight(*WORKERS, ended, workload=job, is_left=True)
    assert next_action(session, late) is Action.REMOVE
    going = worker(0, state=RUNS, deleted=True)
    assert not is_left(session, sight(going, ended, workload=job), later)
    assert not is_left(RUNNING.session, seen, later)


@pytest.mark.parametrize("lost", ["v0", "launcher"])
def test_a_lost_pod_makes_all_anew(lost: str) -> None:
    pods = (
        worker(0, state=RUNS, deleted=lost == "v0"),
        WORKERS[1],
        launcher(state=RUNS, deleted=lost == "launcher"),
    )
    seen = sight(*pods)
    after = advance(RUNNING, seen, NOW)
    assert (after.session.state, after.session.goal) == ("stopping", "requeue")
    assert next_action(after.session, seen) is Action.REMOVE
    assert advance(after, Seen(), NOW).session.state == "waiting"


def test_an_engine_that_starts_jobs_starts_it() -> None:
    suspended = mpi_job(suspend=True)
    by_hand = sight(workload=suspended)
    assert next_action(WAITING.session, by_hand) is Action.START
    complete = {**suspended.metadata.annotations, COMPLETE: "true"}
    made = replace(suspended, metadata=replace(suspended.metadata, annotations=complete))
    by_kueue = sight(workload=made, engine=EnginePatch(starts_jobs=True))
    assert next_action(WAITING.session, by_kueue) is Action.NONE


def requested(framework: Any = "mpi", processes: int = 3, **fields: Any) -> Session:
    session = make_session("exp-1", "2", kind="train", command=("mpirun", "train"))
    spec = replace(session.spec, processes=processes, framework=framework, **fields)
    return replace(session, spec=spec)


def test_its_objects() -> None:
    patch = PodPatch(milli=2000, resources={"nvidia.com/gpu": "2"}, labels={"share": "whole"})
    parts = Parts(share=patch, engine=EnginePatch(labels={"queue": "main"}))
    made = workload(requested(), parts, MPI_JOBS)
    assert (made["apiVersion"], made["kind"]) == ("kubeflow.org/v2beta1", "MPIJob")
    assert made["metadata"]["labels"]["queue"] == "main"
    spec = made["spec"]
    assert spec["slotsPerWorker"] == 2
    assert spec["runPolicy"] == {"suspend": True, "cleanPodPolicy": "Running", "backoffLimit": 0}
    replicas = spec["mpiReplicaSpecs"]
    assert {name: each["replicas"] for name, each in replicas.items()} == {
        "Launcher": 1,
        "Worker": 3,
    }
    inside = {name: each["template"]["spec"] for name, each in replicas.items()}
    [runs], [serves] = (inside[name]["containers"] for name in ("Launcher", "Worker"))
    assert runs["command"] == ["mpirun", "train"]
    assert serves["command"] == [*PodDefaults().mpi_sshd]
    assert "nvidia.com/gpu" not in str(runs.get("resources"))
    assert serves["resources"]["limits"] == {"nvidia.com/gpu": "2"}
    assert inside["Launcher"]["tolerations"] == inside["Worker"]["tolerations"]
    assert "share" not in replicas["Launcher"]["template"]["metadata"]["labels"]
    assert all("restartPolicy" not in each for each in inside.values())
    assert not {"MASTER_ADDR", "RANK"} & {each["name"] for each in runs["env"] + serves["env"]}


@pytest.mark.parametrize(("milli", "slots"), [(0, 1), (500, 1), (1500, 2), (3000, 3)])
def test_a_worker_has_a_slot_for_each_gpu_that_it_has_any_of(milli: int, slots: int) -> None:
    session = requested(share=Share(milli=milli))
    assert workload(session, Parts(), MPI_JOBS)["spec"]["slotsPerWorker"] == slots


class Lacks:
    """Rights of which some are missing, by project."""

    def __init__(self, **missing: str) -> None:
        self.missing = missing

    async def lacking(self, kind: Any, project: str, verbs: Any) -> str:
        assert (kind, "patch" in verbs) == (MPI_JOBS, True)
        return self.missing.get(project.replace("-", "_"), "")


@pytest.mark.asyncio
async def test_its_kind_is_what_the_cluster_has() -> None:
    has, lacks = WorkloadKinds([MPI_JOBS]), WorkloadKinds()
    assert await has.made_for(requested().spec) == (MPI_JOBS, None)
    assert has.possible_for(requested().spec) == (JOBS, MPI_JOBS)
    kind, why = await lacks.made_for(requested().spec)
    assert (kind, why and "no MPIJobs" in why.text) == (JOBS, True)
    assert lacks.possible_for(requested().spec) == (JOBS,)
    for other in (requested("torch"), requested(processes=1)):
        assert await has.made_for(other.spec) == (JOBS, None)
        assert has.possible_for(other.spec) == (JOBS,)
    assert await has.made_for(make_session("exp-1", "1").spec) == (STATEFUL_SETS, None)


def manifests_of(kinds: WorkloadKinds) -> SessionManifests:
    return SessionManifests(lambda _: Parts(), PodDefaults(), lambda *_: (), kinds)


@pytest.mark.asyncio
async def test_without_the_rights_it_is_a_job_and_the_preview_says_so() -> None:
    session = requested()
    other = replace(session, spec=replace(session.spec, project="team-b"))
    missing = Lacks(**{session.spec.project.replace("-", "_"): "create mpijobs"})
    manifests = manifests_of(WorkloadKinds([MPI_JOBS], missing))
    kind, made = await manifests.workload(session)
    assert (kind, made["kind"]) == (JOBS, "Job")
    [told] = await manifests.told(session.spec, "ana")
    assert "(create mpijobs)" in told.text
    assert session.spec.project in told.text
    assert (await manifests.workload(other))[0] is MPI_JOBS
    assert await manifests.told(other.spec, "ana") == ()


@pytest.mark.asyncio
async def test_the_service_is_left_to_the_operator() -> None:
    manifests = manifests_of(WorkloadKinds([MPI_JOBS]))
    kind, made = await manifests.workload(requested())
    assert (kind, made["kind"]) == (MPI_JOBS, "MPIJob")
    kinds = [each for each, _ in manifests.children(requested(), "token", kind)]
    assert SERVICES not in kinds
    assert SERVICES in [each for each, _ in manifests.children(requested(), "token", JOBS)]


def test_the_launcher_is_process_0() -> None:
    assert [last_process(requested(*each).spec) for each in (("mpi", 3), ("torch", 3))] == [3, 2]
    assert last_process(requested("mpi", 1).spec) == 0


def test_other_requests_keep_their_shape() -> None:
    before = requested("torch")
    assert shape_of(before) != shape_of(requested())
    assert shape_of(before) == shape_of(replace(before, spec=replace(before.spec)))
