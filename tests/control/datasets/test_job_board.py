"""The jobs in a controller: turns, lost processes, room for fetches, and a restart."""

from __future__ import annotations

import os
import socket
from datetime import timedelta
from typing import Any

import pytest

from jupyter_gpuquota.control.datasets.job_board import JobBoard, JobStore
from jupyter_gpuquota.core.datasets.jobs import KEPT
from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.model.datasets.jobs import Job, JobReport
from jupyter_gpuquota.store.lake.connection import in_memory
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.processes import this_process
from tests.builders import NOW

pytestmark = pytest.mark.asyncio


class Desk:
    """A board with a clock that a test moves, and room that a test takes away."""

    def __init__(self, settling: float = 0, own: Objects | None = None) -> None:
        self.time = NOW
        self.full = False
        self.ended: list[str] = []
        self.frozen: list[str] = []
        self.changes = 0
        self.own = own or in_memory("memory://own")
        self.store = JobStore(self.own)
        self.board = JobBoard(
            self.store,
            lambda: self.time,
            self._changed,
            self._admit,
            lambda job: self.ended.append(f"{job.id} {job.state}"),
            timedelta(seconds=settling),
            self.frozen.append,
        )

    def _changed(self) -> None:
        self.changes += 1

    async def _admit(self, job: Job) -> None:
        if self.full:
            raise Conflict("The cache is too full.", hint="Clear something.")

    async def tell(self, job: str, state: str = "running", **facts: Any) -> Job:
        report = JobReport(**{"kind": "sync", "dataset": "faces", "state": state, **facts})
        return await self.board.report(job, report, "me")

    def later(self, seconds: int) -> None:
        """Let time pass, in which the controller runs."""
        for _ in range(seconds):
            self.time += timedelta(seconds=1)
            self.board.check()


async def test_a_dead_process_loses_its_turn_to_the_next_one() -> None:
    desk, host = Desk(), socket.gethostname()
    await desk.tell("one", "waiting", pid=os.getpid(), begun=1, host=host)
    assert (await desk.tell("two", "waiting")).state == "waiting"
    desk.later(5)
    assert desk.store.find("one").job.state == "lost"
    assert desk.ended == ["one lost"]
    assert (await desk.tell("two", "waiting")).state == "running"


async def test_a_process_that_lives_is_waited_for_until_it_is_silent_for_too_long() -> None:
    desk, me = Desk(), this_process()
    await desk.tell("one", pid=me.pid, begun=me.start, host=me.host)
    await desk.tell("far", pid=1, begun=1, host="another-machine", dataset="cats")
    desk.later(30)
    assert desk.ended == []
    desk.later(31)
    assert sorted(desk.ended) == ["far lost", "one lost"]


async def test_nobody_is_silent_while_the_controller_itself_is_stopped() -> None:
    desk = Desk()
    await desk.tell("one")
    desk.time += timedelta(hours=8)  # the machine sleeps
    desk.later(30)
    assert desk.ended == []
    desk.later(31)
    assert desk.ended == ["one lost"]


async def test_a_lost_job_that_reports_again_goes_on_unless_another_one_runs() -> None:
    desk = Desk()
    await desk.tell("one")
    desk.later(61)
    back = await desk.tell("one")
    assert (back.state, back.cancelling) == ("running", False)
    desk.later(61)
    await desk.tell("two", "waiting")
    back = await desk.tell("one")
    assert (back.state, back.cancelling) == ("running", True)


async def test_a_new_controller_hears_running_jobs_before_anyone_begins() -> None:
    desk = Desk(settling=1.5)
    assert (await desk.tell("waits", "waiting")).state == "waiting"
    assert (await desk.tell("runs", "running", done=5)).done == 5
    desk.later(2)
    waiting = await desk.tell("waits", "waiting")
    assert (waiting.state, waiting.reason) == ("waiting", "Waiting for the sync of me.")
    await desk.tell("runs", "done")
    assert (await desk.tell("waits", "waiting")).state == "running"


async def test_a_fetch_without_room_fails_with_the_reason() -> None:
    desk = Desk()
    desk.full = True
    job = await desk.tell("one", "waiting", kind="cache", size=10)
    assert (job.state, job.problem and job.problem.code) == ("failed", "Conflict")
    assert desk.ended == ["one failed"]
    with pytest.raises(Conflict):
        await desk.board.start(
            JobReport(kind="cache", dataset="faces", state="waiting"), "two", "me"
        )
    assert [each.id for each in desk.store.all()] == ["one"]
    desk.full = False
    assert (await desk.tell("three", "waiting", kind="cache", size=10)).state == "running"


async def test_what_changes_nothing_is_not_announced() -> None:
    desk = Desk()
    await desk.tell("one", done=1)
    before = desk.changes
    await desk.tell("one", done=1)
    assert desk.changes == before
    await desk.tell("one", done=2)
    assert desk.changes == before + 1


async def test_a_folder_that_may_be_written_again_is_told() -> None:
    desk = Desk()
    await desk.tell("one")
    assert desk.frozen == []
    await desk.tell("one", frozen=True)
    assert desk.frozen == ["one"]


async def test_logs_beside_jobs_are_not_read_as_jobs(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    await desk.tell("done", "done")
    await desk.own.put("jobs/done.log", b"")
    after = Desk(own=desk.own)
    await after.board.load()
    assert [each.id for each in after.store.all()] == ["done"]
    assert caplog.text == ""


async def test_jobs_outlive_the_controller() -> None:
    desk, me = Desk(), this_process()
    await desk.tell("done", "done", version="v1")
    await desk.tell("alive", pid=me.pid, begun=me.start, host=me.host, dataset="cats")
    await desk.tell("dead", pid=me.pid, begun=me.start + 1, host=me.host, dataset="dogs")
    await desk.board.start(JobReport(kind="verify", state="waiting"), "own", "me")
    await desk.own.put("jobs/cut.json", b"{")
    after = Desk(own=desk.own)
    await after.board.load()
    listed = {each.id: (each.state, each.version) for each in after.store.all()}
    running = ("running", "")
    assert listed == {"done": ("done", "v1"), "alive": running, "dead": running, "own": running}
    after.later(4)
    assert after.ended == ["dead lost"]
    assert (await after.tell("next", "waiting", dataset="cats")).state == "waiting"
    assert after.store.all()[0].id == "next"


async def test_jobs_that_are_no_longer_listed_are_no_longer_stored() -> None:
    desk = Desk()
    for number in range(KEPT + 2):
        desk.time += timedelta(seconds=1)
        await desk.tell(f"job-{number}", "done")
    desk.board.check()
    await desk.board.save()
    keys = [each.key async for each in desk.own.list("jobs/")]
    assert len(keys) == KEPT
    assert "jobs/job-1.json" not in keys
