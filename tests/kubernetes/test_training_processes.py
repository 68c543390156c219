"""Trainings of several processes: their objects, and the states that follow from their pods."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.forecast import previews
from jupyter_gpuquota.core.requests.specs import Facts, check
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.kubernetes.builders.container import network_policy, service
from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.labels import PROCESS
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.state.advance import advance
from jupyter_gpuquota.kubernetes.state.desired import Action, next_action
from jupyter_gpuquota.kubernetes.state.ends import joined
from jupyter_gpuquota.kubernetes.state.seen import Seen
from jupyter_gpuquota.model.pods import ContainerRules
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.resources import Placement, Slice
from jupyter_gpuquota.model.sessions import SessionRequest
from tests.builders import make_node, make_place, make_project, make_session
from tests.kubernetes.sights import NODE, NOW, job, pod, record

RUNS: dict[str, Any] = {"running": {}}
DONE: dict[str, Any] = {"terminated": {"exitCode": 0}}
FAILED: dict[str, Any] = {"terminated": {"exitCode": 3, "finishedAt": "2026-01-01T00:00:05Z"}}
FAILED_LATER: dict[str, Any] = {"terminated": {"exitCode": 1, "finishedAt": "2026-01-01T00:00:06Z"}}
OURS = {"kind": "train", "command": ("train",), "processes": 2}
STARTING = record("starting", pod="p0", run=1, **OURS)
RUNNING = record("running", pod="p0", run=1, started=NOW, **OURS)


def process(number: int, **facts: Any) -> Pod:
    made = pod(f"p{number}", **facts)
    return replace(made, metadata=replace(made.metadata, labels={PROCESS: str(number)}))


def sight(*pods: Pod) -> Seen:
    return Seen(workload=job(RUNNING), pods=pods)


def ended(state: dict[str, Any]) -> dict[str, Any]:
    return {"state": state, "phase": "Succeeded" if state is DONE else "Failed"}


@pytest.mark.parametrize(
    ("others", "state"), [([], "starting"), ([process(1, state=RUNS)], "running")]
)
def test_it_runs_once_all_processes_do(others: list[Pod], state: str) -> None:
    after = advance(STARTING, sight(process(0, state=RUNS), *others), NOW).session
    assert after.state == state


def test_it_is_done_once_all_processes_are() -> None:
    first = process(0, **ended(DONE))
    assert advance(RUNNING, sight(first, process(1, state=RUNS)), NOW).session.state == "running"
    after = advance(RUNNING, sight(first, process(1, **ended(DONE))), NOW).session
    assert (after.state, after.exit and after.exit.code) == ("done", 0)


def test_the_first_process_that_fails_is_the_reason() -> None:
    after = advance(
        RUNNING, sight(process(0, **ended(FAILED_LATER)), process(1, **ended(FAILED))), NOW
    ).session
    assert after.state == "failed"
    assert after.exit is not None
    assert after.exit.code == 3
    assert after.reason is not None
    assert after.reason.message == "Process 1 of 2 exited with code 3, so all were stopped."


def test_it_fails_although_the_first_process_is_being_deleted_for_that() -> None:
    first = process(0, state=RUNS, deleted=True)
    after = advance(RUNNING, sight(first, process(1, **ended(FAILED))), NOW).session
    assert after.state == "failed"


def test_one_lost_process_starts_all_anew() -> None:
    lost = sight(process(0, state=RUNS), process(1, state=RUNS, deleted=True))
    after = advance(RUNNING, lost, NOW)
    assert (after.session.state, after.session.goal) == ("stopping", "requeue")
    assert next_action(after.session, lost) is Action.REMOVE
    again = advance(after, Seen(), NOW).session
    assert again.state == "waiting"


def test_all_processes_count() -> None:
    one = Placement(node=NODE, slices=(Slice(index=0, uuid="", milli=1000, memory=0),))
    both = joined([one, replace(one, node="other")])
    assert both is not None
    assert (both.node, both.milli) == (NODE, 2000)
    assert joined([None, one]) is None


def test_their_objects() -> None:
    session = make_session("exp-1", "1", kind="train", command=("train",))
    session = replace(session, spec=replace(session.spec, processes=3))
    parts = Parts(share=PodPatch(milli=1000))
    made = workload(session, parts)["spec"]
    assert (made["completionMode"], made["completions"], made["parallelism"]) == ("Indexed", 3, 3)
    inside = made["template"]["spec"]
    assert inside["subdomain"] == service(session)["metadata"]["name"] == "gpu-exp-1"
    env = {each["name"]: each for each in inside["containers"][0]["env"]}
    assert env["MASTER_ADDR"]["value"] == "gpu-exp-1-0.gpu-exp-1"
    assert env["WORLD_SIZE"]["value"] == env["PET_NNODES"]["value"] == "3"
    number = {"fieldRef": {"fieldPath": f"metadata.annotations['{PROCESS}']"}}
    assert env["RANK"]["valueFrom"] == env["PET_NODE_RANK"]["valueFrom"] == number
    assert service(session)["spec"]["publishNotReadyAddresses"]
    policy = network_policy(session, PodDefaults())["spec"]
    assert policy["ingress"] == [{"from": [{"podSelector": policy["podSelector"]}]}]


def problems(most: int, **wishes: Any) -> dict[str, str]:
    facts = Facts(
        projects=[make_project()],
        nodes=[make_node()],
        place=make_place(),
        containers=ContainerRules(processes=most),
    )
    given = {"kind": "train", "command": ("train",), "processes": 2, **wishes}
    try:
        check(SessionRequest(name="exp-1", **given), facts)
    except InvalidFields as error:
        return {each.field: each.message for each in error.fields}
    return {}


def test_a_preview_says_where_they_start_one_by_one() -> None:
    spec = replace(make_session("exp-1", "1", kind="train").spec, processes=2)
    told = Preview(verdict="fits", message="It starts now.")
    apart = previews.apart(told, spec, ContainerRules(processes=8, apart=True))
    assert "one by one" in apart.message
    assert previews.apart(told, spec, ContainerRules(processes=8)) is told
    single = replace(spec, processes=1)
    assert previews.apart(told, single, ContainerRules(apart=True)) is told


def test_what_may_have_several_processes() -> None:
    assert problems(8) == {}
    assert "cannot start together here" in problems(1)["processes"]
    assert "Only a training" in problems(8, kind="interactive")["processes"]
    assert "processes" in problems(8, processes=9)
    assert "processes" in problems(8, processes=0)
