"""Credentials that end, and rights that change, on a real API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.kubernetes.api import Api, Fault
from jupyter_gpuquota.kubernetes.resources import PODS, SECRETS
from jupyter_gpuquota.kubernetes.watching.cache import Key
from jupyter_gpuquota.kubernetes.watching.reflector import Clock
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from tests.cluster.leaving import leave
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import (
    ACCOUNTS,
    BINDINGS,
    KINDS,
    RBAC,
    connected,
    settled,
    token_of,
    with_token,
    with_user,
)
from tests.kubernetes.exec_plugin import plugin
from tests.kubernetes.manifests import secret
from tests.waiting import QUIET, patience, wait_for

pytestmark = pytest.mark.asyncio

SECRETS_RULE = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["list", "watch"]}
NAMESPACES_RULE = {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list", "watch"]}
EXEC_RULE = {
    "apiGroups": [""],
    "resources": ["pods/exec", "pods/portforward"],
    "verbs": ["create", "get"],
}


class Place:
    """Two namespaces, and rights of service accounts, which go with the test."""

    def __init__(self, admin: Api, name: str) -> None:
        self.admin = admin
        self.name = name
        self.team_a, self.team_b = f"{name}-a", f"{name}-b"
        self.made: list[tuple[Any, str]] = []

    async def make(self, kind: str, name: str, body: dict[str, Any]) -> None:
        """Create an object that is not in a namespace."""
        await self.admin.create(KINDS[kind], "", {"metadata": {"name": name}, **body})
        self.made.append((KINDS[kind], name))

    async def grant(self, role: str, accounts: list[str], namespace: str = "") -> None:
        """Bind a role to accounts, in a namespace or everywhere."""
        kind = BINDINGS if namespace else KINDS["ClusterRoleBinding"]
        ref = {"apiGroup": RBAC, "kind": "ClusterRole", "name": f"{self.name}-{role}"}
        subjects = [
            {"kind": "ServiceAccount", "name": account, "namespace": self.team_a}
            for account in accounts
        ]
        meta = {"name": f"{self.name}-{role}"}
        body = {"metadata": meta, "roleRef": ref, "subjects": subjects}
        await self.admin.create(kind, namespace, body)
        if not namespace:
            self.made.append((kind, meta["name"]))

    async def withdraw(self, role: str, namespace: str = "") -> None:
        """Take a role away."""
        kind = BINDINGS if namespace else KINDS["ClusterRoleBinding"]
        await self.admin.delete(kind, namespace, f"{self.name}-{role}")

    async def account(self, name: str) -> str:
        """Create a service account, and return a token of it."""
        await self.admin.create(ACCOUNTS, self.team_a, {"metadata": {"name": name}})
        return await token_of(self.admin, self.team_a, name)


@pytest_asyncio.fixture
async def place(cluster: Any, name: str) -> AsyncIterator[Place]:
    async with connected(cluster.kubeconfig()) as [admin]:
        made = Place(admin, name)
        for namespace in (made.team_a, made.team_b):
            await admin.create(KINDS["Namespace"], "", {"metadata": {"name": namespace}})
        for role, rules in (
            ("secrets", [SECRETS_RULE]),
            ("namespaces", [NAMESPACES_RULE]),
            ("programs", [EXEC_RULE, SECRETS_RULE]),
        ):
            await made.make("ClusterRole", f"{name}-{role}", {"rules": rules})
        yield made
        for namespace in (made.team_a, made.team_b):
            await asyncio.to_thread(leave, cluster.rest(), namespace)
        for kind, each in reversed(made.made):
            try:
                await admin.delete(kind, "", each)
            except Fault as fault:
                if fault.status != 404:
                    raise


async def test_terminals_ports_lists_and_watches_go_on_with_a_new_token(
    cluster: Any, place: Place, tmp_path: Path
):
    async def watch(api: Api) -> None:
        async with aclosing(api.watch(SECRETS, place.team_a)) as changes:
            await anext(changes)

    async def program(api: Api) -> None:
        path = PODS.path(place.team_a, "nosuch", "exec")
        await api.websocket(path, [("command", "id"), ("stdout", "true")], ["v5.channel.k8s.io"])

    async def port(api: Api) -> None:
        path = PODS.path(place.team_a, "nosuch", "portforward")
        await api.websocket(path, [("ports", "80")], ["v4.channel.k8s.io"])

    calls = (lambda api: api.list(SECRETS, place.team_a), watch, program, port)
    old, new = [await place.account(name) for name in ("old", "new")]
    await place.grant("programs", ["old", "new"], place.team_a)
    user = plugin(tmp_path, [{"token": token} for token in [old] * len(calls) + [new]])
    renewing = with_user(cluster.kubeconfig(), user, tmp_path / "plugin.kubeconfig")
    fixed = with_token(cluster.kubeconfig(), old, tmp_path / "old.kubeconfig")
    async with connected(*[renewing] * len(calls), fixed) as [*robots, ended]:
        for api in robots:
            await settled(lambda api=api: listed(api, place.team_a))
        await place.admin.delete(ACCOUNTS, place.team_a, "old")
        for call in calls:  # the server remembers for a while whom it has accepted
            await wait_for(lambda call=call: is_refused(call(ended)), pause=0.1)
        found = [await status_of(call(api)) for call, api in zip(calls, robots, strict=True)]
        assert found == [0, 0, 404, 404]  # allowed, but there is no such pod


async def test_rights_that_change_are_followed(cluster: Any, place: Place, tmp_path: Path):
    token = await place.account("robot")
    kubeconfig = with_token(cluster.kubeconfig(), token, tmp_path / "robot.kubeconfig")
    await place.grant("namespaces", ["robot"])
    await place.grant("secrets", ["robot"], place.team_a)
    mine = {(place.team_a, "mine")}
    everything = mine | {(place.team_b, "other")}
    for namespace, each in everything:
        await place.admin.create(SECRETS, namespace, secret(each))
    with FaultProxy.running(kubeconfig, tmp_path) as between:
        # Else the server ends watches after minutes; all objects have to come before the cut, which
        # takes longer on a busy machine.
        between.add(Rule(path="watch=1", cut=5.0 * patience() / QUIET))
        async with connected(between.kubeconfig) as [robot]:
            await settled(lambda: listed(robot, place.team_a))
            # Each namespace of the cluster is asked for again after this pause.
            watches = Watches(robot, clock=Clock(sleep=lambda _: asyncio.sleep(1)))
            cache = watches.cache(SECRETS)

            def seen() -> set[Key]:
                return everything & {item.key for item in cache.values()}

            await watches.start()
            async with asyncio.timeout(patience()):
                await watches.ready()
            await wait_for(lambda: seen() == mine)
            history: list[set[Key]] = []
            cache.subscribe(lambda _: history.append(seen()))
            for _ in range(2):
                await place.grant("secrets", ["robot"])
                await wait_for(lambda: seen() == everything)
                await place.withdraw("secrets")
                await wait_for(lambda: seen() == mine)
            assert all(mine <= each for each in history)
            await place.withdraw("secrets", place.team_a)
            await wait_for(lambda: not seen())
            await watches.close()


async def listed(api: Api, namespace: str) -> bool:
    await api.list(SECRETS, namespace)
    return True


async def is_refused(call: Awaitable[Any]) -> bool:
    return await status_of(call) == 401


async def status_of(call: Awaitable[Any]) -> int:
    """Return the status of a call that fails, 0 for success."""
    try:
        await call
    except Fault as fault:
        return fault.status
    return 0
