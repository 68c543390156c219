"""Which queue the sessions of a namespace go to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from jupyter_gpuquota.kubernetes.engines.kai.engine import departments_of
from jupyter_gpuquota.kubernetes.engines.kai.objects import KaiProject, Queue, gpus_of
from jupyter_gpuquota.kubernetes.engines.kai.queues import (
    ProjectQueue,
    find_queues,
    uncounted,
)
from jupyter_gpuquota.kubernetes.objects.cluster import Namespace
from jupyter_gpuquota.model.quota import Department
from tests.kubernetes.kai.objects import Raw, queue


def queues(*raw: Raw) -> list[Queue]:
    return [msgspec.convert(each, Queue) for each in raw]


def namespace(name: str, **labels: str) -> Namespace:
    return msgspec.convert({"metadata": {"name": name, "labels": labels}}, Namespace)


def found(*raw: Raw, **more: Any) -> dict[str, str]:
    known = find_queues(queues(*raw), **more)
    return {name: each.name for name, each in known.items()}


TREE = (queue("all", parent=""), queue("team-a", 4), queue("vision", 2))


def test_a_queue_of_the_same_name() -> None:
    assert found(*TREE, namespaces=[namespace("team-a"), namespace("other")]) == {
        "team-a": "team-a"
    }


def test_a_label_of_the_namespace_names_another() -> None:
    labelled = namespace("team-b", **{"kai.scheduler/queue": "vision"})
    assert found(*TREE, namespaces=[labelled]) == {"team-b": "vision"}


def test_run_ai_labels_the_namespace_of_a_project() -> None:
    labelled = namespace("runai-eyes", **{"runai/queue": "vision"})
    known = find_queues(queues(*TREE), namespaces=[labelled, namespace("team-a")])
    by = {name: (each.name, each.scheduler.name) for name, each in known.items()}
    assert by == {
        "runai-eyes": ("vision", "runai-scheduler"),
        "team-a": ("team-a", "kai-scheduler"),
    }


def test_a_department_takes_no_sessions() -> None:
    assert found(*TREE, namespaces=[namespace("all")]) == {}


def test_a_project_of_kai_names_its_queue() -> None:
    queues = [{"name": "vision", "nodepool": "default"}]
    raw = {"metadata": {"name": "eyes"}, "spec": {"namespace": "runai-eyes", "queues": queues}}
    project = msgspec.convert(raw, KaiProject)
    by_namespace = found(*TREE, namespaces=[namespace("runai-eyes")], projects=[project])
    assert by_namespace == {"runai-eyes": "vision"}
    labelled = namespace("lab", **{"kai/project": "eyes"})
    assert found(*TREE, namespaces=[labelled], projects=[project]) == {"lab": "vision"}


def test_namespaces_that_may_not_be_listed_are_named() -> None:
    assert found(*TREE, namespaces=[], named=["team-a"]) == {"team-a": "team-a"}


def project(*raw: Raw, name: str = "team-a") -> Any:
    known = find_queues(queues(*raw), [namespace(name)])
    return known[name].project(16_000)


def test_a_project_has_the_numbers_of_its_queue() -> None:
    read = project(*TREE, queue("team-a", 4.5, limit=6, priority=120, reclaimMinRuntime="10m"))
    assert (read.quota, read.limit, read.priority, read.min_runtime) == (4500, 6000, 120, 600)
    assert read.weight == 4500
    assert read.preemptible == ("interactive-spot", "train")


def test_without_bounds_the_cluster_is_the_quota() -> None:
    read = project(*TREE, queue("team-a"))
    assert (read.quota, read.limit) == (16_000, None)


def test_a_department_limits_what_is_below_it() -> None:
    read = project(queue("all", parent="", limit=3), queue("team-a", 2))
    assert read.limit == 3000


def test_a_surplus_is_not_shown() -> None:
    assert project(*TREE, queue("team-a", gpus_of(300))).quota == 300


def test_queues_that_refer_to_each_other_end() -> None:
    known = find_queues(
        queues(queue("a", parent="b"), queue("b", parent="a"), queue("team-a", parent="a")),
        [namespace("team-a")],
    )
    assert [each.metadata.name for each in known["team-a"].above] == ["a", "b"]


def test_what_a_queue_leaves_out_is_warned_of() -> None:
    raw = queue("team-a", 4)
    del raw["spec"]["resources"]["memory"]
    known = find_queues(queues(raw), [namespace("team-a")])
    (warning,) = uncounted(known)
    assert warning.startswith("Queue team-a allows no memory:")


def test_the_revision_follows_the_settings_and_not_the_use() -> None:
    (first,) = queues(queue("team-a", 4))
    used = msgspec.convert({**queue("team-a", 4), "status": {"requested": {"cpu": "1"}}}, Queue)
    (other,) = queues(queue("team-a", 5))
    revisions = [ProjectQueue("team-a", each).revision for each in (first, used, other)]
    assert revisions[0] == revisions[1] != revisions[2]


def test_the_manifest_of_the_documentation_gives_a_project() -> None:
    text = (Path(__file__).parents[3] / "docs" / "engines" / "kai.md").read_text(encoding="utf-8")
    manifest = text.partition("```yaml\n")[2].partition("```")[0]
    raw = list(yaml.safe_load_all(manifest))
    known = find_queues(queues(*raw), [namespace("team-a")])
    read = known["team-a"].project(16_000)
    assert (read.quota, read.limit, read.weight) == (4000, None, 4000)
    assert [above.metadata.name for above in known["team-a"].above] == ["research"]
    assert list(uncounted(known)) == []


def test_departments_are_the_queues_above_those_of_projects() -> None:
    tree = (
        queue("all", 8, parent="", limit=10),
        queue("vision", parent="all"),
        queue("eyes", 2, parent="vision"),
        queue("team-a", 4),
        queue("unused", parent=""),
    )
    names = ("eyes", "team-a")
    known = find_queues(queues(*tree), namespaces=[namespace(name) for name in names])
    assert departments_of(known) == (
        Department(name="all", projects=("team-a",), quota=8000, limit=10_000),
        Department(name="vision", parent="all", projects=("eyes",)),
    )


def test_a_queue_without_a_parent_is_in_no_department() -> None:
    known = find_queues(queues(queue("team-a", 4, parent="")), namespaces=[namespace("team-a")])
    assert departments_of(known) == ()
