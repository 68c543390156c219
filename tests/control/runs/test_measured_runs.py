"""Runs with the GPU utilisation that was measured of their session while they lasted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jupyter_gpuquota.control import recorder
from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.control.history.store import HistoryStore
from jupyter_gpuquota.control.recorder import Span, UtilisationLog, percents
from jupyter_gpuquota.control.runs.measured import MeasuredRuns
from jupyter_gpuquota.core.idle.decide import Reading
from jupyter_gpuquota.errors import StorageFailed
from jupyter_gpuquota.model.snapshots.runs import Run, RunList

NOON = 1_790_000_000


class FakeRuns:
    """Runs of a session, as a tracker has them."""

    def __init__(self, *runs: Run) -> None:
        self._runs = runs

    async def of(self, session_id: str) -> RunList:
        """Return the runs."""
        return RunList(items=self._runs)

    async def tag(self, session_id: str, run: str, tags: Mapping[str, str]) -> str:
        """Return nothing wrong."""
        return ""


def run_of(name: str, begun: int, ended: int | None, gpu: float | None = None) -> Run:
    times = [
        None if at is None else datetime.fromtimestamp(NOON + at, UTC) for at in (begun, ended)
    ]
    return Run(id=name, begun=times[0], ended=times[1], gpu=gpu)


def log_in(folder: Path) -> tuple[HistoryStore, UtilisationLog]:
    store = HistoryStore(GpuQuota(), Board(), folder / "history.sqlite")
    return store, UtilisationLog(store)


def test_only_what_was_measured_is_recorded() -> None:
    readings = {
        "a": (Reading("cpu", "busy"), Reading("gpu", "busy", percent=40)),
        "idle": (Reading("gpu", "idle", percent=0),),
        "shared": (Reading("gpu", "unknown"),),
        "simulated": (Reading("cpu", "busy"),),
    }
    assert percents(readings) == {"a": 40, "idle": 0}


@pytest.mark.asyncio
async def test_a_run_has_the_mean_of_its_own_time(tmp_path: Path) -> None:
    store, log = log_in(tmp_path)
    for at, percent in ((0, 90), (30, 40), (60, 60), (90, 5)):
        log.record({"a": percent, "b": 100}, NOON + at)
    store.close()
    store, log = log_in(tmp_path)  # after a restart

    async def measure(session: str, spans: list[Span]) -> list[float | None]:
        return log.means(session, spans)

    runs = FakeRuns(
        run_of("own", 0, 60),
        run_of("logged", 0, 60, gpu=77.0),
        run_of("short", 61, 80),
        run_of("goes on", 60, None),
        Run(id="never begun"),
    )
    found = await MeasuredRuns(runs, measure).of("a")
    assert [each.gpu for each in found.items] == [50, 77, None, 5, None]
    assert [each.gpu for each in (await MeasuredRuns(runs, measure).of("simulated")).items] == [
        *(None, 77),
        *(None, None, None),
    ]
    store.close()


@pytest.mark.asyncio
async def test_a_history_that_cannot_be_read_leaves_the_runs(tmp_path: Path) -> None:
    async def measure(session: str, spans: list[Span]) -> list[float | None]:
        raise StorageFailed("The disk is full.")

    found = await MeasuredRuns(FakeRuns(run_of("own", 0, 60)), measure).of("a")
    assert [each.gpu for each in found.items] == [None]


def test_old_measurements_are_removed(tmp_path: Path) -> None:
    store, log = log_in(tmp_path)
    log.record({"a": 10}, NOON)
    log.record({"a": 20}, NOON + recorder.KEPT + 7200)
    assert log.means("a", [(0, NOON), (NOON, 2 * NOON)]) == [None, 20]
    store.close()
