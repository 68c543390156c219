"""Rights of real users of a real API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.access import EntryLog
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import InvalidFields, NotFound, Unsupported, WrongState
from jupyter_gpuquota.kubernetes.api import Api, Fault
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, NODES, PODS, SECRETS, STATEFUL_SETS
from jupyter_gpuquota.kubernetes.rights import roles
from jupyter_gpuquota.kubernetes.rights.access import ClusterAccess, SessionTokens
from jupyter_gpuquota.kubernetes.rights.authenticator import TokenReviewAuthenticator
from jupyter_gpuquota.model.ending import EndRequest
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import EndpointQuery, LogQuery, SessionQuery, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.cluster.leaving import leave
from tests.cluster.rbac import (
    ACCOUNTS,
    BINDINGS,
    RBAC,
    bind,
    connected,
    controller_kubeconfig,
    make_namespace,
    settled,
    token_of,
)
from tests.contract.helpers import run
from tests.fakes import make_backend
from tests.kubernetes.manifests import secret, stateful_set

pytestmark = pytest.mark.asyncio

ROBOT = "robot"


@dataclass
class Server:
    """An API server with two teams, as its administrator and as the controller see it."""

    admin: Api
    controller: Api
    team_a: str
    team_b: str
    now: list[float]

    def access(self, api: Api | None = None) -> ClusterAccess:
        async def note(who: str, what: str) -> None:
            pass

        async def token_of(session: Any) -> str:
            raise AssertionError(session)

        def clock() -> float:
            return self.now[0]

        return ClusterAccess(
            api or self.controller,
            roles.team("kueue"),
            lambda: [self.team_a, self.team_b],
            SessionTokens({}.get, token_of, clock),
            EntryLog(note),
            clock=clock,
        )


@pytest_asyncio.fixture
async def server(cluster: Any, name: str, tmp_path: Path) -> AsyncIterator[Server]:
    async with connected(cluster.kubeconfig("admin")) as [admin]:
        own = await controller_kubeconfig(admin, cluster.kubeconfig("admin"), tmp_path)
        team_a, team_b = [
            await make_namespace(admin, f"{name}-{team}") for team in ("team-a", "team-b")
        ]
        await bind(admin, team_a, "member", "group:team-a")
        await bind(admin, team_a, "lead", "group:team-leads")
        await bind(admin, team_b, "member", "bob")
        async with connected(own) as [controller]:
            yield Server(admin, controller, team_a, team_b, [0.0])
        for each in (team_a, team_b):
            await asyncio.to_thread(leave, cluster.rest(), each)


def user(name: str, *groups: str) -> Caller:
    return Caller(name, frozenset(groups), known="kubernetes")


ALICE = user("alice", "team-a")
BOB = user("bob", "team-b")
CAROL = user("carol", "team-a", "team-leads")


# ── The controller's own rights ──────────────────────────────────────────────────────────────────


async def test_the_controller_has_the_rights_of_the_manifests_and_no_others(server: Server):
    api = server.controller
    await settled(lambda: _is_allowed(api.list(STATEFUL_SETS, server.team_a)))
    assert await api.list(NODES)
    assert isinstance(await api.list(PODS), list)  # what others hold
    made = await api.create(SECRETS, server.team_a, secret("gpu-x", data="1"))
    assert await api.get(SECRETS, server.team_a, "gpu-x") == made
    for refused in (
        lambda: api.list(SECRETS),
        lambda: api.list(SECRETS, "kube-system"),
        lambda: api.list(STATEFUL_SETS),
        lambda: api.read(f"{PODS.path('kube-system', 'x')}/log"),
        lambda: api.create(NAMESPACES, "", {"metadata": {"name": "other"}}),
        lambda: api.delete(NAMESPACES, "", server.team_a),
        lambda: api.list(BINDINGS, server.team_a),
        lambda: api.create(BINDINGS, server.team_a, _cluster_admin()),
        lambda: token_of(api, "kube-system", "default"),
        lambda: api.acting_as("admin", ["system:masters"]).list(SECRETS),
    ):
        with pytest.raises(Fault) as caught:
            await refused()
        assert caught.value.status == 403


# ── Rights of people ─────────────────────────────────────────────────────────────────────────────


async def test_members_leads_and_strangers(server: Server):
    async def found() -> list[dict[str, str]]:
        access = server.access()
        return [dict((await access.rights(who)).roles) for who in (ALICE, BOB, CAROL, user("eve"))]

    expected = [
        {server.team_a: "member"},
        {server.team_b: "member"},
        {server.team_a: "lead"},
        {},
    ]

    async def agree() -> bool:
        return await found() == expected

    await settled(agree)
    assert await found() == expected


async def test_an_administrator_of_the_cluster_is_one_here(server: Server):
    access = server.access()
    assert (await access.rights(user("root", "system:masters"))).admin
    assert not (await access.rights(CAROL)).admin
    hub = Caller("root", frozenset({"system:masters"}), known="jupyterhub")
    assert not (await access.rights(hub)).admin


async def test_the_hubs_users_are_bound_with_their_prefix(server: Server):
    await bind(server.admin, server.team_b, "viewer", "hub:ana")
    await bind(server.admin, server.team_b, "lead", "group:hub:ml")
    ana = Caller("ana", known="jupyterhub")

    async def seen() -> bool:
        rights = await server.access().rights(ana)
        return (rights.caller.name, rights.roles) == ("hub:ana", {server.team_b: "viewer"})

    await settled(seen)
    rights = await server.access().rights(replace(ana, groups=frozenset({"ml", "team-a"})))
    assert rights.roles == {server.team_b: "lead"}
    assert (await server.access().rights(replace(ana, known="kubernetes"))).roles == {}


async def test_a_right_that_is_taken_away_is_gone_within_a_minute(server: Server):
    binding = await bind(server.admin, server.team_b, "member", "dan")

    async def member() -> bool:
        return server.team_b in (await server.access().rights(user("dan"))).roles

    await settled(member)
    access = server.access()
    assert (await access.rights(user("dan"))).launches(server.team_b)
    await server.admin.delete(BINDINGS, server.team_b, binding)

    async def gone() -> bool:
        return not await member()

    await settled(gone)
    assert (await access.rights(user("dan"))).launches(server.team_b)
    server.now[0] = 60.0
    assert (await access.rights(user("dan"))).roles == {}


async def test_a_label_grants_nothing(server: Server):
    mine = {"metadata": {"labels": {"jupyter-gpuquota.github.io/owner": "eve", "members": "eve"}}}
    await server.admin.patch(NAMESPACES, "", server.team_a, mine)
    assert (await server.access().rights(user("eve"))).roles == {}


# ── One's own credentials ────────────────────────────────────────────────────────────────────────


async def test_a_kubeconfig_has_its_users_rights_and_no_more(cluster: Any, server: Server):
    await bind(server.admin, server.team_a, "sessions", "alice")
    async with connected(cluster.kubeconfig("alice"), cluster.kubeconfig("bob")) as [alice, bob]:

        async def mine() -> bool:
            rights = await server.access(alice).rights(Caller("joe", known="socket"))
            return rights.caller.name == "alice" and rights.roles == {server.team_a: "member"}

        await settled(mine)
        rights = await server.access(alice).rights(Caller("joe", known="socket"))
        assert (rights.admin, rights.source) == (False, roles.OWN_SOURCE)
        # Bob may launch through the team's controller only, which has the right to.
        theirs = await server.access(bob).rights(Caller("joe", known="socket"))
        assert (theirs.caller.name, theirs.roles) == ("bob", {server.team_b: "viewer"})


async def test_the_api_server_refuses_alice_whatever_she_tries_in_team_b(
    cluster: Any, server: Server
):
    await bind(server.admin, server.team_a, "sessions", "alice")
    await server.admin.create(SECRETS, server.team_b, secret("gpu-exp", data="1"))
    await server.admin.create(STATEFUL_SETS, server.team_b, stateful_set("gpu-exp"))
    async with connected(cluster.kubeconfig("alice")) as [alice]:
        await settled(lambda: _is_allowed(alice.list(PODS, server.team_a)))
        pod = PODS.path(server.team_b, "gpu-exp-0")
        for refused in (
            lambda: alice.list(STATEFUL_SETS, server.team_b),
            lambda: alice.get(STATEFUL_SETS, server.team_b, "gpu-exp"),
            lambda: alice.create(STATEFUL_SETS, server.team_b, stateful_set("gpu-other")),
            lambda: alice.patch(STATEFUL_SETS, server.team_b, "gpu-exp", {"spec": {"replicas": 0}}),
            lambda: alice.delete(STATEFUL_SETS, server.team_b, "gpu-exp"),
            lambda: alice.get(SECRETS, server.team_b, "gpu-exp"),
            lambda: alice.read(f"{pod}/log"),
            lambda: alice.websocket(f"{pod}/exec", [("command", "true")], ["v5.channel.k8s.io"]),
            lambda: alice.websocket(
                f"{pod}/portforward", [("ports", "8888")], ["v4.channel.k8s.io"]
            ),
            lambda: alice.acting_as("bob").get(SECRETS, server.team_b, "gpu-exp"),
        ):
            with pytest.raises(Fault) as caught:
                await refused()
            assert caught.value.status == 403


# ── Through the use cases ────────────────────────────────────────────────────────────────────────


@pytest_asyncio.fixture
async def backend(server: Server) -> AsyncIterator[Backend]:
    """Sessions of both teams, with the rights of the real API server."""
    lists = [{"name": team, "quota": "2"} for team in (server.team_a, server.team_b)]
    made = make_backend(lists)
    yield replace(made, access=server.access())


REFUSED: dict[str, dict[str, Any]] = {
    "sessions.get": {},
    "sessions.stop": {"body": EndRequest()},
    "sessions.suspend": {"body": EndRequest()},
    "sessions.log": {"query": LogQuery()},
    "sessions.exec": {"body": ExecRequest(command=("id",))},
    "sessions.exec_stream": {"body": ExecRequest(command=("id",))},
    "sessions.endpoint": {"query": EndpointQuery()},
    "sessions.context": {},
    "sessions.activity": {},
    "sessions.policy": {},
    "sessions.delete": {},
}


async def test_a_member_of_team_a_can_do_nothing_in_team_b(server: Server, backend: Backend):
    session = await run(backend, "secret", owner="bob", project=server.team_b)

    async def ask(name: str, who: Caller, args: dict[str, str], **asked: Any) -> Any:
        rights = await backend.access.rights(who)
        given = {"query": None, "body": None, **asked}
        return await perform(backend, route(name), rights, args, **given)

    async def settled_in() -> bool:
        return bool((await server.access().rights(BOB)).roles)

    await settled(settled_in)
    for name, asked in REFUSED.items():
        for wanted in (session.id, f"{server.team_b}~secret", "secret"):
            with pytest.raises(NotFound) as caught:
                await ask(name, ALICE, {"id": wanted}, **asked)
            assert "bob" not in str(caught.value) + caught.value.hint, name
    assert (await ask("sessions.list", ALICE, {}, query=SessionQuery())).items == ()
    with pytest.raises(InvalidFields) as refused:
        await ask(
            "sessions.create",
            ALICE,
            {},
            body=SessionRequest(name="new", project=server.team_b, command=("sleep", "60")),
        )
    [problem] = refused.value.fields
    assert problem.hint == f"It needs the right to create statefulsets and jobs in {server.team_b}."
    # Bob may do all of it: nothing but the rights makes the difference.
    for name, asked in REFUSED.items():
        with suppress(WrongState, Unsupported):  # the state and the backend, not the rights
            await ask(name, BOB, {"id": session.id}, **asked)


# ── Tokens of the cluster ────────────────────────────────────────────────────────────────────────


async def test_tokens_of_users_and_service_accounts(cluster: Any, server: Server):
    async def controller() -> Api:
        return server.controller

    checks = TokenReviewAuthenticator(open_api=controller)
    await server.admin.create(ACCOUNTS, server.team_a, {"metadata": {"name": ROBOT}})
    robot = await token_of(server.admin, server.team_a, ROBOT)
    found = await checks.authenticate(robot)
    assert found is not None
    assert found.name == f"system:serviceaccount:{server.team_a}:{ROBOT}"
    assert {"system:serviceaccounts", "system:authenticated"} <= found.groups
    assert await checks.authenticate(f"{robot}x") is None
    elsewhere = await token_of(server.admin, server.team_a, ROBOT, "elsewhere")
    assert await checks.authenticate(elsewhere) is None

    ours = TokenReviewAuthenticator(open_api=controller, audiences=["jupyter-gpuquota"])
    assert await ours.authenticate(robot) is None
    meant = await token_of(server.admin, server.team_a, ROBOT, "jupyter-gpuquota")
    again = await ours.authenticate(meant)
    assert again is not None
    assert (again.name, again.groups, again.uid) == (found.name, found.groups, found.uid)
    # The server says which token it was; reviews pass it on.
    assert "authentication.kubernetes.io/credential-id" in dict(found.extra)
    assert again.extra != found.extra

    unused = await token_of(server.admin, server.team_a, ROBOT)
    await server.admin.delete(ACCOUNTS, server.team_a, ROBOT)

    async def revoked() -> bool:
        fresh = TokenReviewAuthenticator(open_api=controller)
        return await fresh.authenticate(unused) is None

    await settled(revoked)


async def test_a_service_account_has_rights_like_everybody(server: Server):
    account = {"kind": "ServiceAccount", "name": ROBOT, "namespace": server.team_a}
    await server.admin.create(ACCOUNTS, server.team_a, {"metadata": {"name": ROBOT}})
    await bind(server.admin, server.team_a, "member", account)
    token = await token_of(server.admin, server.team_a, ROBOT)

    async def controller() -> Api:
        return server.controller

    robot = await TokenReviewAuthenticator(open_api=controller).authenticate(token)
    assert robot is not None

    async def member() -> bool:
        return (await server.access().rights(robot)).roles == {server.team_a: "member"}

    await settled(member)


async def _is_allowed(call: Any) -> bool:
    await call
    return True


def _cluster_admin() -> dict[str, Any]:
    ref = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"}
    subject = {"apiGroup": RBAC, "kind": "User", "name": "eve"}
    return {"metadata": {"name": "mine"}, "roleRef": ref, "subjects": [subject]}
