"""The projects of the contract on a real cluster, with each engine."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from scripts.cluster.labels import PODS
from scripts.cluster.rest import Refused, Rest
from scripts.cluster.settings import MILLI_GPU, WHOLE_GPU
from scripts.cluster.setup import wait_for
from tests.cluster.lakes import claim
from tests.cluster.leaving import leave
from tests.cluster.teams import GPU_NODE, KUEUE, RESTRICTED, make_priorities

Json = dict[str, Any]

QUOTAS: Mapping[str, int] = {"team-a": 4000, "team-b": 2000, "team-c": 2000}
SHARED = 8000
"""What is left of 16 GPUs: nobody's own, for everybody to borrow."""
_ROOT = "contract"
KAI, KAI_PROJECTS = "scheduling.run.ai", "kai.resources"
KAI_PATHS = (
    f"/apis/{KAI}/v2/queues",
    f"/apis/{KAI}/v2alpha2/podgroups",
    f"/apis/{KAI_PROJECTS}/v1alpha1/projects",
)
_MISSING = 404
KAI_OBJECTS = Path(__file__).with_name("kai_objects.yaml")
_OWNERS = (("apps/v1", "StatefulSet"), ("batch/v1", "Job"), ("v1", "Secret"))
_KEPT = {"cpu": "1k", "memory": "10Ti"}


def make_namespaces(rest: Rest) -> None:
    """Create the namespaces of the contract with a cache; their pods are processes."""
    for name in QUOTAS:
        labels = {RESTRICTED: "restricted", PODS: "processes"}
        _apply(rest, "v1", "Namespace", {"name": name, "labels": labels})
        rest.apply(claim(name))


def make_kueue(rest: Rest) -> None:
    """Give each project two queues with one quota: interactive sessions never borrow."""
    labels = {"nvidia.com/gpu.product": GPU_NODE}
    _apply(rest, KUEUE, "ResourceFlavor", {"name": "v100"}, {"nodeLabels": labels})
    shared = _groups(str(SHARED), cpu="0", memory="0")
    _apply(rest, KUEUE, "Cohort", {"name": _ROOT}, {"resourceGroups": shared})
    make_priorities(rest)
    for name, milli in QUOTAS.items():
        _apply(rest, KUEUE, "Cohort", {"name": name}, {"parentName": _ROOT})
        _queue(rest, name, name, "gpus", _groups("0"))
        _queue(rest, f"{name}-interactive", name, "interactive", _groups(str(milli), "0"))
        path = rest.path(KUEUE, "LocalQueue", name, "interactive")
        wait_for(lambda path=path: _is_active(rest.get(path)), f"{path} is active")


def make_quotas(rest: Rest) -> None:
    """Give each project a ResourceQuota of whole GPUs; it cannot count two resources together."""
    for name, milli in QUOTAS.items():
        hard = {f"requests.{WHOLE_GPU}": str(milli // 1000)}
        _apply(rest, "v1", "ResourceQuota", {"name": "gpus", "namespace": name}, {"hard": hard})


def make_kai(rest: Rest) -> None:
    """Give each project a queue below one that bounds nothing; two hold 16 GPUs together.

    The queue of team-c has another name, which a Project of KAI's names.
    """
    for manifest in yaml.safe_load_all(KAI_OBJECTS.read_text()):
        rest.apply(manifest)
    for path in KAI_PATHS:
        wait_for(lambda path=path: rest.get(path), f"{path} is served")
    unbounded = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    for name, milli in {_ROOT: -1000, **QUOTAS}.items():
        gpu = {**unbounded, "quota": milli // 1000, "overQuotaWeight": max(1, milli // 1000)}
        parent = {} if name == _ROOT else {"parentQueue": _ROOT}
        spec = {"resources": {"gpu": gpu, "cpu": unbounded, "memory": unbounded}, **parent}
        queue = {"team-c": "vision"}.get(name, name)
        _apply(rest, f"{KAI}/v2", "Queue", {"name": queue}, spec)
    queues = [{"name": "vision", "nodepool": "default"}]
    spec = {"namespace": "team-c", "queues": queues}
    _apply(rest, f"{KAI_PROJECTS}/v1alpha1", "Project", {"name": "eyes"}, spec)


def remove_kai(rest: Rest) -> None:
    """Delete KAI's kinds, and with them its objects: other tests must not find them."""
    for path in KAI_PATHS:
        _, _, group, _, kinds = path.split("/")
        name = f"{kinds}.{group}"
        rest.delete(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")
    rest.delete("/api/v1/namespaces/kai-resource-reservation")
    for path in (*KAI_PATHS, "/api/v1/namespaces/kai-resource-reservation"):
        wait_for(lambda path=path: _is_missing(rest, path), f"{path} has gone")


def _is_missing(rest: Rest, path: str) -> bool:
    try:
        rest.get(path)
    except Refused as error:
        return error.status == _MISSING
    return False


def clear(rest: Rest) -> None:
    """Delete what sessions left, and wait until it has gone."""
    with ThreadPoolExecutor(len(QUOTAS)) as pool:
        list(pool.map(partial(_clear, rest), QUOTAS))


def _clear(rest: Rest, name: str) -> None:
    found = [
        _delete_all(rest, version, kind, name, propagationPolicy="Background")
        for version, kind in _OWNERS
    ]
    found.append(_delete_all(rest, "v1", "Pod", name, gracePeriodSeconds=0))
    with suppress(Refused):  # nobody has used or pinned anything
        rest.delete(rest.path("v1", "ConfigMap", name, "gpuquota-datasets"))
    # Also from what the API server remembers: the next controller must not see them.
    for version, kind in (*_OWNERS, ("v1", "Pod")) if any(found) else ():
        wait_for(
            lambda version=version, kind=kind: not _items(rest, version, kind, name),
            f"{kind}s of {name} have gone",
        )
    if volumes := _volumes(rest, name):
        for volume in volumes:
            rest.delete(rest.path("v1", "PersistentVolumeClaim", name, volume))
        wait_for(lambda: not _volumes(rest, name), f"the volumes of {name} have gone")


def _delete_all(rest: Rest, version: str, kind: str, namespace: str, **options: Any) -> bool:
    """Delete what sessions left of one kind; return whether there was anything."""
    items = _items(rest, version, kind, namespace)
    for item in items:
        rest.delete(rest.path(version, kind, namespace, item["metadata"]["name"]), **options)
    return bool(items)


def remove_namespaces(rest: Rest) -> None:
    """Delete the projects, as far as `leave` does; the cluster finishes it alone."""
    for name in QUOTAS:
        leave(rest, name)


def remove_kueue(rest: Rest) -> None:
    """Delete the queues of Kueue."""
    gone = []
    for name in QUOTAS:
        queues = (name, f"{name}-interactive")
        gone += [rest.path(KUEUE, "ClusterQueue", "", each) for each in queues]
        gone += [rest.path(KUEUE, "LocalQueue", name, each) for each in ("gpus", "interactive")]
        gone.append(rest.path(KUEUE, "Cohort", "", name))
    _delete(rest, gone)


def remove_quotas(rest: Rest) -> None:
    """Delete the ResourceQuotas."""
    _delete(rest, [rest.path("v1", "ResourceQuota", name, "gpus") for name in QUOTAS])


def _delete(rest: Rest, paths: list[str]) -> None:
    for path in paths:
        rest.delete(path)
    for path in paths:
        wait_for(lambda path=path: _is_missing(rest, path), f"{path} has gone")


def _items(rest: Rest, version: str, kind: str, namespace: str) -> list[Json]:
    found = rest.get(rest.path(version, kind, namespace, ""))["items"]
    return [item for item in found if item["metadata"]["name"].startswith(("gpu-", "gpuquota-"))]


def _volumes(rest: Rest, namespace: str) -> list[str]:
    """Return the claims of a project except that of its cache."""
    found = rest.get(rest.path("v1", "PersistentVolumeClaim", namespace, ""))["items"]
    names = [item["metadata"]["name"] for item in found]
    return [name for name in names if name != "datasets"]


def _queue(rest: Rest, name: str, project: str, local: str, groups: list[Json]) -> None:
    spec = {
        "cohortName": project,
        "queueingStrategy": "BestEffortFIFO",
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": project}},
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        "resourceGroups": groups,
    }
    _apply(rest, KUEUE, "ClusterQueue", {"name": name}, spec)
    _apply(rest, KUEUE, "LocalQueue", {"name": local, "namespace": project}, {"clusterQueue": name})


def _groups(milli: str, limit: str = "", **other: str) -> list[Json]:
    gpus = {"name": MILLI_GPU, "nominalQuota": milli}
    if limit:
        gpus["borrowingLimit"] = limit
    rest = [{"name": name, "nominalQuota": n} for name, n in {**_KEPT, **other}.items()]
    flavor = {"name": "v100", "resources": [gpus, *rest]}
    return [{"coveredResources": [MILLI_GPU, *_KEPT], "flavors": [flavor]}]


def _apply(rest: Rest, version: str, kind: str, meta: Json, spec: Json | None = None) -> None:
    body = {"apiVersion": version, "kind": kind, "metadata": meta}
    rest.apply(body | ({"spec": spec} if spec else {}))


def _is_active(queue: Json) -> bool:
    conditions = queue.get("status", {}).get("conditions", [])
    return any(one["type"] == "Active" and one["status"] == "True" for one in conditions)
