"""Teams in Kueue as the documentation recommends, and the product's engine over them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from jupyter_gpuquota.kubernetes.connection.rest import Rest as Api
from jupyter_gpuquota.kubernetes.engines.engine import Engine
from jupyter_gpuquota.kubernetes.engines.kueue.engine import KueueEngine
from jupyter_gpuquota.kubernetes.engines.surroundings import (
    EngineSettings,
    GpuResources,
    Surroundings,
)
from jupyter_gpuquota.kubernetes.labels import object_name
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.resources import MILLI
from jupyter_gpuquota.model.sessions import Session, SessionSpec
from scripts.cluster.rest import Rest
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.leaving import leave
from tests.cluster.teams import KUEUE, Team, make_priorities
from tests.cluster.workloads import RESTRICTED

Json = dict[str, Any]
GPUS = GpuResources(milli=MILLI_GPU)


def request(spec: SessionSpec) -> PodPatch:
    """Return what a pod asks for: whole GPUs, or thousandths of one."""
    milli = spec.share.milli
    if not milli:
        return PodPatch()
    whole = milli % MILLI == 0
    name, units = (GPUS.whole, milli // MILLI) if whole else (GPUS.milli, milli)
    return PodPatch(milli=milli, resources={name: str(units)})


class Nested:
    """Teams with two ClusterQueues each in a Cohort of their own, below one for all of them."""

    def __init__(self, rest: Rest, prefix: str, nodes: Json | None = None) -> None:
        """Begin; `nodes` specifies the ResourceFlavor. Default: any node."""
        self._rest = rest
        self._prefix = prefix
        self._made: list[str] = []
        self._namespaces: list[str] = []
        self._make("Cohort", prefix, {})
        self._make("ResourceFlavor", f"{prefix}-v100", nodes or {})
        make_priorities(rest)

    def team(self, group: str, milli: int) -> Team:
        """Create a namespace with queues: its quota belongs to its interactive sessions first."""
        namespace = f"{self._prefix}-{group}"
        meta = {"name": namespace}
        rest = self._rest
        rest.create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
        self._namespaces.append(namespace)
        self._make("Cohort", namespace, {"parentName": self._prefix})
        self._queue(namespace, f"{namespace}-interactive", milli, {"borrowingLimit": "0"})
        self._queue(namespace, namespace, 0, {})
        for name, behind in (("gpus", namespace), ("interactive", f"{namespace}-interactive")):
            local = {"name": name, "namespace": namespace}
            spec = {"clusterQueue": behind}
            rest.create(
                {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": local, "spec": spec}
            )
        return Team(namespace, group, "gpus")

    def remove(self) -> None:
        """Delete everything, as far as `leave` does; the cluster finishes it alone."""
        for namespace in self._namespaces:
            leave(self._rest, namespace)
        for path in self._made:
            self._rest.delete(path)

    def _queue(self, namespace: str, name: str, milli: int, limits: Json) -> None:
        quotas = [
            {"name": "cpu", "nominalQuota": "1k"},
            {"name": "memory", "nominalQuota": "10Ti"},
            {"name": MILLI_GPU, "nominalQuota": str(milli), **limits},
        ]
        flavor = {"name": f"{self._prefix}-v100", "resources": quotas}
        covered = ["cpu", "memory", MILLI_GPU]
        spec = {
            "cohortName": namespace,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
            "resourceGroups": [{"coveredResources": covered, "flavors": [flavor]}],
        }
        self._make("ClusterQueue", name, spec)

    def _make(self, kind: str, name: str, spec: Json) -> None:
        manifest = {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name}, "spec": spec}
        self._rest.create(manifest)
        self._made.append(self._rest.path_of(manifest))


@asynccontextmanager
async def engine_of(
    api: Api, sessions: Callable[[], list[Session]], namespaces: list[str]
) -> AsyncIterator[Engine]:
    """Run the Kueue engine over some namespaces of a cluster."""
    watches = Watches(api, namespaces)
    around = Surroundings(
        api=api,
        caches=watches,
        sessions=sessions,
        request=request,
        capacity=lambda: 16 * MILLI,
        settings=EngineSettings(gpus=GPUS),
    )
    engine = KueueEngine(around)
    await watches.start()
    await watches.ready()
    await engine.start(lambda: None)
    try:
        yield engine
    finally:
        await engine.close()
        await watches.close()


def workload_of(session: Session, engine: Engine) -> Json:
    """Return the workload of a session: a StatefulSet, or a Job for a training."""
    spec, name = session.spec, object_name(session)
    patch = engine.patch(spec)
    container = {
        "name": "session",
        "image": "quay.io/jupyter/base-notebook",
        "securityContext": dict(RESTRICTED),
        "resources": {"limits": {"cpu": "1", "memory": "1Gi", **request(spec).resources}},
    }
    meta = {"name": name, "namespace": spec.project, "labels": dict(patch.labels)}
    pod = {"containers": [container], "terminationGracePeriodSeconds": 0}
    template: Json = {"metadata": {"labels": {"app": name}}, "spec": pod}
    if spec.kind == "train":
        pod["restartPolicy"] = "Never"
        job = {"suspend": True, "template": template}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": job}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": meta,
        "spec": {
            "replicas": 1,
            "serviceName": name,
            "selector": {"matchLabels": {"app": name}},
            "template": template,
        },
    }
