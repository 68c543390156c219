"""What the cluster shows, and the state and reason that follow: one table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.lifecycle import request_end, request_resize
from jupyter_gpuquota.kubernetes.engines.engine import Admission
from jupyter_gpuquota.kubernetes.state.advance import advance
from jupyter_gpuquota.kubernetes.state.attached import Attached
from jupyter_gpuquota.kubernetes.state.images import seconds_of
from jupyter_gpuquota.kubernetes.state.record import Record, decode, encode
from jupyter_gpuquota.kubernetes.state.seen import Overdue, Seen
from jupyter_gpuquota.model.ending import Ending
from jupyter_gpuquota.model.previews import QueuePosition
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Placement, Share, Slice
from jupyter_gpuquota.model.sessions import Goal, Reclaim, State
from tests.each import each
from tests.kubernetes.sights import IMAGE, NODE, NOW, ON_N1, event, job, pod, record, seen, workload

LATER = NOW + timedelta(seconds=90)
ENDED = {"terminated": {"exitCode": 3, "message": "one\ntwo"}}
DONE = {"terminated": {"exitCode": 0}}
EXHAUSTED = {
    "terminated": {"exitCode": 1, "message": "one\nCUDA error: out of memory\n", "finishedAt": NOW}
}
KILLED = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
QUEUED = Admission(
    admitted=False,
    queue=QueuePosition(
        session="s1", reason=Reason(code="OverQuota", message="Over quota."), position=2
    ),
)
RECLAIMED = Admission(
    admitted=False,
    reclaim=Reclaim(at=NOW, session="s2", name="exp-2", project="team-b"),
    reason=Reason(code="Reclaimed", message="Reclaimed."),
)
WAITING = record()
STARTING = record("starting", pod="p1", placement=Placement(node=NODE), run=1)
RUNNING = record("running", pod="p1", placement=Placement(node=NODE), run=1, started=NOW)
COMMAND = record("running", pod="p1", command=("train",), run=1, started=NOW)
FRESH_COMMAND = record("starting", pod="p1", command=("train",), run=1)
TRAIN = record("running", pod="p1", kind="train", command=("train",), run=1, started=NOW)
STOPPING = record("stopping", pod="p1", goal="stop", run=1)
SUSPENDING = record("stopping", pod="p1", goal="suspend", run=1)
FAILING = record("stopping", pod="p1", goal="run", reason=Reason(code="StartTimeout", message=""))
REQUEUED = record("stopping", pod="p1", goal="requeue", run=1)
SAVING = record("stopping", pod="p1", goal="stop", ending=Ending(by=NOW))
NO_ROOM = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."
NO_CLAIM = '0/2 nodes are available: persistentvolumeclaim "data" not found.'
NO_SECRET = {"reason": "CreateContainerConfigError", "message": 'secret "key" not found'}
PULLED = 'Successfully pulled image "registry.example/lab:1" in 1m2.5s (1m2.5s including waiting). Image size: 8388608 bytes.'  # noqa: E501

Case = tuple[Record, Callable[[Record], Seen], str, str]
CASES: dict[str, Case] = {
    "no workload yet": (WAITING, lambda r: Seen(), "waiting", ""),
    "queued by the engine": (
        WAITING,
        lambda r: seen(of=r, admission=QUEUED),
        "waiting",
        "OverQuota",
    ),
    "a gated pod": (
        WAITING,
        lambda r: seen(pod(node=""), of=r, admission=QUEUED),
        "waiting",
        "OverQuota",
    ),
    "no node has room": (
        WAITING,
        lambda r: seen(pod(node="", unscheduled=NO_ROOM), of=r),
        "waiting",
        "NoNodeFits",
    ),
    "admitted, but its gate is still there": (
        WAITING,
        lambda r: seen(pod(node="", unscheduled="Scheduling is blocked", gated=True), of=r),
        "waiting",
        "",
    ),
    "no node, by its event": (
        WAITING,
        lambda r: seen(pod(node=""), of=r, events=[event("FailedScheduling", NO_ROOM)]),
        "waiting",
        "NoNodeFits",
    ),
    "a claim is missing": (
        WAITING,
        lambda r: seen(pod(node="", unscheduled=NO_CLAIM), of=r),
        "waiting",
        "VolumePending",
    ),
    "its quota is used up": (
        WAITING,
        lambda r: seen(
            of=r, events=[event("FailedCreate", "forbidden: exceeded quota: q", uid="w1")]
        ),
        "waiting",
        "OverQuota",
    ),
    "a webhook refuses its pod": (
        WAITING,
        lambda r: seen(of=r, events=[event("FailedCreate", "admission webhook denied", uid="w1")]),
        "waiting",
        "NotAllowed",
    ),
    "a webhook refuses its pod, and its engine is away": (
        WAITING,
        lambda r: seen(
            of=r,
            admission=Admission(admitted=False),
            events=[event("FailedCreate", "failed calling webhook", uid="w1")],
        ),
        "waiting",
        "NotAllowed",
    ),
    "its engine says more than its events": (
        WAITING,
        lambda r: seen(of=r, admission=QUEUED, events=[event("FailedCreate", "x", uid="w1")]),
        "waiting",
        "OverQuota",
    ),
    "the namespace goes": (
        WAITING,
        lambda r: seen(of=r, events=[event("FailedCreate", "ns is being terminated", uid="w1")]),
        "waiting",
        "QueueMissing",
    ),
    "refused before, created now": (
        WAITING,
        lambda r: seen(
            of=r, events=[event("FailedCreate", "x", uid="w1"), event("SuccessfulCreate", at=1)]
        ),
        "waiting",
        "",
    ),
    "on a node": (WAITING, lambda r: seen(pod(), of=r), "starting", ""),
    "on a node and ready": (WAITING, lambda r: seen(pod(ready=True), of=r), "running", ""),
    "a pod of an earlier workload": (
        WAITING,
        lambda r: seen(pod(ready=True, owner="w0"), of=r),
        "waiting",
        "",
    ),
    "an image is pulled": (
        STARTING,
        lambda r: seen(
            pod(state={"waiting": {"reason": "ContainerCreating"}}),
            of=r,
            events=[event("Pulling", "Pulling image")],
        ),
        "starting",
        "ImagePull",
    ),
    "an image is missing": (
        STARTING,
        lambda r: seen(pod(state={"waiting": {"reason": "ImagePullBackOff"}}), of=r),
        "starting",
        "ImagePull",
    ),
    "an image was pulled": (
        STARTING,
        lambda r: seen(
            pod(state={"waiting": {"reason": "ContainerCreating"}}),
            of=r,
            events=[event("Pulling"), event("Pulled", PULLED, at=62)],
        ),
        "starting",
        "",
    ),
    "a volume is not attached": (
        STARTING,
        lambda r: seen(pod(), of=r, events=[event("FailedMount", "timed out")]),
        "starting",
        "VolumePending",
    ),
    "a Secret is missing": (
        STARTING,
        lambda r: seen(pod(state={"waiting": NO_SECRET}), of=r),
        "starting",
        "StartFailed",
    ),
    "a Secret is there again": (
        record("starting", pod="p1", run=1, reason=Reason(code="StartFailed", message="")),
        lambda r: seen(pod(state={"running": {}}), of=r),
        "starting",
        "",
    ),
    "a server is restarted": (
        STARTING,
        lambda r: seen(pod(last=ENDED, restarts=1), of=r),
        "starting",
        "CrashLoop",
    ),
    "a server cannot start": (
        STARTING,
        lambda r: seen(pod(last=ENDED, restarts=3), of=r),
        "failed",
        "CrashLoop",
    ),
    "an image could not be pulled in time": (
        STARTING,
        lambda r: seen(
            pod(state={"waiting": {"reason": "ImagePullBackOff"}}), of=r, overdue=Overdue(1, 3600)
        ),
        "stopping",
        "StartTimeout",
    ),
    "a server was not ready in time": (
        STARTING,
        lambda r: seen(pod(state={"running": {}}), of=r, overdue=Overdue(1, 3600)),
        "stopping",
        "StartTimeout",
    ),
    "ready at last": (
        STARTING,
        lambda r: seen(pod(ready=True), of=r, overdue=Overdue(1, 3600)),
        "running",
        "",
    ),
    "its pod was replaced before the time was over": (
        STARTING,
        lambda r: seen(pod("p2"), of=r, overdue=Overdue(1, 3600)),
        "starting",
        "",
    ),
    "a command fails at once": (
        FRESH_COMMAND,
        lambda r: seen(pod(state=ENDED), of=r),
        "failed",
        "CommandFailed",
    ),
    "a command runs, ready or not": (
        FRESH_COMMAND,
        lambda r: seen(pod(state={"running": {}}), of=r),
        "running",
        "",
    ),
    "a server runs, but does not answer yet": (
        STARTING,
        lambda r: seen(pod(state={"running": {}}), of=r),
        "starting",
        "",
    ),
    "a command is done": (COMMAND, lambda r: seen(pod(state=DONE), of=r), "done", ""),
    "a command was done and runs again": (
        COMMAND,
        lambda r: seen(pod(ready=True, last=DONE, restarts=1), of=r),
        "done",
        "",
    ),
    "a job is done": (
        TRAIN,
        lambda r: seen(
            pod(phase="Succeeded", state=DONE), of=r, workload=job(r, condition="Complete")
        ),
        "done",
        "",
    ),
    "a command is done on a node that was to be drained": (
        COMMAND,
        lambda r: seen(
            pod(phase="Succeeded", state=DONE, disrupted="EvictionByEvictionAPI", spared=True), of=r
        ),
        "done",
        "",
    ),
    "a server dies": (RUNNING, lambda r: seen(pod(state=ENDED), of=r), "failed", "CommandFailed"),
    "out of memory": (
        RUNNING,
        lambda r: seen(pod(last=KILLED, restarts=1), of=r),
        "failed",
        "OutOfMemory",
    ),
    "out of GPU memory": (
        COMMAND,
        lambda r: seen(pod(state=EXHAUSTED), of=r),
        "failed",
        "OutOfMemory",
    ),
    "running": (RUNNING, lambda r: seen(pod(ready=True), of=r), "running", ""),
    "not ready for a while": (RUNNING, lambda r: seen(pod(ready=False), of=r), "running", ""),
    "its node does not respond": (
        RUNNING,
        lambda r: seen(pod(), of=r, lost=frozenset({NODE})),
        "running",
        "NodeLost",
    ),
    "its node is lost": (
        RUNNING,
        lambda r: seen(pod(deleted=True), of=r, lost=frozenset({NODE})),
        "stopping",
        "NodeLost",
    ),
    "evicted": (
        RUNNING,
        lambda r: seen(pod(phase="Failed", reason="Evicted"), of=r),
        "waiting",
        "",
    ),
    "drained": (
        RUNNING,
        lambda r: seen(pod(deleted=True, disrupted="EvictionByEvictionAPI"), of=r),
        "stopping",
        "Evicted",
    ),
    "its pod was deleted": (
        RUNNING,
        lambda r: seen(pod(deleted=True), of=r),
        "stopping",
        "Evicted",
    ),
    "its pod has gone": (RUNNING, lambda r: seen(of=r), "waiting", ""),
    "its pod was replaced unseen": (
        RUNNING,
        lambda r: seen(pod("p2", ready=True), of=r),
        "running",
        "",
    ),
    "reclaimed": (
        RUNNING,
        lambda r: seen(pod(), of=r, admission=RECLAIMED),
        "stopping",
        "Reclaimed",
    ),
    "reclaimed and gone": (
        RUNNING,
        lambda r: seen(pod("p2", node=""), of=r, admission=RECLAIMED),
        "waiting",
        "",
    ),
    "stopping": (
        STOPPING,
        lambda r: seen(pod(deleted=True), of=r, workload=workload(r, up=False)),
        "stopping",
        "",
    ),
    "not scaled down yet": (STOPPING, lambda r: seen(of=r), "stopping", ""),
    "scaled down, but not seen by its controller": (
        STOPPING,
        lambda r: seen(of=r, workload=workload(r, up=False, settled=False)),
        "stopping",
        "",
    ),
    "stopped": (STOPPING, lambda r: seen(of=r, workload=workload(r, up=False)), "stopped", ""),
    "suspended": (
        SUSPENDING,
        lambda r: seen(of=r, workload=workload(r, up=False)),
        "suspended",
        "",
    ),
    "failed to start": (
        FAILING,
        lambda r: seen(of=r, workload=workload(r, up=False)),
        "failed",
        "StartTimeout",
    ),
    "a job was removed": (STOPPING, lambda r: Seen(), "stopped", ""),
    "pages save": (SAVING, lambda r: seen(pod(ready=True), of=r), "stopping", ""),
    "requeued, and its pod goes": (
        REQUEUED,
        lambda r: seen(pod(deleted=True), of=r),
        "stopping",
        "",
    ),
    "requeued, and its pod has gone": (REQUEUED, lambda r: seen(of=r), "waiting", ""),
}


@each(CASES)
def test_what_is_seen_gives_state_and_reason(name: str) -> None:
    before, sight, state, code = CASES[name]
    after = advance(before, sight(before), LATER).session
    assert (after.state, after.reason.code if after.reason else "") == (state, code)


@each(CASES)
def test_what_was_seen_before_changes_nothing_more(name: str) -> None:
    before, sight, _, _ = CASES[name]
    after = advance(before, sight(before), LATER)
    again = advance(after, sight(before), LATER + timedelta(minutes=1))
    assert again == after


@each(CASES)
def test_another_controller_goes_on_from_the_record(name: str) -> None:
    before, sight, _, _ = CASES[name]
    after = advance(before, sight(before), LATER)
    known = decode(encode(after)).value
    assert known is not None
    assert advance(known, sight(before), LATER) == after


def test_a_session_on_a_node_has_its_gpus() -> None:
    slices = (Slice(milli=1000, memory=0),)
    place = Placement(node=NODE, slices=slices)
    after = advance(WAITING, seen(pod(), of=WAITING, placement=place), LATER).session
    assert after.placement == place
    assert after.run == 1
    assert [step.message for step in after.progress] == ["Placed on dgx1-1"]


def test_progress_has_the_pull_with_size_and_time() -> None:
    sight = CASES["an image was pulled"][1]
    after = advance(STARTING, sight(STARTING), LATER).session
    assert [step.message for step in after.progress] == [
        "Pulling registry.example/lab:1",
        "Pulled registry.example/lab:1 (8 MiB) in 1 min 2 s",
    ]


def test_an_exit_has_its_code_and_last_lines() -> None:
    after = advance(COMMAND, seen(pod(state=ENDED), of=COMMAND), LATER).session
    assert after.exit is not None
    assert (after.exit.code, after.exit.last_lines) == (3, ("one", "two"))
    assert after.reason is not None
    assert after.reason.raw == "two"


def test_a_start_that_took_too_long_says_what_was_in_its_way() -> None:
    sight = CASES["an image could not be pulled in time"][1]
    why = advance(STARTING, sight(STARTING), LATER).session.reason
    assert why is not None
    assert why.message == f"Not ready within 1 h. {IMAGE} cannot be pulled."
    assert why.raw == "ImagePullBackOff: "


def test_the_schedulers_words_are_kept() -> None:
    after = advance(WAITING, CASES["no node has room"][1](WAITING), LATER).session
    assert after.reason is not None
    assert after.reason.raw == NO_ROOM


def test_a_replaced_pod_is_another_run() -> None:
    after = advance(RUNNING, seen(pod("p2", ready=True), of=RUNNING), LATER)
    assert (after.session.run, after.pod) == (2, "p2")


def test_a_reclaimed_session_names_who_took_its_gpus() -> None:
    after = advance(RUNNING, seen(pod("p2", node=""), of=RUNNING, admission=RECLAIMED), LATER)
    assert after.session.reclaimed == RECLAIMED.reclaim


def test_a_resized_session_waits_until_its_old_pod_has_gone() -> None:
    resized = replace(RUNNING, session=request_resize(RUNNING.session, Share(milli=500), NOW))
    old = workload(RUNNING)
    assert advance(resized, seen(of=resized, workload=old), LATER).session.state == "stopping"
    down = workload(RUNNING, up=False)
    assert advance(resized, seen(of=resized, workload=down), LATER).session.state == "waiting"


def test_a_stopped_session_ignores_what_is_left_of_it() -> None:
    stopped = replace(WAITING, session=request_end(WAITING.session, "stop", NOW))
    assert advance(stopped, seen(pod(ready=True), of=stopped), LATER) == stopped


def test_records_of_later_versions_are_read() -> None:
    text = encode(RUNNING).replace('"state":"running"', '"state":"hovering","novel":[1]')
    known = decode(text)
    assert known.value is not None
    assert known.value.session.state == "hovering"
    assert advance(known.value, Seen(), NOW) == known.value
    assert decode('{"else":1}').newer
    assert decode("{").damaged


@pytest.mark.parametrize(("span", "seconds"), [("1m2.5s", 62.5), ("850ms", 0.85), ("1h0m0s", 3600)])
def test_durations_as_go_writes_them(span: str, seconds: float) -> None:
    assert seconds_of(span) == seconds


def test_a_missing_claim_is_named() -> None:
    after = advance(WAITING, CASES["a claim is missing"][1](WAITING), LATER).session
    assert after.reason is not None
    assert after.reason.message == "The claim data does not exist."
    assert after.reason.raw == NO_CLAIM


@pytest.mark.parametrize("state", ["stopping", "waiting"])
def test_an_engine_may_tell_late_for_whom_it_took_the_gpus(state: State) -> None:
    """KAI deletes the pod, and the event that says why may be seen after that."""
    goal: Goal = "requeue" if state == "stopping" else "run"
    lost = record(state, pod="p1", goal=goal, run=1, started=NOW)
    shown = seen(pod(deleted=True) if state == "stopping" else pod(node=""), of=lost)
    assert RECLAIMED.reclaim
    told = dataclasses.replace(shown, admission=RECLAIMED)
    after = advance(lost, told, LATER).session
    assert after.reclaimed == RECLAIMED.reclaim
    earlier = replace(RECLAIMED.reclaim, at=NOW - timedelta(hours=1))
    old = dataclasses.replace(RECLAIMED, reclaim=earlier)
    after = advance(lost, dataclasses.replace(shown, admission=old), LATER).session
    assert after.reclaimed is None


@pytest.mark.parametrize(
    ("said", "admission", "key"),
    [
        (NO_ROOM, Admission(), "volume.attached"),
        (NO_CLAIM, Admission(), "volume.missing"),
        ("", QUEUED, ""),
    ],
)
def test_a_session_that_waits_for_the_node_of_its_volume_says_so(said, admission, key):
    found = seen(pod(node="", unscheduled=said), of=WAITING, admission=admission, attached=[ON_N1])
    reason = advance(WAITING, found, NOW).session.reason
    assert reason is not None
    assert (reason.key, reason.raw) == (key, said)
    if key == "volume.attached":
        assert reason.code == "NoNodeFits"
        assert reason.message == "Runs on node n1: volume data is attached there."


def test_volumes_on_different_nodes_are_why_a_session_waits():
    other = Attached("out", ("n2",), ("n2",))
    both = Attached("more", ("n1", "n2"), ("n1", "n2"))
    sight = pod(node="", unscheduled=NO_ROOM)
    apart = advance(WAITING, seen(sight, of=WAITING, attached=[ON_N1, other]), NOW).session.reason
    assert apart is not None
    assert apart.message == "data and out are attached to different nodes."
    near = advance(WAITING, seen(sight, of=WAITING, attached=[ON_N1, both]), NOW).session.reason
    assert near is not None
    assert near.key == "volume.attached"
