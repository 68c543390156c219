"""What reports change, whose turn it is, and which jobs are lost."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.datasets import jobs
from jupyter_gpuquota.core.datasets.jobs import Known
from jupyter_gpuquota.errors import InUse
from jupyter_gpuquota.model.datasets.jobs import JobReport
from tests.builders import NOW


def told(state: str = "running", **facts: Any) -> JobReport:
    return JobReport(**{"kind": "sync", "dataset": "faces", "state": state, **facts})


def known(name: str = "one", number: int = 0, state: str = "running", **facts: Any) -> Known:
    report = told(state, **facts)
    new = jobs.begin(name, report, "me", number, NOW)
    return jobs.reported(new, report, NOW)


def after(job: Known, seconds: float, state: str = "running", **facts: Any) -> Known:
    return jobs.reported(job, told(state, **facts), NOW + timedelta(seconds=seconds))


def test_a_rate_is_that_of_the_last_seconds() -> None:
    job = known(done=0, size=1000)
    assert (job.job.rate, job.job.left) == (0, None)
    job = after(job, 2, done=200, size=1000)
    assert (job.job.rate, job.job.left) == (100, 8)
    job = after(job, 20, done=200, size=1000)
    assert (job.job.rate, job.job.left) == (0, None)
    job = after(job, 22, done=600, size=1000)
    assert (job.job.rate, job.job.left) == (200, 2)


def test_a_count_that_begins_anew_has_a_rate_of_its_own() -> None:
    job = after(known(done=900, size=1000), 1, done=10, size=1000)
    assert job.job.rate == 0
    assert after(job, 2, done=20, size=1000).job.rate == 10


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(0, 10**12)), max_size=100))
def test_rates_are_never_negative_and_little_is_remembered(steps: list[tuple[float, int]]) -> None:
    job, at = known(), 0.0
    for pause, done in steps:
        at += pause
        job = after(job, at, done=done, size=10**12)
        assert job.job.rate >= 0
        assert job.job.left is None or job.job.left >= 0
        assert len(job.marks) <= 42


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_what_has_ended_stays_so(state: str) -> None:
    ended = after(known(), 1, state)
    assert after(ended, 2, "running", done=5) == ended


def test_the_first_who_asks_goes_first_and_one_that_runs_goes_on() -> None:
    first, second = known("a", 0, "waiting"), known("b", 1, "waiting")
    assert jobs.blocker(first, [first, second]) is None
    assert jobs.blocker(second, [first, second]) == first.job
    # After a restart, a running job may report after one that waits.
    late = known("c", 2)
    assert jobs.blocker(first, [first, second, late]) == late.job
    others = [known("d", 0, dataset="cats"), known("e", 0, kind="cache"), after(first, 1, "done")]
    assert jobs.blocker(second, [second, *others]) is None


def test_a_cancelled_job_that_waits_blocks_nobody() -> None:
    first, second = jobs.cancelled(known("a", 0, "waiting")), known("b", 1, "waiting")
    assert jobs.blocker(second, [first, second]) is None


def test_a_silent_job_is_lost() -> None:
    job = known(pid=1, begun=5)
    soon, late = NOW + timedelta(seconds=5), NOW + jobs.SILENCE
    assert not jobs.lost(job, soon, lambda _: True)
    assert jobs.lost(job, soon, lambda _: False)
    assert not jobs.lost(job, NOW, lambda _: False)
    assert jobs.lost(job, late, lambda _: True)
    assert not jobs.lost(after(job, 1, "done"), late, lambda _: False)


def test_only_the_last_ones_are_remembered() -> None:
    ended = [after(known(str(number), number), number, "done") for number in range(5)]
    assert set(jobs.forgotten([*ended, known("new", 9)], kept=2)) == {"0", "1", "2"}


def test_a_dataset_to_which_a_version_is_added_is_not_removed() -> None:
    running = known()
    with pytest.raises(InUse, match="sync of me"):
        jobs.check_idle("faces", [running.job])
    jobs.check_idle("cats", [running.job])
    jobs.check_idle("faces", [after(running, 1, "done").job, known(kind="cache").job])
