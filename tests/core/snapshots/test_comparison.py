"""What differs between two snapshots, by their manifests."""

from __future__ import annotations

from datetime import UTC, datetime

from jupyter_gpuquota.core.snapshots.comparison import compare
from jupyter_gpuquota.model.snapshots.comparison import FactChange
from jupyter_gpuquota.model.snapshots.manifest import Manifest
from jupyter_gpuquota.model.snapshots.runs import Run
from tests.builders import make_session


def manifest(gpu: float | None) -> Manifest:
    session = make_session()
    return Manifest(
        session=session.id,
        name=session.spec.name,
        project=session.spec.project,
        owner=session.owner,
        author=session.owner,
        created=datetime(2026, 11, 23, tzinfo=UTC),
        spec=session.spec,
        run=Run(id="1", gpu=gpu),
    )


def test_the_gpu_utilisation_of_runs_is_compared_but_is_no_metric() -> None:
    found = compare("a", manifest(63.4), "b", manifest(12))
    assert found.environment == (FactChange(name="GPU utilisation", before="63 %", after="12 %"),)
    assert found.metrics == ()
    [lost] = compare("a", manifest(63.4), "b", manifest(None)).environment
    assert (lost.before, lost.after) == ("63 %", "")
