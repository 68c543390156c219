"""A reconciler on a fake API server, and controllers that may be killed at any call."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.ending.open_pages import OpenPages
from jupyter_gpuquota.kubernetes.engines.engine import Admission, EnginePatch
from jupyter_gpuquota.kubernetes.labels import MANAGED_BY, MANAGER, RECORD, SESSION, object_name
from jupyter_gpuquota.kubernetes.logs.logs import KubeLogs
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.reconcile.kinds import plain_kind
from jupyter_gpuquota.kubernetes.reconcile.objects import SessionObjects
from jupyter_gpuquota.kubernetes.reconcile.reconciler import Reconciler
from jupyter_gpuquota.kubernetes.reconcile.secrets import SessionSecrets
from jupyter_gpuquota.kubernetes.reconcile.steps import Steps
from jupyter_gpuquota.kubernetes.reconcile.writer import Writer
from jupyter_gpuquota.kubernetes.resources import (
    SECRETS,
    SERVICES,
)
from jupyter_gpuquota.kubernetes.rights.access import new_token
from jupyter_gpuquota.kubernetes.state.attached import Attached
from jupyter_gpuquota.kubernetes.usage import ClusterSessions
from jupyter_gpuquota.kubernetes.volumes.manifests import SessionClaims
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Isolation, Placement, Share, Slice
from jupyter_gpuquota.model.sessions import Session, SessionSpec
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster
from tests.waiting import patience


def spec(name: str = "exp-1", *, kind: Any = "interactive", **fields: Any) -> SessionSpec:
    """Return a checked request of team-a."""
    fields = {"share": Share(milli=1000), "command": ("sleep", "600"), **fields}
    return SessionSpec(
        name=name, project="team-a", kind=kind, environment="", image="i:1", folder="/", **fields
    )


class SmallManifests:
    """Manifests with only what controllers need."""

    async def workload(self, session: Session) -> tuple[Any, dict[str, Any]]:
        labels = {MANAGED_BY: MANAGER, SESSION: session.id}
        container = {"name": "main", "image": session.spec.image, "gpu": session.spec.share.milli}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        kind = {"suspend": True} if session.spec.kind == "train" else {"replicas": 0}
        meta = {"name": object_name(session), "labels": labels}
        resource = plain_kind(session.spec)
        return resource, {"metadata": meta, "spec": {**kind, "template": template}}

    def released(self, session: Session) -> dict[str, str]:
        return {MANAGED_BY: MANAGER, SESSION: session.id}

    def children(
        self, session: Session, token: str, _kind: Any
    ) -> Sequence[tuple[Any, dict[str, Any]]]:
        labels = {MANAGED_BY: MANAGER, SESSION: session.id}
        meta = {"name": object_name(session), "labels": labels}
        secret = {"metadata": {**meta}, "data": {"token": _base64(token)}}
        return [(SECRETS, secret), (SERVICES, {"metadata": {**meta}, "spec": {}})]


class SmallFacts:
    """Facts of a cluster without an engine: everything is admitted."""

    def __init__(self) -> None:
        self.admissions: dict[str, Admission] = {}
        self.missing: Reason | None = None
        """Why the datasets of all sessions are not there."""
        self.tied: tuple[Attached, ...] = ()
        """The volumes that tie all sessions to nodes."""

    def admission(self, session: Session) -> Admission:
        return self.admissions.get(session.id, Admission())

    def placement(self, pod: Pod) -> Placement | None:
        return Placement(node=pod.spec.node_name, slices=(Slice(milli=1000, memory=0),))

    def isolation(self, spec: SessionSpec) -> Isolation | None:
        return None

    def data(self, session: Session) -> Reason | None:
        return self.missing

    def attached(self, session: Session) -> Sequence[Attached]:
        return self.tied

    def lost(self) -> frozenset[str]:
        return frozenset()

    def engine(self, spec: SessionSpec) -> EnginePatch:
        return EnginePatch()


class Driver:
    """One controller: its board, its reconciler, and its port.

    `starting` is the time for a session to become ready, in seconds; 0 for any.
    """

    def __init__(self, api: Any, *, starting: float = 0.0) -> None:
        self.api = api
        self.board = Board()
        self.watches = Watches(api)
        self.facts = SmallFacts()
        self.pages = OpenPages(None)
        objects = SessionObjects(self.watches)
        secrets = SessionSecrets(api, new_token)
        writer = Writer(api, SmallManifests(), secrets, SessionClaims(api, tuple))
        steps = Steps(
            self.board,
            objects,
            writer,
            self.facts,
            self.pages,
            KubeLogs(api, self.board.find, self.pod_of),
            save=1.0,
            starting=starting,
        )
        self.reconciler = Reconciler(self.board, objects, writer, steps)
        self.sessions = ClusterSessions(self.board, self.reconciler, self.pages)
        self._objects = objects

    def pod_of(self, session: Session, process: int = 0) -> Pod | None:
        return self._objects.pod(session, process)

    async def start(self) -> None:
        await self.watches.start()
        await self.watches.ready()
        for secret in await self.api.list(SECRETS):
            if RECORD in secret.metadata.annotations:
                self.reconciler.adopt(secret)
        self.reconciler.open()

    async def close(self) -> None:
        await self.reconciler.close()
        await self.watches.close()

    def only(self) -> Session:
        [session] = self.board.sessions
        return session


@asynccontextmanager
async def controller(api: Any, *, starting: float = 0.0) -> AsyncIterator[Driver]:
    """Run a controller; see `Driver`."""
    driver = Driver(api, starting=starting)
    await driver.start()
    try:
        yield driver
    finally:
        await driver.close()


async def until(cluster: FakeCluster, true: Callable[[], object]) -> None:
    """Let the cluster work until something is true."""
    async with asyncio.timeout(patience()):
        while not true():
            cluster.round()
            await asyncio.sleep(0.005)


async def settled(cluster: FakeCluster, api: FakeApi) -> None:
    """Let the cluster work until a controller has nothing more to do."""
    quiet, before = 0, -1
    async with asyncio.timeout(patience()):
        while quiet < 12:
            cluster.round()
            await asyncio.sleep(0.004)
            quiet = quiet + 1 if len(api.calls) == before else 0
            before = len(api.calls)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
