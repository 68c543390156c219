"""Controllers on a test cluster, asked as their users ask, and what they leave there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.labels import RECORD
from jupyter_gpuquota.kubernetes.objects.meta import Object
from jupyter_gpuquota.kubernetes.resources import PODS, SECRETS, SERVICES, STATEFUL_SETS, Resource
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.serving import serving
from tests.fakes import ask
from tests.waiting import wait_for

ME = Caller("joe", known="socket")
NETWORK_POLICIES = Resource("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", Object)
WRITES = "POST|PATCH|DELETE"


@dataclass
class Controller:
    """A running backend, and the project that it is asked to launch in."""

    backend: Backend
    project: str

    async def ask(self, route: str, name: str = "", **given: Any) -> Any:
        """Call a route's use case, for a session by its name if one is given."""
        args = {"id": f"{self.project}~{name}"} if name else {}
        return await ask(self.backend, route, ME, args=args, **given)

    async def launch(self, name: str = "exp", **fields: Any) -> Session:
        """Request a session."""
        asked = {"command": ("sleep", "600"), "gpu": "1", "environment": "i:1", **fields}
        request = SessionRequest(name=name, project=self.project, **asked)
        made: Session = await self.ask("sessions.create", body=request)
        return made

    def session(self, name: str = "exp") -> Session | None:
        """Return a session as the board shows it, None if it is not there."""
        found = self.backend.sessions.all()
        return next((each for each in found if each.spec.name == name), None)

    def shows(self, name: str, state: str) -> bool:
        """Return whether a session has a state."""
        session = self.session(name)
        return session is not None and session.state == state

    def reason(self, name: str = "exp") -> str:
        """Return why a session is as it is, empty if nothing is said."""
        session = self.session(name)
        return session.reason.message if session and session.reason else ""

    async def until(self, state: str, name: str = "exp") -> Session:
        """Wait for a state of a session."""

        def reached() -> Session | None:
            session = self.session(name)
            return session if session and session.state == state else None

        found: Session = await wait_for(reached)
        return found

    async def warnings(self) -> str:
        """Return what administrators are warned of."""
        return "\n".join((await self.ask("about.get")).warnings)


@asynccontextmanager
async def running(
    kubeconfig: Path, folder: Path, project: str, **settings: Any
) -> AsyncIterator[Controller]:
    """Run a controller with the credentials of a kubeconfig."""
    given = {"milli_resource": MILLI_GPU, "namespaces": [project], **settings}
    config = KubernetesConfig(kubeconfig=str(kubeconfig), **given)
    async with serving(config, folder, "unix") as backend:
        yield Controller(backend, project)


def writes_for(project: str, name: str) -> str:
    """Return the pattern of paths that a launch writes to.

    Those are collections and the session's own objects, not objects of other sessions: facts about
    these are written at any time.
    """
    return rf"/{project}/\w+(/gpu-{name}(-0)?)?(/\w+)?(\?|$)"


async def assert_whole(api: Api, project: str, name: str = "exp") -> None:
    """Check that a session runs once, with all its objects, and nothing half-made beside them."""
    workloads = [each for each in await api.list(STATEFUL_SETS, project) if _is_of(name, each)]
    [workload] = workloads
    assert RECORD in workload.metadata.annotations
    for kind in (SECRETS, SERVICES, NETWORK_POLICIES):
        [child] = [each for each in await api.list(kind, project) if _is_of(name, each)]
        [owner] = child.metadata.owner_references
        assert owner.uid == workload.metadata.uid, kind.plural
        assert RECORD not in child.metadata.annotations

    seen: list[object] = []

    async def runs() -> bool:
        pods = [each for each in await api.list(PODS, project) if _is_of(name, each)]
        seen[:] = [(pod.metadata, pod.status) for pod in pods]
        return [pod.status.phase for pod in pods] == ["Running"]

    await wait_for(runs, lambda: f"its pods, as last seen: {seen}")


def _is_of(name: str, found: Object) -> bool:
    return found.metadata.name in (f"gpu-{name}", f"gpu-{name}-0")


async def refusal(asked: Any, kind: type[Exception]) -> str:
    """Return the words of an error that a request raises, and of its hint."""
    try:
        await asked
    except kind as error:
        return f"{error} {getattr(error, 'hint', '')}"
    raise AssertionError(f"{kind.__name__} was not raised")
