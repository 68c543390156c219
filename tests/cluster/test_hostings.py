"""The two hostings on a cluster: one controller for a team, and one with one's own credentials."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from tornado.httpclient import AsyncHTTPClient

from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.controller import https_mount
from jupyter_gpuquota.controller.authentication import AttemptLimit, Authentication
from jupyter_gpuquota.controller.https_mount import Address
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import InvalidFields, NotFound
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.backend import open_kubernetes
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.hosting import OWN
from jupyter_gpuquota.kubernetes.labels import TOKEN_KEY
from jupyter_gpuquota.kubernetes.resources import LEASES, SECRETS, STATEFUL_SETS
from jupyter_gpuquota.kubernetes.rights.authenticator import TokenReviewAuthenticator
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import SessionQuery, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.settings import MILLI_GPU
from tests.access.asking import HIDDEN, ROWS, request_of, wanted
from tests.cluster.rbac import KINDS, bind, bind_everywhere, connected, team_controller
from tests.cluster.teams import Teams
from tests.contract.helpers import until
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

NOBODY = ("nobody-a", "nobody-b")
"""Groups that `Teams` gives more rights than these tests are about."""
ME = Caller("joe", known="socket")


@dataclass
class Place:
    """Two teams, and what administrators have bound there."""

    admin: Api
    folder: Path
    kubeconfigs: Any
    team_a: str
    team_b: str

    def token(self, user: str) -> str:
        """Return the token of a user of the API server."""
        config = yaml.safe_load(self.kubeconfigs(user).read_text())
        return str(config["users"][0]["user"]["token"])

    @asynccontextmanager
    async def backend(
        self, hosting: str, kubeconfig: Path, machine: str = "one"
    ) -> AsyncIterator[Backend]:
        """Run a backend."""
        config = KubernetesConfig(
            kubeconfig=str(kubeconfig),
            namespaces=[self.team_a, self.team_b],
            milli_resource=MILLI_GPU,
            lease=f"{self.team_a}/controller",
        )
        folder = self.folder / machine / kubeconfig.stem
        backend = open_kubernetes(GpuQuota(hosting=hosting), config, folder)
        await backend.resident.start()
        try:
            yield backend
        finally:
            await backend.resident.close()


@pytest_asyncio.fixture
async def place(cluster: Any, teams: Teams, tmp_path: Path) -> AsyncIterator[Place]:
    team_a, team_b = [
        (await asyncio.to_thread(teams.with_kueue, group, 4000)).namespace for group in NOBODY
    ]
    async with connected(cluster.kubeconfig()) as [admin]:
        place = Place(admin, tmp_path, cluster.kubeconfig, team_a, team_b)
        await bind(admin, team_a, "member", "group:team-a")
        await bind(admin, team_a, "lead", "group:team-leads")
        await bind(admin, team_b, "member", "bob")
        yield place


# ── One controller for a team ────────────────────────────────────────────────────────────────────


@dataclass
class Team:
    """A controller for everybody, asked over HTTP with the tokens of people."""

    backend: Backend
    place: Place
    kubeconfig: Path
    port: int
    end: Callable[[], Awaitable[None]]
    """Ends the controller, but not its server."""

    @property
    def b(self) -> bytes:
        """The name of team-b's namespace in a body."""
        return self.place.team_b.encode()

    async def ask(
        self, who: str, method: str, path: str, body: Any = None, *, token: str = ""
    ) -> tuple[int, Any]:
        token = token or self.place.token(who)
        response = await AsyncHTTPClient().fetch(
            f"http://127.0.0.1:{self.port}/gpuquota/api{path}",
            method=method,
            headers={"Authorization": f"Bearer {token}"},
            body=None if body is None else json.dumps(body),
            allow_nonstandard_methods=True,
            raise_error=False,
        )
        assert token not in response.body.decode()
        return response.code, json.loads(response.body)

    async def launch(self, who: str, project: str, name: str) -> str:
        """Launch a session, wait until it runs, and return its id."""
        asked = {"name": name, "project": project, "command": ["sleep", "600"], "gpu": "1"}
        code, made = await self.ask(who, "POST", "/sessions", {**asked, "environment": "i:1"})
        assert code == 201, made
        await until(self.backend, made["id"], "running")
        return str(made["id"])


@pytest_asyncio.fixture
async def team(place: Place, cluster: Any) -> AsyncIterator[Team]:
    teams = (place.team_a, place.team_b)
    own = await team_controller(place.admin, cluster.kubeconfig(), place.folder, *teams)
    async with AsyncExitStack() as stack, connected(own) as [api]:
        backend = await stack.enter_async_context(place.backend("https", own))

        async def opened() -> Api:
            return api

        known = [TokenReviewAuthenticator(open_api=opened)]
        checks = Authentication(known, backend.access, AttemptLimit())
        application = https_mount.application(InProcess(backend), checks)
        server = https_mount.listen(application, Address("127.0.0.1", 0), None)
        [listener] = server._sockets.values()
        yield Team(backend, place, own, listener.getsockname()[1], stack.aclose)
        server.stop()
        await server.close_all_connections()


async def test_a_member_of_team_a_can_do_nothing_in_team_b(team: Team):
    theirs = await team.launch("bob", team.place.team_b, "secret")
    code, listed = await team.ask("alice", "GET", "/sessions")
    assert (code, listed["items"]) == (200, [])
    path = f"/sessions/{theirs}"
    for method, asked, body in (
        ("GET", path, None),
        ("GET", f"/sessions/{team.place.team_b}~secret", None),
        ("POST", f"{path}/stop", {}),
        ("POST", f"{path}/suspend", {}),
        ("POST", f"{path}/resume", {}),
        ("DELETE", path, None),
        ("GET", f"{path}/log", None),
        ("POST", f"{path}/exec", {"command": ["id"]}),
        ("POST", f"{path}/exec/stream", {"command": ["id"]}),
        ("POST", f"{path}/terminals", {}),
        ("GET", f"{path}/endpoint", None),
        ("GET", f"{path}/context", None),
    ):
        code, answer = await team.ask("alice", method, asked, body)
        assert (code, answer["code"]) == (404, "NotFound"), (method, asked)
        assert "bob" not in str(answer)
    asked = {"name": "mine", "project": team.place.team_b, "command": ["id"]}
    code, answer = await team.ask("alice", "POST", "/sessions", {**asked, "environment": "i:1"})
    [problem] = [each for each in answer["fields"] if each["field"] == "project"]
    assert code == 422
    assert "create statefulsets and jobs in" in problem["hint"]
    _, quota = await team.ask("alice", "GET", "/quota")
    assert quota["mine"] == [team.place.team_a]
    _, nodes = await team.ask("alice", "GET", "/nodes")
    for shown in (quota, nodes):
        assert theirs not in str(shown)
        assert "secret" not in str(shown)
        assert "bob" not in str(shown)
    assert (await team.ask("bob", "GET", path))[1]["state"] == "running"


async def test_no_route_shows_or_does_anything_in_another_team(team: Team):
    """Every route of the table, by a member and by a lead of team-a, and by a stranger."""
    theirs = await team.launch("bob", team.place.team_b, "secret")
    mine = await team.launch("alice", team.place.team_a, "exp")
    token = await _token(team.place, "gpu-exp")
    told, wrong = [], []
    for name in ROWS:
        row = route(name)
        for who in ("alice", "carol", "alice's session"):
            args, query, body = request_of(name, theirs)
            path = row.path.format(**args).replace("team-c", team.place.team_b)
            code, answer = await team.ask(
                who,
                row.method,
                f"{path}?{query}",
                None if row.method == "GET" else json.loads(body.replace(b"team-c", team.b)),
                token=token if "session" in who else "",
            )
            caller = "session" if "session" in who else "outsider"
            allowed = wanted(name, caller) if "{id}" not in row.path else {HIDDEN}
            wrong += [] if code in allowed else [(name, who, code, answer)]
            words = ["bob", "secret"] + [theirs] * ("{id}" not in row.path)
            told += [(name, who, word) for word in words if word in str(answer)]
    assert (wrong, told) == ([], [])
    assert (await team.ask("bob", "GET", f"/sessions/{theirs}"))[1]["state"] == "running"
    assert (await team.ask("alice", "GET", f"/sessions/{mine}"))[1]["state"] == "running"


async def test_roles_within_a_team(team: Team):
    mine = await team.launch("alice", team.place.team_a, "exp")
    path = f"/sessions/{mine}"
    _, seen = await team.ask("carol", "GET", path)
    assert (seen["owner"], seen["state"]) == ("alice", "running")
    assert {"log", "stop", "suspend"} <= set(seen["actions"])
    assert not {"open", "exec", "resume", "delete"} & set(seen["actions"])
    for method, asked, body in (
        ("POST", f"{path}/exec", {"command": ["id"]}),
        ("GET", f"{path}/endpoint", None),
        ("DELETE", path, None),
    ):
        code, answer = await team.ask("carol", method, asked, body)
        assert (code, answer["code"]) == (403, "NotAllowed"), asked
        assert "alice" in answer["hint"]
    code, answer = await team.ask("carol", "PUT", "/rules", {"revision": "1"})
    assert (code, "jupyter-gpuquota-admin" in answer["hint"]) == (403, True)
    assert (await team.ask("carol", "POST", f"{path}/suspend", {}))[0] == 200


async def test_a_sessions_own_token(team: Team):
    mine = await team.launch("alice", team.place.team_a, "exp")
    other = await team.launch("bob", team.place.team_b, "exp")
    token = await _token(team.place, "gpu-exp")
    assert token.startswith(f"{mine}.")
    code, seen = await team.ask("", "GET", f"/sessions/{mine}", token=token)
    assert (code, seen["id"]) == (200, mine)
    assert (await team.ask("", "GET", f"/sessions/{other}", token=token))[0] == 404
    asked = {"name": "new", "project": team.place.team_a}
    assert (await team.ask("", "POST", "/sessions", asked, token=token))[0] in {403, 422}
    for wrong in (f"{token}x", f"{other}.{token.partition('.')[2]}", f"{mine}.x"):
        assert (await team.ask("", "GET", f"/sessions/{mine}", token=wrong))[0] == 401
    for who in ("alice", "carol"):
        for path in ("/sessions", f"/sessions/{mine}"):
            assert token not in str(await team.ask(who, "GET", path))


async def test_no_log_shows_a_token(team: Team, caplog: pytest.LogCaptureFixture):
    """Neither the session's token, nor those of its callers, nor the controller's own."""
    caplog.set_level(logging.DEBUG)
    mine = await team.launch("alice", team.place.team_a, "exp")
    secret = await _token(team.place, "gpu-exp")
    path = f"/sessions/{mine}"
    await team.ask("alice", "GET", f"{path}/endpoint")
    await team.ask("alice", "POST", f"{path}/exec", {"command": ["id"]})
    await team.ask("alice", "GET", path, token=secret)
    await team.ask("", "GET", path, token=f"{secret}x")
    unknown = secrets.token_urlsafe()
    await team.ask("", "GET", path, token=unknown)
    own = yaml.safe_load(team.kubeconfig.read_text())["users"][0]["user"]["token"]
    logging.getLogger("jupyter_gpuquota").debug("this is captured")
    said = "\n".join(f"{each.getMessage()} {each.exc_text}" for each in caplog.records)
    assert "this is captured" in said
    for token in (secret, team.place.token("alice"), own, unknown):
        assert token not in said
        assert base64.b64encode(token.encode()).decode() not in said


async def test_an_administrator_of_the_cluster_is_one(team: Team):
    theirs = await team.launch("bob", team.place.team_b, "exp")
    code, seen = await team.ask("admin", "GET", f"/sessions/{theirs}")
    assert (code, seen["owner"]) == (200, "bob")
    code, about = await team.ask("admin", "GET", "/about")
    assert {"administration", "policing", "history"} <= set(about["capabilities"])
    assert OWN not in about["warnings"]


async def test_a_second_controller_waits_until_the_first_ends(team: Team):
    mine = await team.launch("alice", team.place.team_a, "exp")
    lease = LEASES.path(team.place.team_a, "controller")
    renewals: set[str] = set()

    async def holder() -> str:
        spec = json.loads(await team.place.admin.read(lease))["spec"]
        renewals.add(spec["renewTime"])
        return str(spec["holderIdentity"])

    async def renewed_often() -> bool:
        assert await holder() == first
        return len(renewals) > 4

    first = await holder()
    second = team.place.backend("https", team.kubeconfig, "two")
    entering = asyncio.ensure_future(second.__aenter__())
    await wait_for(renewed_often)
    assert not entering.done()
    assert team.backend.resident.ended() == ""
    code, _ = await team.ask("alice", "POST", f"/sessions/{mine}/suspend", {})
    assert code == 200
    await until(team.backend, mine, "suspended")

    await team.end()
    successor = await entering
    assert await holder() != first
    assert [each.id for each in successor.sessions.all()] == [mine]
    await successor.sessions.resume(mine)
    await until(successor, mine, "running")
    code, answer = await team.ask("alice", "POST", f"/sessions/{mine}/stop", {})
    assert (code, answer["code"]) == (503, "Unavailable")
    await second.__aexit__(None, None, None)


async def test_a_controller_that_loses_its_lease_writes_no_more(team: Team):
    mine = await team.launch("alice", team.place.team_a, "exp")
    meta = {"name": "controller", "namespace": team.place.team_a}
    spec = {"holderIdentity": "other", "renewTime": "2026-01-01T00:00:00.000000Z"}
    await team.place.admin.patch(LEASES, meta["namespace"], meta["name"], {"spec": spec})
    await wait_for(team.backend.resident.ended)
    code, answer = await team.ask("alice", "POST", f"/sessions/{mine}/suspend", {})
    assert (code, answer["code"], "not in charge" in answer["message"]) == (
        503,
        "Unavailable",
        True,
    )
    [workload] = await team.place.admin.list(STATEFUL_SETS, team.place.team_a)
    assert workload.spec.replicas == 1


# ── One's own credentials ────────────────────────────────────────────────────────────────────────


async def test_a_kubeconfig_is_enough_for_ones_own_sessions(place: Place, cluster: Any):
    await bind(place.admin, place.team_a, "sessions", "alice")
    await bind(place.admin, place.team_a, "sessions", "carol")
    readers = await bind_everywhere(place.admin, "reader", "alice", "carol")
    async with place.backend("unix", cluster.kubeconfig("alice")) as alice:
        about = await ask(alice, "about.get", ME)
        assert about.user == "alice"
        assert not {"administration", "policing", "history"} & set(about.capabilities)
        assert OWN in about.warnings
        assert (await ask(alice, "quota.get", ME)).mine == (place.team_a,)
        request = SessionRequest(
            name="exp", project=place.team_a, command=("sleep", "600"), gpu="1", environment="i:1"
        )
        made = await ask(alice, "sessions.create", ME, body=request)
        assert made.owner == "alice"
        await until(alice, made.id, "running")

        async with place.backend("unix", cluster.kubeconfig("carol")) as carol:
            with pytest.raises(NotFound):
                await ask(carol, "sessions.stop", ME, args={"id": made.id})
            assert (await ask(carol, "sessions.list", ME, query=SessionQuery())).items == ()

        body = SessionRequest(name="exp", project=place.team_b, environment="i:1")
        with pytest.raises(InvalidFields) as caught:
            await ask(alice, "sessions.create", ME, body=body)
        assert "project" in {problem.field for problem in caught.value.fields}

        await ask(alice, "sessions.suspend", ME, args={"id": made.id})
        await until(alice, made.id, "suspended")
        await ask(alice, "sessions.delete", ME, args={"id": made.id})
        assert await place.admin.list(STATEFUL_SETS, place.team_a) == []
    await place.admin.delete(KINDS["ClusterRoleBinding"], "", readers)


async def test_a_kubeconfig_without_the_reader_role_is_enough_to_launch(place: Place, cluster: Any):
    """Neither nodes nor ClusterQueues may be read: quotas are unknown, and nobody's are zero."""
    await bind(place.admin, place.team_a, "sessions", "alice")
    async with place.backend("unix", cluster.kubeconfig("alice")) as alice:
        warnings = " ".join((await ask(alice, "about.get", ME)).warnings)
        assert f"The ClusterQueues behind {place.team_a} cannot be read" in warnings
        assert "jupyter-gpuquota-reader" in warnings
        assert (await ask(alice, "quota.get", ME)).mine == (place.team_a,)
        request = SessionRequest(
            name="exp", project=place.team_a, command=("sleep", "600"), gpu="1", environment="i:1"
        )
        preview = await ask(alice, "sessions.preview", ME, body=request)
        assert preview.sentences[0].key == "preview.unknown"
        made = await ask(alice, "sessions.create", ME, body=request)
        await until(alice, made.id, "running")
        await ask(alice, "sessions.stop", ME, args={"id": made.id})
        await until(alice, made.id, "stopped")
        await ask(alice, "sessions.delete", ME, args={"id": made.id})


async def _token(place: Place, name: str) -> str:
    raw: Mapping[str, Any] = json.loads(await place.admin.read(SECRETS.path(place.team_a, name)))
    return base64.b64decode(raw["data"][TOKEN_KEY]).decode()
