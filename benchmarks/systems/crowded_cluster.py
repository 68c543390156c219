"""A test cluster of its own with thousands of sessions, and controllers that read it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psutil

from jupyter_gpuquota.kubernetes.resources import PODS
from scripts.cluster.cluster import Cluster, running
from scripts.cluster.rest import Refused, Rest
from scripts.cluster.settings import MILLI_GPU

from ..clients.http import Caller, UnixConnection
from ..errors import CouldNotMeasure
from ..measuring.memory import resident
from ..measuring.timing import wait_until
from ..simulated.many_sessions import Crowd, fill
from ..simulated.objects import Original
from .server import stop
from .sessions import API, create

KUEUE = "kueue.x-k8s.io/v1beta2"
NAMESPACES = 50
TEAM, NAME, NODE = "one-original-team", "one-original-session", "dgx1-1"
PROGRAMS = (
    *("kueue", "kwok", "scheduler", "controller-manager", "snapshot-controller"),
    *("kubelet", "storage"),
)
WEBHOOKS = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
PATIENCE = 180.0

Json = dict[str, Any]


@dataclass(frozen=True)
class Controller:
    """A running controller with the administrator's kubeconfig, asked through its socket."""

    process: psutil.Process
    socket: Path

    @property
    def state(self) -> Path:
        """Its state folder."""
        return self.socket.parents[2]

    @property
    def memory(self) -> int:
        """Bytes of its resident set."""
        return resident(self.process.pid)

    def caller(self) -> Caller:
        """Open a connection."""
        return Caller(UnixConnection(str(self.socket)), API)


@dataclass(frozen=True)
class CrowdedCluster:
    """A test cluster; `idle` is the memory of a controller before there were sessions."""

    cluster: Cluster
    rest: Rest
    folder: Path
    idle: int

    @contextmanager
    def controller(self) -> Iterator[Controller]:
        """Run a controller with an empty state folder."""
        with controller(self.cluster, self.folder) as started:
            yield started

    def requests(self) -> int:
        """Return how many requests the API server had, but for watches and leases."""
        total = 0.0
        for line in self.rest.request("GET", "/metrics").decode().splitlines():
            if line.startswith("apiserver_request_total{") and not any(
                left_out in line
                for left_out in ('verb="WATCH"', 'verb="CONNECT"', 'resource="leases"')
            ):
                total += float(line.rpartition(" ")[2])
        return int(total)


class Starts:
    """Lets pods start that have not yet, one after another."""

    def __init__(self, cluster: CrowdedCluster) -> None:
        self._rest = cluster.rest
        pods = self._rest.get(PODS.path())["items"]
        self._pods = [pod for pod in pods if pod["status"]["phase"] == "Pending"]
        running = (pod for pod in pods if pod["status"]["phase"] == "Running")
        self._status = next(running)["status"]

    @property
    def coming(self) -> str:
        """The name of the session whose pod starts next."""
        return str(self._pods[-1]["metadata"]["name"]).removeprefix("gpu-").removesuffix("-0")

    def start(self) -> str:
        """Let one more pod start, and return the name of its session."""
        name, meta = self.coming, self._pods.pop()["metadata"]
        path = f"{PODS.path(meta['namespace'], meta['name'])}/status"
        self._rest.patch(path, {"status": self._status})
        return name


@contextmanager
def crowded(crowd_of: Callable[[Sequence[str]], Crowd]) -> Iterator[CrowdedCluster]:
    """Run a cluster, filled with the crowd that `crowd_of` returns for its namespaces."""
    with running() as cluster:
        rest, folder = cluster.rest(), Path(mkdtemp(prefix="gqc-"))
        spaces = [f"team-{number:02}" for number in range(NAMESPACES)]
        _make_queues(rest, [TEAM, *spaces])
        with controller(cluster, folder) as started:
            idle = started.memory
            original = _original(rest, started)
        _leave_alone(cluster, rest)
        node = rest.get(f"/api/v1/nodes/{NODE}")
        node = {"kind": "Node", "apiVersion": "v1", **node}
        fill(cluster.kubeconfig(), original, node, crowd_of(spaces))
        yield CrowdedCluster(cluster, rest, folder, idle)


@contextmanager
def controller(cluster: Cluster, folder: Path) -> Iterator[Controller]:
    """Run a controller until the end of the block; yield it once it answers."""
    place = Path(mkdtemp(prefix="c-", dir=folder))
    place.joinpath("jupyter_gpuquota_config.py").write_text(
        f"c.KubernetesConfig.kubeconfig = {str(cluster.kubeconfig())!r}\n"
        f"c.KubernetesConfig.milli_resource = {MILLI_GPU!r}\n"
        "c.KubernetesConfig.shares = ['whole']\n"
    )
    state = place / "state"
    command = [sys.executable, "-m", "jupyter_gpuquota.controller", "--foreground"]
    command += ["--backend", "kubernetes", "--state-dir", str(state)]
    with (place / "log").open("wb") as log:
        process = psutil.Popen(
            command,
            env={**os.environ, "JUPYTER_CONFIG_DIR": str(place)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    made = Controller(process, state / "backends" / "kubernetes" / "controller.sock")
    try:
        wait_until(lambda: _answers(made, place / "log"), "the controller answers", poll=0.05)
        yield made
    finally:
        stop(process)


def _answers(started: Controller, log: Path) -> bool:
    if not started.process.is_running() or started.process.status() == psutil.STATUS_ZOMBIE:
        raise CouldNotMeasure(f"the controller ended: {log.read_text()[-2000:]}")
    with suppress(OSError):
        caller = started.caller()
        try:
            return caller.status("/about") == 200
        finally:
            caller.close()
    return False


def _make_queues(rest: Rest, spaces: list[str]) -> None:
    """Create a namespace, a ClusterQueue and a LocalQueue for each team, in one cohort."""
    kinds: list[tuple[str, str, Json]] = [
        ("ResourceFlavor", "gpus", {"spec": {"nodeLabels": {"nvidia.com/gpu.count": "8"}}}),
        ("WorkloadPriorityClass", "interactive", {"value": 100}),
    ]
    for kind, name, more in kinds:
        rest.apply({"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name}, **more})
    for space in spaces:
        rest.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
        quotas = {MILLI_GPU: "160k", "cpu": "10k", "memory": "100Ti"}
        each = [{"name": name, "nominalQuota": quota} for name, quota in quotas.items()]
        flavor = {"name": "gpus", "resources": each}
        group = {"coveredResources": list(quotas), "flavors": [flavor]}
        spec = {"cohortName": "all", "namespaceSelector": {}, "resourceGroups": [group]}
        kueue: Json = {"apiVersion": KUEUE}
        queue = {"kind": "ClusterQueue", "metadata": {"name": space}, "spec": spec}
        rest.apply(kueue | queue)
        local = {"metadata": {"name": "gpus", "namespace": space}}
        rest.apply(kueue | {"kind": "LocalQueue", **local, "spec": {"clusterQueue": space}})
    last = rest.path(KUEUE, "LocalQueue", spaces[-1], "gpus")
    wait_until(lambda: bool(rest.get(last).get("status", {}).get("conditions")), "queues are used")


def _original(rest: Rest, started: Controller) -> Original:
    """Launch one session and return its objects."""
    api = started.caller()
    command = ["sleep", "1000000"]
    asked = {"kind": "interactive", "gpu": "1", "environment": "i:1", "command": command}
    wait_until(
        lambda: any(each["name"] == TEAM for each in api.get("/quota")["projects"]),
        "the controller has found the projects",
    )
    made = create(api, NAME, **asked, project=TEAM)
    path = f"/sessions/{made['id']}"
    wait_until(lambda: api.get(path)["state"] == "running", "a session runs", poll=0.2)
    time.sleep(1)  # until its record has been written
    api.close()
    found = {
        kind: _only(rest, version, kind)
        for version, kind in (
            ("apps/v1", "StatefulSet"),
            ("v1", "Pod"),
            ("v1", "Secret"),
            (KUEUE, "Workload"),
        )
    }
    return Original(
        namespace=TEAM,
        name=NAME,
        session=made["id"],
        node=found["Pod"]["spec"]["nodeName"],
        workload=found["StatefulSet"],
        pod=found["Pod"],
        secret=found["Secret"],
        queued=found["Workload"],
    )


def _only(rest: Rest, version: str, kind: str) -> Json:
    found = rest.get(rest.path(version, kind, TEAM))["items"]
    return {**found[0], "apiVersion": version, "kind": kind}


def _leave_alone(cluster: Cluster, rest: Rest) -> None:
    """Stop all programs that act on objects: what is written stays as it is."""
    base = "/apis/admissionregistration.k8s.io/v1"
    for kind in WEBHOOKS:
        for found in rest.get(f"{base}/{kind}")["items"]:
            rest.delete(f"{base}/{kind}/{found['metadata']['name']}")
    rest.delete("/apis/apiregistration.k8s.io/v1/apiservices/v1beta2.visibility.kueue.x-k8s.io")
    for found in rest.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"]:
        if found["spec"]["group"] == "kueue.x-k8s.io":
            plain = {"spec": {"conversion": {"strategy": "None", "webhook": None}}}
            name = found["metadata"]["name"]
            rest.patch(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}", plain)
    for program in PROGRAMS:
        with suppress(Refused):
            cluster.stop(program)
