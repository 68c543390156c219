"""Trainings of several processes as TrainJobs of Kubeflow's Trainer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from msgspec.structs import replace

from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.session_manifests import SessionManifests
from jupyter_gpuquota.kubernetes.builders.train_job import differences, unfit
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.engines.engine import EnginePatch
from jupyter_gpuquota.kubernetes.labels import COMPLETE, PROCESS, SESSION, SHAPE
from jupyter_gpuquota.kubernetes.objects.meta import Meta, Object, Owner
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.objects.workloads import TrainingRuntime, TrainJob
from jupyter_gpuquota.kubernetes.reconcile.kinds import WorkloadKinds, kind_of
from jupyter_gpuquota.kubernetes.resources import JOB_SETS, JOBS, SERVICES, TRAIN_JOBS
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.state.advance import advance
from jupyter_gpuquota.kubernetes.state.desired import Action, next_action
from jupyter_gpuquota.kubernetes.state.record import Record, shape_of
from jupyter_gpuquota.kubernetes.state.seen import Seen
from jupyter_gpuquota.model.pods import PodOptions
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.kubernetes.sights import NOW, pod, record

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "jupyter-gpuquota"
DEFAULTS = PodDefaults(training_runtime=NAME)
WHOLE = PodPatch(milli=2000, resources={"nvidia.com/gpu": "2"}, labels={"share": "whole"})
PARTS = Parts(share=WHOLE, defaults=DEFAULTS, grace=60)
RUNS: dict[str, Any] = {"running": {}}
FAILED: dict[str, Any] = {"terminated": {"exitCode": 3, "finishedAt": "2026-01-01T00:00:05Z"}}


def runtime(change: Callable[[dict[str, Any]], object] = dict) -> TrainingRuntime:
    """Return the runtime that comes with the product, changed."""
    raw = yaml.safe_load((DEPLOY / "training-runtime.yaml").read_text(encoding="utf-8"))
    change(raw["spec"])
    return msgspec.json.decode(msgspec.json.encode(raw), type=TrainingRuntime)


def job_of(spec: Any) -> Any:
    [made] = spec["template"]["spec"]["replicatedJobs"]
    return made["template"]["spec"]


def pod_of(spec: Any) -> Any:
    return job_of(spec)["template"]["spec"]


def container_of(spec: Any) -> Any:
    return pod_of(spec)["containers"][0]


def requested(processes: int = 3, **fields: Any) -> Session:
    session = make_session("exp-1", "2", kind="train", command=("torchrun", "train.py"))
    fields = {"folder": DEFAULTS.home, "image": "torch:1", **fields}
    return replace(session, spec=replace(session.spec, processes=processes, **fields))


def made(session: Session, parts: Parts = PARTS) -> dict[str, Any]:
    return workload(session, parts, TRAIN_JOBS)


def test_its_request_is_that_of_the_indexed_job() -> None:
    session = requested()
    ours, job = made(session), workload(session, PARTS, JOBS)
    assert (ours["apiVersion"], ours["kind"]) == ("trainer.kubeflow.org/v1alpha1", "TrainJob")
    spec = ours["spec"]
    assert spec["suspend"] is True
    assert spec["runtimeRef"] == {"name": NAME}
    trainer = spec["trainer"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert (trainer["numNodes"], trainer["numProcPerNode"], trainer["args"]) == (3, 1, [])
    for name, there in (("image", "image"), ("command", "command"), ("resources", None)):
        assert trainer[there or "resourcesPerNode"] == container[name]
    [patch] = spec["runtimePatches"]
    template = patch["trainingRuntimeSpec"]["template"]
    [one] = template["spec"]["replicatedJobs"]
    labels = {SESSION: session.id}
    assert template["metadata"]["labels"].items() >= labels.items()
    assert one["template"]["metadata"]["labels"] == template["metadata"]["labels"]
    pods = one["template"]["spec"]["template"]
    assert pods["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]
    assert pods["metadata"]["annotations"]["kubectl.kubernetes.io/default-container"] == "node"
    plain = job["spec"]["template"]["spec"]
    for field in ("volumes", "securityContext", "tolerations"):
        assert pods["spec"][field] == plain[field]
    [inside] = pods["spec"]["containers"]
    assert inside["name"] == one["name"] == "node"
    assert inside["volumeMounts"] == container["volumeMounts"]
    assert inside["securityContext"] == container["securityContext"]
    assert "env" not in inside


def test_variables_of_trainer_are_left_to_it() -> None:
    env = {each["name"]: each for each in made(requested())["spec"]["trainer"]["env"]}
    assert env["MASTER_ADDR"]["value"] == "gpu-exp-1-node-0-0.gpu-exp-1"
    assert env["WORLD_SIZE"]["value"] == "3"
    assert PROCESS in env["RANK"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert not [name for name in env if name.startswith("PET_")]


def test_the_runtime_that_comes_with_the_product_fits() -> None:
    assert list(differences(requested(), PARTS, runtime())) == []
    more = {"nodeSelector": {"gpu": "yes"}, "tolerations": [{"key": "a", "operator": "Exists"}]}
    assert list(differences(requested(), PARTS, runtime(lambda s: pod_of(s).update(more)))) == []


def test_the_runtime_of_kubeflow_would_start_processes_again() -> None:
    bare = [{"name": "node", "image": "pytorch/pytorch:2.10.0"}]

    def kubeflows(spec: dict[str, Any]) -> None:
        job_of(spec).clear()
        job_of(spec)["template"] = {"spec": {"containers": bare}}

    found = set(differences(requested(), PARTS, runtime(kubeflows)))
    assert found >= {"backoffLimit", "restartPolicy", "automountServiceAccountToken"}
    told = unfit(requested(), PARTS, runtime(kubeflows))
    assert told is not None
    assert f"runtime {NAME} would differ in automountServiceAccountToken, backoff" in told.text
    missing = unfit(requested(), PARTS, None)
    assert missing is not None
    assert f"{NAME} for TrainJobs is not there" in missing.text


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("mlPolicy", lambda s: s["mlPolicy"].pop("torch")),
        ("podGroupPolicy", lambda s: s.update(podGroupPolicy={"coscheduling": {}})),
        ("network", lambda s: s["template"]["spec"].update(network={"subdomain": "x"})),
        ("replicatedJobs", lambda s: s["template"]["spec"]["replicatedJobs"].append({"name": "x"})),
        ("backoffLimit", lambda s: job_of(s).update(backoffLimit=2)),
        ("completionMode", lambda s: job_of(s).update(completionMode="NonIndexed")),
        ("ttlSecondsAfterFinished", lambda s: job_of(s).update(ttlSecondsAfterFinished=5)),
        ("hostNetwork", lambda s: pod_of(s).update(hostNetwork=True)),
        ("serviceAccountName", lambda s: pod_of(s).update(serviceAccountName="admin")),
        ("volumes", lambda s: pod_of(s).update(volumes=[{"name": "home", "emptyDir": {}}])),
        ("initContainers", lambda s: pod_of(s).update(initContainers=[{"name": "first"}])),
        ("containers", lambda s: pod_of(s)["containers"].append({"name": "sidecar"})),
        ("imagePullPolicy", lambda s: container_of(s).update(imagePullPolicy="Always")),
        ("envFrom", lambda s: container_of(s).update(envFrom=[{"secretRef": {"name": "x"}}])),
    ],
)
def test_what_a_runtime_must_not_have_is_named(field: str, change: Any) -> None:
    assert list(differences(requested(), PARTS, runtime(change))) == [field]


def test_a_step_of_another_name_runs_no_command() -> None:
    def other(spec: dict[str, Any]) -> None:
        spec["template"]["spec"]["replicatedJobs"][0]["template"]["metadata"]["labels"] = {}

    [found] = differences(requested(), PARTS, runtime(other))
    assert found.endswith("ancestor-step")


@pytest.mark.parametrize(
    ("field", "session", "parts"),
    [
        ("workingDir", requested(folder="/data"), PARTS),
        ("imagePullPolicy", requested(pod=PodOptions(pull_policy="Always")), PARTS),
        ("command", requested(command=("x",) * 129), PARTS),
        ("metadata.name", requested(name="n" * 46), PARTS),
        ("PET_NPROC_PER_NODE", requested(env={"PET_NPROC_PER_NODE": "2"}), PARTS),
        ("terminationGracePeriodSeconds", requested(), Parts(defaults=DEFAULTS, grace=5)),
        (
            "schedulerName",
            requested(),
            Parts(defaults=DEFAULTS, grace=60, engine=EnginePatch(scheduler="kai")),
        ),
    ],
)
def test_what_a_request_needs_besides_is_named(field: str, session: Session, parts: Parts) -> None:
    assert set(differences(session, parts, runtime())) == {field}


def test_a_scheduler_of_the_runtime_does_not_make_it_fit() -> None:
    engine = EnginePatch(scheduler="kai")
    parts = Parts(defaults=DEFAULTS, grace=60, engine=engine)
    theirs = runtime(lambda s: pod_of(s).update(schedulerName="kai"))
    assert list(differences(requested(), parts, theirs)) == ["schedulerName"]


class Lacks:
    """Rights without those on one kind."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    async def lacking(self, kind: Any, _project: str, verbs: Any) -> str:
        return f"{verbs[0]} {kind.plural}" if kind is self.kind else ""


def manifests(found: TrainingRuntime | None, kinds: WorkloadKinds) -> SessionManifests:
    kinds.runtime = lambda: found
    return SessionManifests(lambda _: PARTS, DEFAULTS, lambda *_: (), kinds)


@pytest.mark.asyncio
async def test_it_is_one_where_cluster_rights_and_runtime_allow_it() -> None:
    ours = manifests(runtime(), WorkloadKinds([TRAIN_JOBS], runtime=NAME))
    kind, manifest = await ours.workload(requested())
    assert (kind, manifest["kind"]) == (TRAIN_JOBS, "TrainJob")
    assert await ours.told(requested().spec, "ana") == ()
    assert SERVICES not in [each for each, _ in ours.children(requested(), "token", kind)]
    for other in (requested(1), requested(framework="mpi")):
        assert (await ours.workload(other))[0] is JOBS


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("found", "kinds", "says"),
    [
        (runtime(), WorkloadKinds([TRAIN_JOBS]), ""),
        (runtime(), WorkloadKinds(runtime=NAME), "has no TrainJobs"),
        (None, WorkloadKinds([TRAIN_JOBS], runtime=NAME), "not there"),
        (
            runtime(lambda s: job_of(s).update(backoffLimit=2)),
            WorkloadKinds([TRAIN_JOBS], runtime=NAME),
            "differ in backoffLimit.",
        ),
        (
            runtime(),
            WorkloadKinds([TRAIN_JOBS], Lacks(TRAIN_JOBS), NAME),
            "(create trainjobs)",
        ),
        (runtime(), WorkloadKinds([TRAIN_JOBS], Lacks(JOB_SETS), NAME), "(list jobsets)"),
    ],
)
async def test_elsewhere_it_is_an_indexed_job_and_the_preview_says_why(
    found: TrainingRuntime | None, kinds: WorkloadKinds, says: str
) -> None:
    ours = manifests(found, kinds)
    kind, manifest = await ours.workload(requested())
    assert (kind, manifest["spec"]["completionMode"]) == (JOBS, "Indexed")
    told = await ours.told(requested().spec, "ana")
    assert [says in each.text for each in told] == ([True] if says else [])


def recorded(state: str, **fields: Any) -> Record:
    return record(state, kind="train", command=("torchrun", "train.py"), processes=2, **fields)


WAITING = recorded("waiting")
STARTING = recorded("starting", pod="p0", run=1)
RUNNING = recorded("running", pod="p0", run=1, started=NOW)


def owned(uid: str, by: str) -> Object:
    owner = Owner(kind="Owner", name="x", uid=by)
    return Object(metadata=Meta(name=uid, namespace="team-a", uid=uid, owner_references=(owner,)))


BETWEEN = {"set": owned("set", "w1"), "job": owned("job", "set")}


def train_job(*, suspend: bool = False, condition: str = "") -> TrainJob:
    annotations = {SHAPE: shape_of(RUNNING.session), **({} if suspend else {COMPLETE: "true"})}
    raw = {
        "metadata": {
            "name": "gpu-exp-1",
            "namespace": "team-a",
            "uid": "w1",
            "annotations": annotations,
        },
        "spec": {"suspend": suspend},
        "status": {"conditions": [{"type": condition, "status": "True"}] if condition else []},
    }
    return msgspec.json.decode(msgspec.json.encode(raw), type=TrainJob)


def process(number: int, **facts: Any) -> Pod:
    found = pod(f"p{number}", owner="job", **facts)
    return replace(found, metadata=replace(found.metadata, labels={PROCESS: str(number)}))


def sight(*pods: Pod, **fields: Any) -> Seen:
    return Seen(**{"workload": train_job(), "pods": pods, "between": BETWEEN, **fields})


def test_its_pods_are_those_of_the_job_of_its_job_set() -> None:
    placed = advance(WAITING, sight(process(0)), NOW)
    assert (placed.session.state, placed.pod) == ("starting", "p0")
    both = (process(0, state=RUNS), process(1, state=RUNS))
    assert advance(STARTING, sight(*both), NOW).session.state == "running"
    strangers = sight(*both, between={"job": owned("job", "another")})
    assert advance(WAITING, strangers, NOW).session.state == "waiting"


def test_a_process_that_fails_ends_it() -> None:
    failed = process(1, state=FAILED, phase="Failed")
    after = advance(RUNNING, sight(process(0, state=RUNS), failed), NOW).session
    assert (after.state, after.exit and after.exit.code) == ("failed", 3)
    finished = sight(failed, workload=train_job(condition="Failed"))
    assert next_action(after, finished) is Action.NONE


def test_it_is_started_and_removed_as_a_job() -> None:
    suspended = train_job(suspend=True)
    assert kind_of(suspended) is TRAIN_JOBS
    assert next_action(WAITING.session, sight(workload=suspended)) is Action.START
    assert suspended.starting == {"suspend": False}
    complete = {**suspended.metadata.annotations, COMPLETE: "true"}
    by_kueue = replace(suspended, metadata=replace(suspended.metadata, annotations=complete))
    seen = sight(workload=by_kueue, engine=EnginePatch(starts_jobs=True))
    assert next_action(WAITING.session, seen) is Action.NONE
    gone = sight(process(0, state=RUNS, deleted=True), process(1, state=RUNS))
    after = advance(RUNNING, gone, NOW)
    assert (after.session.state, after.session.goal) == ("stopping", "requeue")
    assert next_action(after.session, gone) is Action.REMOVE
