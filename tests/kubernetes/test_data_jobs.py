"""Jobs on cached datasets on a fake API server: started, followed, adopted, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.errors import GpuQuotaError, NotAllowed
from jupyter_gpuquota.kubernetes.api import Fault, Query
from jupyter_gpuquota.kubernetes.builders.helper_pod import DataJob, DataJobSettings, name_of
from jupyter_gpuquota.kubernetes.datasets.jobs import DataJobs
from jupyter_gpuquota.kubernetes.datasets.reporting import Reports
from jupyter_gpuquota.kubernetes.datasets.task import DataJobObjects, Task
from jupyter_gpuquota.kubernetes.resources import EVENTS, JOBS, PODS
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.datasets.lines import JobLine
from jupyter_gpuquota.model.reasons import Reason
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_claims import Registry
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

TEAM = "team-a"
FETCH = DataJob("j1", "cache", TEAM, "datasets", ("mnist",))
TASK = Task(id="j1", verb="cache", dataset="mnist", started=datetime(2026, 5, 4, tzinfo=UTC))
NAME = name_of(FETCH)
LOG = f"/api/v1/namespaces/{TEAM}/pods/{NAME}-x/log"
CONTAINER = {"name": "data", "image": "i:1"}


class Heard:
    """What a listener was told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.reasons: list[str] = []
        self.errors: list[GpuQuotaError | None] = []

    async def heard(self, key: Any, task: Task, at: datetime, line: bytes) -> None:
        self.lines.append(line.decode())

    async def waits(self, key: Any, task: Task, why: Reason | None) -> None:
        self.reasons.append(why.message if why else "")

    async def ended(self, key: Any, task: Task, error: GpuQuotaError | None) -> None:
        self.errors.append(error)


@pytest.fixture
def api() -> FakeApi:
    return FakeApi((TEAM,))


@pytest.fixture
def heard() -> Heard:
    return Heard()


class SilentApi(FakeApi):
    """An API server whose logs neither say anything nor end."""

    async def stream(self, path: str, query: Query | None = None) -> AsyncGenerator[bytes]:
        await asyncio.Event().wait()
        yield b""


@asynccontextmanager
async def jobs(
    api: FakeApi, heard: Heard, last_read: float | None = None
) -> AsyncIterator[DataJobs]:
    """Jobs as a controller follows them."""
    watches = Watches(api)
    objects = DataJobObjects(watches)
    await watches.start()
    await watches.ready()
    limit = {} if last_read is None else {"last_read": last_read}
    found = DataJobs(api, objects, DataJobSettings(image="i:1"), heard, **limit)
    found.open()
    try:
        yield found
    finally:
        await found.close()
        await watches.close()


def put_pod(api: FakeApi, phase: str = "Running", **state: Any) -> None:
    """Let the Job have a pod."""
    uid = api.raw(JOBS, TEAM, NAME)["metadata"]["uid"]
    owner = {"kind": "Job", "name": NAME, "uid": uid, "controller": True}
    status = {"phase": phase, "containerStatuses": [{"name": "data", "state": state}]}
    meta = {"name": f"{NAME}-x", "namespace": TEAM, "uid": "pod-1", "ownerReferences": [owner]}
    spec = {"nodeName": "node-1", "containers": [CONTAINER]}
    api.put(PODS, {"metadata": meta, "spec": spec, "status": status})


def end(api: FakeApi, kind: str = "Complete", **condition: str) -> None:
    """Let the Job end."""
    found = {"type": kind, "status": "True", **condition}
    api.put(JOBS, {**api.raw(JOBS, TEAM, NAME), "status": {"conditions": [found]}})


async def test_the_lines_of_its_log_are_passed_on_until_it_ends(api: FakeApi, heard: Heard) -> None:
    api.controls.streams[LOG] = [b"2026-05-04T12:00:00.1Z one\n2026-05-04T12:00:00.2Z tw", b"o\n"]
    async with jobs(api, heard) as found:
        await found.start(FETCH, TASK)
        put_pod(api, running={})
        await wait_for(lambda: heard.lines[:2] == ["one", "two"])
        end(api)
        await wait_for(lambda: heard.errors == [None])
        assert set(heard.lines) == {"one", "two"}


async def test_it_ends_although_its_log_does_not(heard: Heard) -> None:
    api = SilentApi((TEAM,))
    async with jobs(api, heard, last_read=0.01) as found:
        await found.start(FETCH, TASK)
        put_pod(api, running={})
        end(api)
        await wait_for(lambda: heard.errors == [None])


async def test_a_restarted_controller_adopts_it(api: FakeApi, heard: Heard) -> None:
    api.controls.streams[LOG] = [b"2026-05-04T12:00:00.1Z one\n"]
    async with jobs(api, Heard()) as found:
        await found.start(FETCH, TASK)
    put_pod(api, "Succeeded", terminated={"exitCode": 0})
    end(api)
    async with jobs(api, heard):
        await wait_for(lambda: heard.errors == [None])
    assert heard.lines


async def test_cancelling_deletes_it(api: FakeApi, heard: Heard) -> None:
    async with jobs(api, heard) as found:
        await found.start(FETCH, TASK)
        await found.cancel("j1")
        [error] = await wait_for(lambda: heard.errors)
        assert f"{NAME} in {TEAM} was deleted" in str(error)
        await wait_for(lambda: not found.has("j1"))
        await found.cancel("j1")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"reason": "ErrImagePull", "message": "not found"}, "i:1 cannot be pulled."),
        (
            {"reason": "CreateContainerConfigError", "message": 'secret "keys" not found'},
            'Its container cannot be created: secret "keys" not found.',
        ),
    ],
)
async def test_it_says_why_it_waits(
    api: FakeApi, heard: Heard, state: dict[str, str], said: str
) -> None:
    async with jobs(api, heard) as found:
        await found.start(FETCH, TASK)
        put_pod(api, "Pending", waiting=state)
        await wait_for(lambda: said in heard.reasons)


async def test_a_claim_that_is_missing_is_named(api: FakeApi, heard: Heard) -> None:
    async with jobs(api, heard) as found:
        await found.start(FETCH, TASK)
        put_pod(api, "Pending")
        raw = {**api.raw(PODS, TEAM, f"{NAME}-x"), "spec": {"containers": [CONTAINER]}}
        api.put(PODS, raw)
        said = 'persistentvolumeclaim "datasets" not found. not found'
        about = {"kind": "Pod", "uid": "pod-1"}
        event = {"involvedObject": about, "reason": "FailedScheduling", "message": said}
        api.put(EVENTS, {"metadata": {"name": "e1", "namespace": TEAM}, **event})
        await wait_for(lambda: "The claim datasets does not exist." in heard.reasons)


@pytest.mark.parametrize(
    ("ended", "condition", "said"),
    [
        ({"exitCode": 137, "reason": "OOMKilled"}, "BackoffLimitExceeded", "ran out of memory"),
        (
            {"exitCode": 1, "message": '{"state":1}\nno file\n'},
            "PodFailurePolicy",
            "no file",
        ),
        ({}, "DeadlineExceeded", "took longer than it may"),
    ],
)
async def test_a_failure_says_why(
    api: FakeApi, heard: Heard, ended: dict[str, Any], condition: str, said: str
) -> None:
    async with jobs(api, heard) as found:
        await found.start(FETCH, TASK)
        put_pod(api, "Failed", terminated=ended)
        end(api, "Failed", reason=condition)
        [error] = await wait_for(lambda: heard.errors)
        assert said in str(error)


async def test_who_may_not_create_jobs_is_told(api: FakeApi, heard: Heard) -> None:
    said = 'User "me" cannot create resource "jobs" in API group "batch" in the namespace "team-a"'
    api.fail(Fault(403, "Forbidden", said), "create", "jobs")
    async with jobs(api, heard) as found:
        with pytest.raises(NotAllowed, match="may not create jobs in team-a"):
            await found.start(FETCH, TASK)


async def test_what_happens_while_the_server_is_away_is_seen_later(
    api: FakeApi, heard: Heard
) -> None:
    async with jobs(api, heard) as found:
        await found.start(FETCH, TASK)
        put_pod(api, running={})
        api.stop()
        await asyncio.sleep(0)
        end(api)
        api.start()
        await wait_for(lambda: heard.errors == [None])


@pytest.mark.parametrize("state", ["running", "done"])
async def test_what_was_done_before_it_was_cancelled_is_done(state: Any) -> None:
    registry, at = Registry(), datetime(2026, 5, 4, tzinfo=UTC)
    reports = Reports(registry, lambda _: None, lambda: None, lambda *_: None)
    line = JobLine(job=TASK.id, report=JobReport(kind="cache", dataset="mnist", state=state))
    await reports.heard((TEAM, NAME), TASK, at, msgspec.json.encode(line))
    reports.cancel(TASK.id)
    await reports.ended((TEAM, NAME), TASK, None)
    assert registry.jobs[TASK.id].state == ("done" if state == "done" else "cancelled")
