"""Rights by reviews of the API server; tests/cluster asks a real one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, get_args

import msgspec
import pytest

from jupyter_gpuquota.control.access import EntryLog
from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.disclosure import shown
from jupyter_gpuquota.errors import NotAllowed, Unavailable
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import PREFIXES
from jupyter_gpuquota.kubernetes.rights import reviews, roles
from jupyter_gpuquota.kubernetes.rights.access import (
    REMEMBERED,
    ClusterAccess,
    SessionTokens,
    as_user,
    new_token,
)
from jupyter_gpuquota.model.routes.route import Need
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import Session, SessionQuery
from jupyter_gpuquota.services.usecases import perform
from tests.builders import make_session
from tests.fakes import make_backend
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_rbac import OWN_REVIEWS, REVIEWS, Rbac

pytestmark = pytest.mark.asyncio

NEEDS: tuple[Need, ...] = get_args(Need)
ALL = ("logs", "exec", "ingress", "history", "administration", "policing")


class Cluster:
    """A fake API server with rules, and the access to it."""

    def __init__(self, *projects: str, engine: str = "kueue") -> None:
        self.api, self.rbac = FakeApi(), Rbac()
        self.rbac.install(self.api)
        self.projects = list(projects or ("team-a", "team-b"))
        self.now = [0.0]
        self.sessions: dict[str, Session] = {}
        self.tokens: dict[str, Any] = {}
        self.read: list[str] = []
        self.notes: list[tuple[str, str]] = []

        async def token_of(session: Session) -> str:
            self.read.append(session.id)
            found = self.tokens[session.id]
            if isinstance(found, Exception):
                raise found
            return found

        async def note(who: str, what: str) -> None:
            self.notes.append((who, what))

        def clock() -> float:
            return self.now[0]

        self.access = ClusterAccess(
            self.api,
            roles.team(engine),
            lambda: self.projects,
            SessionTokens(self.sessions.get, token_of, clock),
            EntryLog(note),
            clock=clock,
        )

    async def roles(self, caller: Caller) -> dict[str, str]:
        return dict((await self.access.rights(caller)).roles)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def user(name: str, *groups: str) -> Caller:
    return Caller(name, frozenset(groups), known="kubernetes")


ME = Caller("joe", known="socket")


def of(owner: str, project: str = "team-a") -> Session:
    session = make_session("s1", state="running", project=project)
    return msgspec.structs.replace(session, owner=owner)


# ── Roles ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("role", "withheld"),
    [("viewer", set()), ("member", {"change volumes", "delete volumes"}), ("lead", set())],
)
async def test_the_roles_of_the_manifests_are_those_of_projects(
    cluster: Cluster, role: str, withheld: set[str]
):
    cluster.rbac.bind(role, "alice", "team-a")
    rights = await cluster.access.rights(user("alice"))
    assert (rights.admin, rights.roles) == (False, {"team-a": role})
    assert rights.withheld.get("team-a", set()) == withheld
    assert rights.caller.name == "alice"
    assert await cluster.roles(user("bob")) == {}


async def test_groups_have_rights_too(cluster: Cluster):
    cluster.rbac.bind("lead", "group:heads", "team-b")
    assert await cluster.roles(user("carol", "heads")) == {"team-b": "lead"}
    assert await cluster.roles(user("heads")) == {}


@pytest.mark.parametrize("engine", ["kueue", "resourcequota"])
async def test_an_admin_has_all_rights_of_the_role_in_all_namespaces(engine: str):
    cluster = Cluster(engine=engine)
    cluster.rbac.bind("admin", "root")
    cluster.rbac.bind("admin", "half", "team-a")
    assert (await cluster.access.rights(user("root"))).admin
    rights = await cluster.access.rights(user("half"))
    assert (rights.admin, rights.roles) == (False, {"team-a": "lead"})
    with pytest.raises(NotAllowed) as caught:
        rights.check_admin()
    assert "jupyter-gpuquota-admin" in caught.value.hint


async def test_an_unknown_engine_has_admins_that_may_do_anything():
    cluster = Cluster(engine="other")
    cluster.rbac.bind("admin", "root")
    assert not (await cluster.access.rights(user("root"))).admin


@pytest.mark.parametrize(
    ("role", "may"),
    [
        ("", "anyone person"),
        ("viewer", "anyone person see"),
        ("member", "anyone person see inspect log manage own enter exec"),
        ("lead", "anyone person see inspect log manage own enter exec"),
    ],
)
async def test_an_owner_must_still_be_a_member(cluster: Cluster, role: str, may: str):
    if role:
        cluster.rbac.bind(role, "alice", "team-a")
    rights = await cluster.access.rights(user("alice"))
    assert {need for need in NEEDS if rights.may(need, of("alice"))} == set(may.split())


async def test_programs_and_logs_are_rights_of_their_own(cluster: Cluster):
    cluster.rbac.bind("member", "alice", "team-a")
    rules = cluster.rbac._roles["member"]
    cluster.rbac._roles["member"] = [
        rule for rule in rules if not {"pods/log", "pods/exec"} & set(rule["resources"])
    ]
    rights = await cluster.access.rights(user("alice"))
    assert {"log", "exec"} <= rights.withheld["team-a"]
    offered = set(shown(of("alice"), rights, ALL).actions)
    assert {"open", "stop"} <= offered
    assert not {"log", "exec"} & offered
    with pytest.raises(NotAllowed) as caught:
        rights.check("exec", of("alice"), "run programs in")
    assert "create pods/exec in team-a" in caught.value.hint
    with pytest.raises(NotAllowed) as caught:
        rights.check("log", of("alice"), "read the log of")
    assert "get pods/log" in caught.value.hint


@pytest.mark.parametrize("verb", ["create", "patch", "delete"])
async def test_volumes_need_rights_on_claims(cluster: Cluster, verb: str):
    cluster.rbac.bind("lead", "alice", "team-a")
    cluster.rbac._roles["lead"] = [
        {**rule, "verbs": [each for each in rule["verbs"] if each != verb]}
        if rule["resources"] == ["persistentvolumeclaims"]
        else rule
        for rule in cluster.rbac._roles["lead"]
    ]
    rights = await cluster.access.rights(user("alice"))
    named = {"create": "create volumes", "patch": "change volumes", "delete": "delete volumes"}
    lacking = {right for right in named.values() if rights.lacks(right, "team-a")}
    assert (rights.roles, lacking) == ({"team-a": "lead"}, {named[verb]})
    assert not rights.lacks(named[verb], "team-b")


async def test_refusals_name_the_rule(cluster: Cluster):
    cluster.rbac.bind("member", "alice", "team-a")
    rights = await cluster.access.rights(user("alice"))
    with pytest.raises(NotAllowed) as caught:
        rights.check("manage", of("ana"), "stop")
    assert caught.value.hint == (
        "Only its owner ana and those allowed to patch and delete statefulsets and jobs in team-a "
        "may."
    )
    assert rights.source.launching == "create statefulsets and jobs"


# ── Whose credentials are reviewed ───────────────────────────────────────────────────────────────


async def test_on_the_socket_the_own_credentials_are_reviewed(cluster: Cluster):
    cluster.rbac.me = ("alice", ["team-a"])
    cluster.rbac.bind("sessions", "group:team-a", "team-a")
    cluster.rbac.bind("viewer", "alice", "team-b")
    rights = await cluster.access.rights(ME)
    assert rights.roles == {"team-a": "member", "team-b": "viewer"}
    assert (rights.caller.name, rights.caller.groups) == ("alice", {"team-a"})
    assert rights.may("exec", of("alice"))
    assert {call.resource for call in cluster.api.calls}.isdisjoint({REVIEWS})


async def test_with_own_credentials_nobody_is_a_lead_or_an_admin(cluster: Cluster):
    cluster.rbac.me = ("root", [])
    cluster.rbac.bind("admin", "root")
    cluster.rbac.bind("sessions", "root")
    rights = await cluster.access.rights(ME)
    assert (rights.admin, set(rights.roles.values())) == (False, {"member"})
    assert not rights.may("manage", of("ana"))
    with pytest.raises(NotAllowed) as caught:
        rights.check_admin()
    assert "your own sessions only" in caught.value.hint


async def test_the_controllers_own_rights_are_never_those_of_its_callers(cluster: Cluster):
    cluster.rbac.bind("sessions", cluster.rbac.me[0])
    cluster.rbac.bind("admin", cluster.rbac.me[0])
    for known in ("kubernetes", "jupyterhub", "token", "", "other"):
        rights = await cluster.access.rights(Caller("eve", known=known))
        assert (rights.admin, rights.roles) == (False, {})
    assert OWN_REVIEWS not in {call.resource for call in cluster.api.calls}


@pytest.mark.parametrize(
    ("known", "name", "groups"),
    [
        ("kubernetes", "ana", {"ml"}),
        ("jupyterhub", "hub:ana", {"hub:ml"}),
        ("token", "token:ana", {"token:ml"}),
        ("ldap", "ldap:ana", {"ldap:ml"}),
        ("", "other:ana", {"other:ml"}),
    ],
)
async def test_names_have_the_prefix_of_who_knows_them(known: str, name: str, groups: set[str]):
    found = as_user(Caller("ana", frozenset({"ml"}), known=known), PREFIXES)
    assert (found.name, found.groups) == (name, groups)


async def test_the_hubs_users_are_reviewed_with_their_prefix(cluster: Cluster):
    cluster.rbac.bind("member", "group:hub:ml", "team-a")
    cluster.rbac.bind("member", "ana", "team-b")
    ana = Caller("ana", frozenset({"ml"}), known="jupyterhub")
    rights = await cluster.access.rights(ana)
    assert (rights.caller.name, rights.roles) == ("hub:ana", {"team-a": "member"})
    assert not rights.owns(of("ana"))
    assert rights.owns(of("hub:ana"))


async def test_reserved_names_come_from_the_cluster_alone():
    plain = {"jupyterhub": "", "kubernetes": ""}
    groups = frozenset({"system:masters", "ml"})
    hub = as_user(Caller("system:admin", groups, known="jupyterhub"), plain)
    assert (hub.name, hub.groups) == ("", {"ml"})
    own = as_user(Caller("system:admin", groups, known="kubernetes"), plain)
    assert (own.name, own.groups) == ("system:admin", groups)


async def test_reviews_name_all_that_the_cluster_said_of_its_user(cluster: Cluster):
    extra = (("example.org/scopes", ("read", "write")),)
    await cluster.roles(replace(user("ana", "ml"), uid="7", extra=extra))
    everything = {
        "user": "ana",
        "groups": ["ml"],
        "uid": "7",
        "extra": {"example.org/scopes": ["read", "write"]},
    }
    assert cluster.rbac.named
    assert all(named == everything for named in cluster.rbac.named)
    asked = len(cluster.rbac.named)
    await cluster.roles(replace(user("ana", "ml"), uid="7"))  # another token, perhaps with less
    assert cluster.rbac.named[asked:]
    assert all("extra" not in named for named in cluster.rbac.named[asked:])


async def test_uid_and_extra_come_from_the_cluster_alone():
    hub = Caller("ana", known="jupyterhub", uid="7", extra=(("scopes", ("all",)),))
    assert as_user(hub, PREFIXES) == Caller("hub:ana", known="jupyterhub")


async def test_nobody_has_no_rights_and_asks_nothing(cluster: Cluster):
    cluster.access._prefixes = {"jupyterhub": ""}
    cluster.rbac.bind("admin", "system:admin")
    rights = await cluster.access.rights(Caller("system:admin", known="jupyterhub"))
    assert (rights.admin, rights.roles, cluster.rbac.asked) == (False, {}, [])


async def test_a_session_acts_for_itself_and_asks_nothing(cluster: Cluster):
    session = of("alice")
    rights = await cluster.access.rights(Caller("alice", known="session", session=session.id))
    assert rights.may("manage", session)
    assert not rights.may("person")
    assert cluster.rbac.asked == []


# ── Answers ──────────────────────────────────────────────────────────────────────────────────────


async def test_answers_count_for_a_minute(cluster: Cluster):
    cluster.rbac.bind("member", "alice", "team-a")
    await cluster.roles(user("alice"))
    asked = len(cluster.rbac.asked)
    cluster.rbac.bindings.clear()
    cluster.now[0] = reviews.KNOWN - reviews.RENEW - 1
    assert await cluster.roles(user("alice")) == {"team-a": "member"}
    assert len(cluster.rbac.asked) == asked
    cluster.now[0] = reviews.KNOWN
    assert await cluster.roles(user("alice")) == {}


async def test_a_server_that_has_not_read_all_rules_is_asked_again_soon(cluster: Cluster):
    answers = cluster.api.controls.answers
    knowing = answers[REVIEWS]
    answers[REVIEWS] = {"status": {"allowed": False, "evaluationError": "RBAC: not found"}}
    cluster.rbac.bind("member", "alice", "team-a")
    assert await cluster.roles(user("alice")) == {}
    answers[REVIEWS] = knowing
    cluster.now[0] = reviews.DOUBTED
    assert await cluster.roles(user("alice")) == {"team-a": "member"}


async def test_who_asks_often_does_not_wait_for_a_slow_server(cluster: Cluster):
    cluster.rbac.bind("lead", "alice", "team-a")
    await cluster.roles(user("alice"))
    cluster.rbac.bindings.clear()
    cluster.rbac.bind("viewer", "alice", "team-a")
    cluster.api.controls.latency = 0.01
    cluster.now[0] = reviews.KNOWN - 1
    assert await cluster.roles(user("alice")) == {"team-a": "lead"}  # renewed meanwhile
    await asyncio.sleep(0.2)
    cluster.api.stop()
    assert await cluster.roles(user("alice")) == {"team-a": "viewer"}
    cluster.now[0] = 2 * reviews.KNOWN - 1
    assert await cluster.roles(user("alice")) == {"team-a": "viewer"}


async def test_a_new_project_is_asked_for_at_once(cluster: Cluster):
    cluster.rbac.bind("member", "alice")
    await cluster.roles(user("alice"))
    asked = len(cluster.rbac.asked)
    cluster.projects.append("team-c")
    assert "team-c" in await cluster.roles(user("alice"))
    assert {each[3] for each in cluster.rbac.asked[asked:]} == {"team-c"}


async def test_many_requests_at_once_ask_once(cluster: Cluster):
    cluster.api.controls.latency = 0.01
    cluster.rbac.bind("member", "alice", "team-a")
    found = await asyncio.gather(*(cluster.roles(user("alice")) for _ in range(20)))
    assert found == [{"team-a": "member"}] * 20
    assert len(cluster.rbac.asked) == len(set(cluster.rbac.asked))


async def test_of_many_projects_few_are_asked_for_at_a_time():
    cluster = Cluster(*(f"team-{number}" for number in range(200)))
    running, most = 0, 0
    answer = cluster.api.ask

    async def counted(path: str, body: Any) -> bytes:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return await answer(path, body)

    cluster.api.ask = counted
    cluster.rbac.bind("viewer", "alice", "team-7")
    assert await cluster.roles(user("alice")) == {"team-7": "viewer"}
    assert 2 < most <= 16
    outside = [each for each in cluster.rbac.asked if each[3] == "team-8"]
    assert len(outside) == 1  # a stranger costs one question a project


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(0, "", "connection refused"), "does not respond: connection refused"),
        (Fault(401, "Unauthorized", "Unauthorized"), "does not accept the credentials"),
        (
            Fault(403, "Forbidden", "subjectaccessreviews.authorization.k8s.io is forbidden"),
            "The cluster does not say (what you may do|who you are)",
        ),
        (Fault(429, "TooManyRequests", "slow down", wait=1.0), "is too busy"),
        (Fault(500, "InternalError", "etcd"), "failed: etcd"),
    ],
)
async def test_no_answer_is_no_right(cluster: Cluster, fault: Fault, said: str):
    cluster.rbac.bind("lead", "alice", "team-a")
    cluster.api.fail(fault, "ask", times=None)
    for caller in (user("alice"), ME):
        with pytest.raises(Unavailable, match=said):
            await cluster.access.rights(caller)
    cluster.api.heal()
    assert await cluster.roles(user("alice")) == {"team-a": "lead"}


@pytest.mark.parametrize(
    "answer",
    [
        b"not json",
        {},
        {"status": {}},
        {"status": {"allowed": "yes"}},
        {"status": {"allowed": True, "denied": True}},
    ],
)
async def test_an_answer_that_does_not_allow_is_no_right(cluster: Cluster, answer: Any):
    cluster.api.controls.answers[REVIEWS] = lambda _: answer
    try:
        rights = await cluster.access.rights(user("alice"))
    except Unavailable:
        return
    assert (rights.admin, rights.roles) == (False, {})


async def test_without_answers_one_sees_what_one_saw_and_may_do_nothing(cluster: Cluster):
    cluster.rbac.bind("admin", "root")
    cluster.rbac.bind("lead", "alice", "team-a")
    for name in ("root", "alice"):
        await cluster.access.rights(user(name))
    cluster.api.stop()
    cluster.now[0] = reviews.KNOWN
    for name in ("root", "alice"):
        rights = await cluster.access.rights(user(name))
        assert rights.may("see", of(name))
        assert not any(rights.may(need, of(name)) for need in NEEDS[3:])
        assert not rights.launches("team-a")
        await _only_sees(rights)
    with pytest.raises(Unavailable):
        await cluster.access.rights(user("bob"))
    cluster.now[0] = REMEMBERED
    with pytest.raises(Unavailable):
        await cluster.access.rights(user("alice"))
    cluster.api.start()
    assert await cluster.roles(user("alice")) == {"team-a": "lead"}


async def _only_sees(rights: Rights) -> None:
    """Check that what is not known now is not refused as if it were forbidden."""
    backend = make_backend()
    assert await perform(backend, route("sessions.list"), rights, {}, SessionQuery())
    for name in ("sessions.create", "policy.put", "audit.list"):
        with pytest.raises(Unavailable, match="does not respond") as caught:
            await perform(backend, route(name), rights, {})
        assert caught.value.hint.startswith("Try again")


# ── Tokens of sessions ───────────────────────────────────────────────────────────────────────────


def live(cluster: Cluster) -> tuple[Session, str]:
    session = of("alice")
    cluster.sessions[session.id] = session
    cluster.tokens[session.id] = new_token(session.id)
    return session, cluster.tokens[session.id]


async def test_a_token_is_one_sessions(cluster: Cluster):
    session, token = live(cluster)
    assert await cluster.access.session_of(token) == session
    assert new_token(session.id) != token
    for wrong in (token[:-1], f"{token}x", session.id, f"{session.id}.", new_token(session.id)):
        assert await cluster.access.session_of(wrong) is None
    for unknown in ("", ".", "nobody.abc", new_token("other")):
        assert await cluster.access.session_of(unknown) is None
    assert cluster.read == [session.id]  # guessing costs no request


async def test_a_token_is_of_one_run_of_a_live_session(cluster: Cluster):
    session, token = live(cluster)
    await cluster.access.session_of(token)
    cluster.sessions[session.id] = msgspec.structs.replace(session, state="suspended")
    assert await cluster.access.session_of(token) is None
    cluster.sessions[session.id] = msgspec.structs.replace(session, run=session.run + 1)
    cluster.tokens[session.id] = new_token(session.id)
    assert await cluster.access.session_of(token) is None
    assert await cluster.access.session_of(cluster.tokens[session.id])


INSIDE = Caller("alice", known="session", inside=of("alice").id)


async def test_a_sessions_programs_have_its_owners_rights_in_its_project_only(cluster: Cluster):
    session, _ = live(cluster)
    for role in ("lead", "admin"):
        cluster.rbac.bind(role, "alice", "team-a")
    cluster.rbac.bind("member", "alice", "team-b")
    cluster.rbac.bind("admin", "alice")
    rights = await cluster.access.rights(INSIDE)
    assert (rights.admin, rights.roles) == (False, {"team-a": "member"})
    assert rights.may("own", session)
    assert not rights.may("manage", of("bob"))
    with pytest.raises(NotAllowed, match="may not act as an administrator"):
        rights.check_admin()


async def test_of_a_session_that_is_gone_nothing_is_left(cluster: Cluster):
    cluster.rbac.bind("admin", "alice")
    assert (await cluster.access.rights(INSIDE)).roles == {}
    assert cluster.rbac.asked == []  # a review without a namespace would be about all of them


async def test_programs_have_the_groups_of_their_owners_last_requests(cluster: Cluster):
    live(cluster)
    cluster.rbac.bind("member", "group:ml", "team-a")
    assert await cluster.roles(INSIDE) == {}
    await cluster.access.rights(user("bob", "ml"))
    assert await cluster.roles(INSIDE) == {}
    await cluster.access.rights(user("alice", "ml"))
    assert await cluster.roles(INSIDE) == {"team-a": "member"}
    cluster.now[0] += REMEMBERED / 2
    await cluster.access.rights(user("alice"))
    assert await cluster.roles(INSIDE) == {}  # she has left the group
    await cluster.access.rights(user("alice", "ml"))
    cluster.now[0] += REMEMBERED
    assert await cluster.roles(INSIDE) == {}


@pytest.mark.parametrize("error", [Fault(403, "Forbidden", "no"), Unavailable("no token")])
async def test_a_token_that_cannot_be_read_is_tried_every_few_seconds(cluster: Cluster, error):
    session, token = live(cluster)
    cluster.tokens[session.id] = error
    for _ in range(5):
        with pytest.raises(Unavailable) as caught:
            await cluster.access.session_of(token)
        assert token not in str(caught.value)
    assert cluster.read == [session.id]
    cluster.tokens[session.id] = token
    cluster.now[0] += 6
    assert await cluster.access.session_of(token) == session


async def test_an_admin_who_opens_a_session_often_is_noted_once(cluster: Cluster):
    session = of("alice")
    for how in ("opened", "opened", "entered"):
        await cluster.access.acted(user("root"), session, how)
    again = replace(user("root"), name="other")
    await cluster.access.acted(again, session, "opened")
    assert cluster.notes == [
        ("root", "opened the session team-a/s1 of alice"),
        ("root", "entered the session team-a/s1 of alice"),
        ("other", "opened the session team-a/s1 of alice"),
    ]
