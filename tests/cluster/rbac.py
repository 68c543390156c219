"""The manifests of `deploy/rbac.yaml` on a real API server, and accounts that they are bound to."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import yaml

from jupyter_gpuquota.kubernetes.api import Api, Fault
from jupyter_gpuquota.kubernetes.connecting import connect
from jupyter_gpuquota.kubernetes.connection.rest import Rest
from jupyter_gpuquota.kubernetes.objects.meta import Object
from jupyter_gpuquota.kubernetes.resources import LEASES, NAMESPACES, STATEFUL_SETS, Resource
from tests.kubernetes.fake_rbac import MANIFESTS, PREFIX
from tests.waiting import wait_for

RBAC = "rbac.authorization.k8s.io"
BINDINGS = Resource(RBAC, "v1", "rolebindings", "RoleBinding", Object)
ACCOUNTS = Resource("", "v1", "serviceaccounts", "ServiceAccount", Object)
KINDS: Mapping[str, Resource[Any]] = {
    "Namespace": NAMESPACES,
    "ServiceAccount": ACCOUNTS,
    "ClusterRole": Resource(RBAC, "v1", "clusterroles", "ClusterRole", Object, namespaced=False),
    "ClusterRoleBinding": Resource(
        RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding", Object, namespaced=False
    ),
    "RoleBinding": BINDINGS,
}
OPS, CONTROLLER = "jupyter-gpuquota", "controller"
ACCOUNT = {"kind": "ServiceAccount", "name": CONTROLLER, "namespace": OPS}
"""The controller's account, as a subject of bindings."""

User = Callable[[str], Path]
"""Returns the kubeconfig of a user."""


@asynccontextmanager
async def connected(*kubeconfigs: Path) -> AsyncIterator[list[Rest]]:
    """Connect with kubeconfigs."""
    async with AsyncExitStack() as stack:
        found = []
        for path in kubeconfigs:
            api = await connect(str(path))
            stack.push_async_callback(api.close)
            found.append(api)
        yield found


_INSTALLED: set[str] = set()
"""The API servers that have the manifests: no test changes them there."""


async def install(admin: Rest) -> None:
    """Apply the manifests as an administrator does, once to each API server."""
    if admin.server in _INSTALLED:
        return
    for manifest in yaml.safe_load_all(MANIFESTS.read_text()):
        meta = manifest["metadata"]
        resource = KINDS[manifest["kind"]]
        await admin.apply(resource, meta.get("namespace", ""), meta["name"], manifest)
    _INSTALLED.add(admin.server)


async def make_namespace(admin: Api, name: str) -> str:
    """Create a namespace in which the controller may have sessions."""
    await admin.create(NAMESPACES, "", {"metadata": {"name": name}})
    await bind(admin, name, "sessions", ACCOUNT)
    return name


async def bind(admin: Api, namespace: str, role: str, to: Mapping[str, str] | str) -> str:
    """Bind a role to a user, `group:NAME` or subject; return the binding's name."""
    subject = to if isinstance(to, Mapping) else _person(to)
    name = f"{role}-{subject['name'].replace(':', '-')}"
    ref = {"apiGroup": RBAC, "kind": "ClusterRole", "name": PREFIX + role}
    body = {"metadata": {"name": name}, "roleRef": ref, "subjects": [subject]}
    await admin.create(BINDINGS, namespace, body)
    return name


async def bind_everywhere(admin: Api, role: str, *to: Mapping[str, str] | str) -> str:
    """Bind a role to users or subjects in the whole cluster; return the binding's name."""
    name = f"{role}-{secrets.token_hex(4)}"
    ref = {"apiGroup": RBAC, "kind": "ClusterRole", "name": PREFIX + role}
    subjects = [each if isinstance(each, Mapping) else _person(each) for each in to]
    body = {"metadata": {"name": name}, "roleRef": ref, "subjects": subjects}
    await admin.create(KINDS["ClusterRoleBinding"], "", body)
    return name


def _person(to: str) -> dict[str, str]:
    group = to.startswith("group:")
    kind = "Group" if group else "User"
    return {"apiGroup": RBAC, "kind": kind, "name": to.removeprefix("group:")}


async def token_of(admin: Api, namespace: str, account: str, *audiences: str) -> str:
    """Return a new token of a service account."""
    path = ACCOUNTS.path(namespace, account, "token")
    spec: dict[str, Any] = {"expirationSeconds": 3600}
    if audiences:
        spec["audiences"] = list(audiences)
    kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
    answer = msgspec.json.decode(await admin.ask(path, {**kind, "spec": spec}))
    return str(answer["status"]["token"])


def with_token(kubeconfig: Path, token: str, to: Path) -> Path:
    """Write a kubeconfig that differs from another in its token."""
    return with_user(kubeconfig, {"token": token}, to)


def with_user(kubeconfig: Path, user: Mapping[str, Any], to: Path) -> Path:
    """Write a kubeconfig that differs from another in its credentials."""
    config = yaml.safe_load(kubeconfig.read_text())
    [context] = config["contexts"]
    config["users"] = [{"name": context["context"]["user"], "user": dict(user)}]
    to.touch(0o600)
    to.write_text(yaml.safe_dump(config))
    return to


async def controller_kubeconfig(admin: Rest, kubeconfig: Path, folder: Path) -> Path:
    """Return the kubeconfig of the controller's service account, with exactly its rules."""
    await install(admin)
    token = await token_of(admin, OPS, CONTROLLER)
    return with_token(kubeconfig, token, folder / "controller.kubeconfig")


async def team_controller(admin: Rest, kubeconfig: Path, folder: Path, *namespaces: str) -> Path:
    """Return the same once it may have sessions in these namespaces, and its lease in the first."""
    own = await controller_kubeconfig(admin, kubeconfig, folder)
    for namespace in namespaces:
        await bind(admin, namespace, "sessions", ACCOUNT)
    await bind(admin, namespaces[0], "lease", ACCOUNT)

    async def may() -> bool:
        for namespace in namespaces:
            await api.list(STATEFUL_SETS, namespace)
        await api.create(LEASES, namespaces[0], {"metadata": {"name": "try"}})
        return True

    async with connected(own) as [api]:
        await settled(may)
    return own


async def settled(done: Callable[[], Awaitable[Any]]) -> Any:
    """Return the result once the server has taken notice of new rules: it caches them."""

    async def found() -> Any:
        try:
            return await done()
        except Fault:
            return None

    return await wait_for(found, "the rules did not come into force", pause=0.1)
