"""What differs between two snapshots, by their manifests."""

from __future__ import annotations

from msgspec.structs import replace

from jupyter_gpuquota.core.snapshots.comparison import compare
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.snapshots.comparison import FactChange, SnapshotComparison
from jupyter_gpuquota.model.snapshots.manifest import (
    EnvironmentPart,
    GitPart,
    Manifest,
    NotebookPart,
)
from jupyter_gpuquota.model.snapshots.runs import Run
from tests.builders import NOW, make_session

SESSION = make_session()
MANIFEST = Manifest(
    session=SESSION.id,
    name=SESSION.spec.name,
    project=SESSION.spec.project,
    owner=SESSION.owner,
    author=SESSION.owner,
    created=NOW,
    spec=SESSION.spec,
)


def manifest(gpu: float | None) -> Manifest:
    return replace(MANIFEST, run=Run(id="1", gpu=gpu))


def told(found: tuple[FactChange, ...]) -> list[str]:
    return [f"{each.name}: {each.before} → {each.after}" for each in found]


def test_each_part_is_compared() -> None:
    before = replace(
        MANIFEST,
        git=(GitPart(folder=".", branch="main", commit="c" * 40),),
        environment=EnvironmentPart(python="3.11.7", packages={"numpy": "1.26", "torch": "2.9"}),
        data=(DataMount(dataset="faces", version="1" * 64),),
        notebooks=(NotebookPart(path="a.ipynb", sha256="1"), NotebookPart(path="b", sha256="1")),
        run=Run(id="1", params={"lr": "0.1"}),
    )
    after = replace(
        before,
        git=(GitPart(folder=".", branch="main", commit="c" * 40, dirty=True, patch="d" * 64),),
        environment=EnvironmentPart(python="3.11.7", packages={"numpy": "2.4", "pandas": "3.0"}),
        data=(DataMount(dataset="faces", version="2" * 64),),
        notebooks=(NotebookPart(path="a.ipynb", sha256="2"), NotebookPart(path="c", sha256="1")),
        run=Run(id="2", params={"lr": "0.2"}),
    )
    found = compare("a", before, "b", after)
    assert told(found.code) == [f".: main {'c' * 12} → main {'c' * 12} with changes {'d' * 12}"]
    assert told(found.packages) == ["numpy: 1.26 → 2.4", "pandas:  → 3.0", "torch: 2.9 → "]
    assert told(found.data) == [f"faces: {'1' * 12} → {'2' * 12}"]
    assert told(found.params) == ["lr: 0.1 → 0.2"]
    assert [(each.path, each.change) for each in found.notebooks] == [
        ("a.ipynb", "changed"),
        ("b", "removed"),
        ("c", "added"),
    ]
    assert found.environment == found.volumes == found.metrics == ()
    same = compare("a", before, "a", before)
    assert same == SnapshotComparison(before="a", after="a")


def test_metrics_that_differ_little_differ() -> None:
    before = replace(MANIFEST, metrics={"acc": 0.91, "loss": 0.1234567, "same": 1 / 3})
    after = replace(MANIFEST, metrics={"acc": 0.95, "loss": 0.1234568, "same": 1 / 3})
    assert told(compare("a", before, "b", after).metrics) == [
        "acc: 0.91 → 0.95",
        "loss: 0.1234567 → 0.1234568",
    ]


def test_the_gpu_utilisation_of_runs_is_compared_but_is_no_metric() -> None:
    found = compare("a", manifest(63.4), "b", manifest(12))
    assert found.environment == (FactChange(name="GPU utilisation", before="63 %", after="12 %"),)
    assert found.metrics == ()
    [lost] = compare("a", manifest(63.4), "b", manifest(None)).environment
    assert (lost.before, lost.after) == ("63 %", "")
