"""What is written next, by what is recorded and seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from msgspec.structs import replace

from jupyter_gpuquota.core.lifecycle import request_resize
from jupyter_gpuquota.kubernetes.engines.engine import Admission, EnginePatch
from jupyter_gpuquota.kubernetes.labels import ATTACHED, COMPLETE
from jupyter_gpuquota.kubernetes.objects.workloads import Workload
from jupyter_gpuquota.kubernetes.state.desired import Action, next_action
from jupyter_gpuquota.kubernetes.state.record import Record
from jupyter_gpuquota.kubernetes.state.seen import Seen
from jupyter_gpuquota.model.ending import Ending, Exit
from jupyter_gpuquota.model.previews import QueuePosition
from jupyter_gpuquota.model.resources import Share
from tests.each import each
from tests.kubernetes.sights import NOW, ON_N1, job, pod, record, seen, workload

WAITING = record()
RUNNING = record("running", pod="p1", started=NOW)
RESIZED = replace(WAITING, session=request_resize(WAITING.session, Share(milli=500), NOW))
RESIZING = replace(RUNNING, session=request_resize(RUNNING.session, Share(milli=500), NOW))
SAVING = record("stopping", goal="stop", ending=Ending(by=NOW))
SIGNALLED = record("stopping", goal="stop", ending=Ending(by=NOW, signalled=NOW))
REQUEUED = record("stopping", goal="requeue")
STOPPED = record("stopped")
TRAIN = record(kind="train")
TRAINED = record("done", kind="train", exit=Exit(code=0, at=NOW))
ENDING_TRAIN = record("stopping", kind="train", goal="suspend")

QUEUE = "kai.scheduler/queue"
IN_B = EnginePatch(labels={QUEUE: "b"})
STARTS_JOBS = EnginePatch(starts_jobs=True)

CASES: dict[str, tuple[Record, Callable[[Record], Seen], Action]] = {
    "nothing is there": (WAITING, lambda r: Seen(), Action.CREATE),
    "its old pod is still there": (WAITING, lambda r: Seen(pods=[pod()]), Action.NONE),
    "only a finished pod is there": (
        WAITING,
        lambda r: Seen(pods=[pod(phase="Failed")]),
        Action.CREATE,
    ),
    "created": (WAITING, lambda r: seen(of=r, workload=workload(r, up=False)), Action.START),
    "created, but its last pod terminates": (
        WAITING,
        lambda r: seen(pod(deleted=True), of=r, workload=workload(r, up=False)),
        Action.NONE,
    ),
    "scaled up without its children": (
        WAITING,
        lambda r: seen(pod(node=""), of=r, workload=_incomplete(r)),
        Action.START,
    ),
    "up": (WAITING, lambda r: seen(of=r), Action.NONE),
    "running": (RUNNING, lambda r: seen(pod(), of=r), Action.NONE),
    "made from another request": (RESIZED, lambda r: seen(of=WAITING), Action.REMOVE),
    "resizing": (RESIZING, lambda r: seen(pod(), of=RUNNING), Action.STOP),
    "pages save": (SAVING, lambda r: seen(pod(), of=r), Action.NONE),
    "pages have saved": (SIGNALLED, lambda r: seen(pod(), of=r), Action.STOP),
    "interrupted": (REQUEUED, lambda r: seen(pod(deleted=True), of=r), Action.NONE),
    "stopped": (STOPPED, lambda r: seen(of=r, workload=workload(r, up=False)), Action.NONE),
    "stopped while queued": (STOPPED, lambda r: seen(of=r), Action.STOP),
    "stopped while its engine queues it": (STOPPED, lambda r: _queued(seen(of=r)), Action.REMOVE),
    "stopped before, and its engine still queues it": (
        STOPPED,
        lambda r: _queued(seen(of=r, workload=workload(r, up=False))),
        Action.REMOVE,
    ),
    "made anew while its engine still queues the last one": (
        WAITING,
        lambda r: _queued(seen(of=r, workload=workload(r, up=False))),
        Action.NONE,
    ),
    "queued by its engine": (WAITING, lambda r: _queued(seen(of=r)), Action.NONE),
    "its volume is now attached to a node": (
        WAITING,
        lambda r: seen(pod(node=""), of=r, attached=[ON_N1]),
        Action.REMOVE,
    ),
    "made for the node of its volume": (
        WAITING,
        lambda r: seen(of=r, workload=_on_n1(workload(r)), attached=[ON_N1]),
        Action.NONE,
    ),
    "its volume is free again": (
        WAITING,
        lambda r: seen(of=r, workload=_on_n1(workload(r))),
        Action.REMOVE,
    ),
    "a job whose volume is now attached to a node": (
        TRAIN,
        lambda r: seen(of=r, workload=_waiting_job(r), engine=STARTS_JOBS, attached=[ON_N1]),
        Action.REMOVE,
    ),
    "running where its volume was attached": (
        RUNNING,
        lambda r: seen(pod(), of=r, workload=_on_n1(workload(r))),
        Action.NONE,
    ),
    "its queue is another one": (
        WAITING,
        lambda r: seen(of=r, workload=workload(r, up=False, labels={QUEUE: "a"}), engine=IN_B),
        Action.REMOVE,
    ),
    "made for its queue": (
        WAITING,
        lambda r: seen(of=r, workload=workload(r, up=False, labels={QUEUE: "b"}), engine=IN_B),
        Action.START,
    ),
    "queued in another queue": (
        WAITING,
        lambda r: seen(of=r, workload=workload(r, labels={QUEUE: "a"}), engine=IN_B),
        Action.NONE,
    ),
    "its last pod still terminates in another queue": (
        WAITING,
        lambda r: seen(
            pod(deleted=True),
            of=r,
            workload=workload(r, up=False, labels={QUEUE: "a"}),
            engine=IN_B,
        ),
        Action.NONE,
    ),
    "a suspended job": (TRAIN, lambda r: seen(of=r, workload=job(r, suspend=True)), Action.START),
    "a suspended job that its engine queues": (
        TRAIN,
        lambda r: _queued(seen(of=r, workload=job(r, suspend=True))),
        Action.START,
    ),
    "a job that its engine starts": (
        TRAIN,
        lambda r: seen(of=r, workload=_waiting_job(r), engine=STARTS_JOBS),
        Action.NONE,
    ),
    "a job that the engine has started early": (
        TRAIN,
        lambda r: seen(of=r, workload=_started_job(r), engine=STARTS_JOBS),
        Action.START,
    ),
    "a job to run again": (
        TRAIN,
        lambda r: seen(of=r, workload=job(r, condition="Failed")),
        Action.REMOVE,
    ),
    "a job to end": (ENDING_TRAIN, lambda r: seen(pod(), of=r, workload=job(r)), Action.REMOVE),
    "a job that has ended": (
        TRAINED,
        lambda r: seen(of=r, workload=job(r, condition="Complete")),
        Action.NONE,
    ),
    "a job whose pod has ended": (
        TRAINED,
        lambda r: seen(pod(phase="Succeeded"), of=r, workload=job(r)),
        Action.NONE,
    ),
}


def _queued(sight: Seen) -> Seen:
    """Return the same of a session that Kueue has not admitted."""
    admission = Admission(admitted=False, queue=QueuePosition(session="id-exp-1"))
    return dataclasses.replace(sight, engine=STARTS_JOBS, admission=admission)


def _incomplete(of: Record) -> object:
    found = workload(of)
    kept = {k: v for k, v in found.metadata.annotations.items() if k != COMPLETE}
    return replace(found, metadata=replace(found.metadata, annotations=kept))


def _on_n1(found: Workload) -> Workload:
    more = {**found.metadata.annotations, ATTACHED: "n1"}
    return replace(found, metadata=replace(found.metadata, annotations=more))


def _waiting_job(of: Record) -> object:
    found = job(of, suspend=True)
    more = {**found.metadata.annotations, COMPLETE: "true"}
    return replace(found, metadata=replace(found.metadata, annotations=more))


def _started_job(of: Record) -> object:
    found = job(of)
    kept = {k: v for k, v in found.metadata.annotations.items() if k != COMPLETE}
    return replace(found, metadata=replace(found.metadata, annotations=kept))


@each(CASES)
def test_what_is_written_next(name: str) -> None:
    of, sight, action = CASES[name]
    assert next_action(of.session, sight(of)) is action
