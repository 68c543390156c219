"""Use cases, over a backend in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import Ambiguous, InvalidFields, NameTaken, NotFound, Unsupported
from jupyter_gpuquota.model.about import API_VERSION, ChangesQuery, Revisions
from jupyter_gpuquota.model.environments import EnvironmentQuery
from jupyter_gpuquota.model.idleness import PresenceRequest
from jupyter_gpuquota.model.programs import ExecRequest, TerminalRequest
from jupyter_gpuquota.model.resources import Holding, Placement
from jupyter_gpuquota.model.rightsizing import ResizeRequest
from jupyter_gpuquota.model.routes.table import ROUTES, Route
from jupyter_gpuquota.model.sessions import (
    Endpoint,
    EndpointQuery,
    LogQuery,
    ResumeRequest,
    Session,
    SessionQuery,
    SessionRequest,
)
from jupyter_gpuquota.model.struct import Nothing
from jupyter_gpuquota.ports.backend import CAPABILITIES, Backend
from jupyter_gpuquota.services.usecases import USE_CASES, use_case
from tests.builders import MEMORY, NOW, make_node, make_slice
from tests.fakes import FakeIngress, ask, make_backend

pytestmark = pytest.mark.asyncio


async def launch(backend: Backend, name: str = "exp-1", **request: Any) -> Any:
    return await ask(backend, "sessions.create", body=SessionRequest(name=name, **request))


async def test_every_route_has_a_use_case_that_can_be_called() -> None:
    assert set(USE_CASES) == {route.name for route in ROUTES}
    assert all(callable(use_case) for use_case in USE_CASES.values())


@pytest.mark.parametrize(
    ("name", "missing"), [("teleports.list", "module"), ("sessions.teleport", "function teleport")]
)
async def test_a_route_without_a_use_case_is_refused_by_its_name(name: str, missing: str) -> None:
    with pytest.raises(LookupError, match=f"The route {name} has no {missing}"):
        use_case(Route(name, "GET", "/x", Nothing, "Do nothing"))


async def test_a_launched_session_belongs_to_who_asked() -> None:
    session = await launch(make_backend(), gpu="0.5")
    assert (session.owner, session.state, session.placement.milli) == ("me", "running", 500)


async def test_a_bad_request_leaves_nothing_behind() -> None:
    backend = make_backend()
    with pytest.raises(InvalidFields):
        await launch(backend, gpu="1.5")
    assert backend.sessions.all() == ()


async def test_a_name_is_free_again_once_its_session_is_deleted() -> None:
    backend = make_backend()
    first = await launch(backend)
    with pytest.raises(NameTaken, match="running"):
        await launch(backend)
    await launch(backend, project="team-b")
    await ask(backend, "sessions.stop", args={"id": first.id})
    with pytest.raises(NameTaken, match="stopped"):
        await launch(backend)
    await ask(backend, "sessions.delete", args={"id": first.id})
    assert (await launch(backend)).id != first.id


@pytest.mark.parametrize(
    ("request_", "verdict", "fields"),
    [
        ({"gpu": "0.5"}, "fits", []),
        ({"gpu": "4"}, "waits", []),
        ({"gpu": "0", "project": "x"}, "forbidden", ["gpu", "project"]),
        ({"name": "taken"}, "forbidden", ["name"]),
    ],
)
async def test_a_preview_answers_even_for_what_is_forbidden(
    request_: dict[str, Any], verdict: str, fields: list[str]
) -> None:
    backend = make_backend()
    await launch(backend, "taken", gpu="1")
    body = SessionRequest(**{"name": "asked", **request_})
    preview = await ask(backend, "sessions.preview", body=body)
    assert (preview.verdict, [p.field for p in preview.problems]) == (verdict, fields)
    assert len(backend.sessions.all()) == 1


async def test_the_list_is_filtered_and_paged() -> None:
    backend = make_backend()
    for i in range(5):
        await launch(backend, f"s{i}", project="team-b" if i == 3 else "")
    page = await ask(backend, "sessions.list", query=SessionQuery(project="team-a", limit=3))
    assert ([s.spec.name for s in page.items], page.total) == (["s0", "s1", "s2"], 4)
    rest = SessionQuery(project="team-a", limit=3, cursor=page.next)
    page = await ask(backend, "sessions.list", query=rest)
    assert ([s.spec.name for s in page.items], page.next) == (["s4"], "")
    states = SessionQuery(state="running, waiting", name="s3", owner="me")
    assert (await ask(backend, "sessions.list", query=states)).total == 1
    assert (await ask(backend, "sessions.list", query=SessionQuery(state="done"))).total == 0


@pytest.mark.parametrize(
    "query", [{"limit": 0}, {"limit": 1001}, {"cursor": "gone"}, {"state": "running,zzz"}]
)
async def test_a_bad_page_is_refused(query: dict[str, Any]) -> None:
    with pytest.raises(InvalidFields):
        await ask(make_backend(), "sessions.list", query=SessionQuery(**query))


async def test_a_session_that_is_not_there_is_not_found() -> None:
    for verb in ("get", "stop", "suspend", "resume", "delete"):
        with pytest.raises(NotFound):
            await ask(
                make_backend(), f"sessions.{verb}", args={"id": "../etc"}, body=ResumeRequest()
            )


@pytest.mark.parametrize("name", ["exp-1", "team-a~exp-1", "team-a/exp-1"])
async def test_a_path_may_name_a_session(name: str) -> None:
    backend = make_backend()
    session = await launch(backend, project="team-a")
    assert (await ask(backend, "sessions.stop", args={"id": name})).id == session.id


async def test_own_sessions_come_before_those_of_others() -> None:
    backend = make_backend(admins=())
    await launch(backend, project="team-a")
    own = await ask(
        backend,
        "sessions.create",
        caller="ana",
        body=SessionRequest(name="exp-1", project="team-b"),
    )
    assert (await ask(backend, "sessions.get", caller="ana", args={"id": "exp-1"})).id == own.id
    with pytest.raises(Ambiguous, match="team-a/exp-1, team-b/exp-1"):
        await ask(backend, "sessions.get", caller="ben", args={"id": "exp-1"})


async def test_a_session_that_a_caller_may_not_see_has_no_name_either() -> None:
    backend = make_backend([{"name": "team-a", "quota": "4", "members": ["me"]}], admins=())
    session = await launch(backend, name="secret")

    async def refusal(name: str) -> tuple[str, str]:
        with pytest.raises(NotFound) as caught:
            await ask(backend, "sessions.get", caller="eve", args={"id": name})
        return caught.value.message.replace(name.replace("~", "/"), ""), caught.value.hint

    unknown = await refusal("nothing")
    assert unknown == ("Session '' not found.", "No sessions yet.")
    for name in ("secret", "team-a~secret", session.id):
        assert await refusal(name) == unknown


@pytest.mark.parametrize("verb", ["endpoint", "presence"])
async def test_the_ingress_asks_by_id_only(verb: str) -> None:
    backend = make_backend()
    session = await launch(backend)
    query, body = EndpointQuery(), PresenceRequest(at=NOW)
    backend.ingress.endpoints[session.id, 0] = Endpoint(host="127.0.0.1", port=1)
    await ask(backend, f"sessions.{verb}", args={"id": session.id}, query=query, body=body)
    with pytest.raises(NotFound):
        await ask(backend, f"sessions.{verb}", args={"id": "exp-1"}, query=query, body=body)


def set_project(backend: Backend, **fields: Any) -> None:
    """Change the project of the sessions as an administrator."""
    board = backend.resident.board
    settings = board.settings
    projects = tuple(
        msgspec.structs.replace(p, **fields) if p.name == "team-a" else p for p in settings.projects
    )
    board.show_settings(msgspec.structs.replace(settings, projects=projects))


@pytest.mark.parametrize("verb", ["suspend", "stop"])
@pytest.mark.parametrize(
    ("changed", "field", "message"),
    [
        ({"members": ("ana",)}, "project", "No access to project team-a"),
        ({"members": ("ana",), "viewers": ("me",)}, "project", "You may view team-a"),
        ({"draining": True}, "project", "No access to project team-a"),
        ({"limit": 500}, "gpu", "team-a may use at most 0.5 GPU"),
        ({"quota": 500}, "gpu", "team-a's quota is 0.5 GPU."),
    ],
)
async def test_a_resume_asks_what_a_launch_asks(
    verb: str, changed: dict[str, Any], field: str, message: str
) -> None:
    backend = make_backend(admins=("root",))
    session = await launch(backend, gpu="1", project="team-a")
    await ask(backend, f"sessions.{verb}", args={"id": session.id})
    set_project(backend, **changed)
    with pytest.raises(InvalidFields) as resumed:
        await ask(backend, "sessions.resume", args={"id": session.id}, body=ResumeRequest())
    with pytest.raises(InvalidFields) as launched:
        await launch(backend, "other", gpu="1", project="team-a")
    assert resumed.value.fields == launched.value.fields
    assert [f.field for f in resumed.value.fields] == [field]
    assert message in resumed.value.fields[0].message
    assert backend.resident.board.find(session.id).state != "waiting"


async def test_about_names_only_the_abilities_that_are_there() -> None:
    backend = make_backend()
    about = await ask(backend, "about.get")
    assert about.capabilities == tuple(
        each for each in CAPABILITIES if each not in {"streaming", "fallbacks"}
    )
    assert (about.api, about.user, about.simulated) == (API_VERSION, "me", True)
    assert (await ask(bare(backend), "about.get")).capabilities == ()


async def test_what_is_wrong_is_told_to_admins_and_to_whose_controller_it_is() -> None:
    backend = make_backend()
    backend.resident.board.warn("test", ("Careful.",))
    assert (await ask(backend, "about.get")).warnings == ("Careful.",)
    assert (await ask(backend, "about.get", "ben")).warnings == ()
    mine = Caller("ben", known="socket")
    assert (await ask(backend, "about.get", mine)).warnings == ("Careful.",)
    assert (await ask(backend, "about.get", replace(mine, inside="s1"))).warnings == ()


def bare(backend: Backend) -> Backend:
    """Return a backend with only what every one has."""
    return replace(backend, **dict.fromkeys(CAPABILITIES))


async def test_an_ability_that_is_missing_is_said_by_name() -> None:
    backend = bare(make_backend())
    session = await launch(backend)
    for verb, extra in (
        ("log", {"query": LogQuery()}),
        ("exec", {"body": ExecRequest(command=("true",))}),
        ("context", {}),
        ("endpoint", {}),
        ("policy", {}),
        ("activity", {}),
        ("keep_alive", {}),
    ):
        with pytest.raises(Unsupported, match="fake"):
            await ask(backend, f"sessions.{verb}", args={"id": session.id}, **extra)


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("exec", ExecRequest(command=("true",))),
        ("exec_stream", ExecRequest(command=("true",))),
        ("terminal", TerminalRequest()),
        ("context", None),
    ],
)
async def test_a_program_counts_as_use_however_short(verb: str, body: object) -> None:
    backend = make_backend()
    session = await launch(backend)
    await ask(backend, f"sessions.{verb}", args={"id": session.id}, body=body)
    assert isinstance(backend.ingress, FakeIngress)
    assert [seen for seen, _ in backend.ingress.seen] == [session.id]


async def test_what_cannot_be_measured_is_advised_nothing() -> None:
    backend = make_backend()
    session = await launch(backend, gpu="0.5")
    advice = await ask(backend, "sessions.advice", args={"id": session.id})
    assert (advice.verdict, advice.share) == ("unmeasured", None)
    assert "simulated" in advice.message
    with pytest.raises(NotFound):
        await ask(backend, "sessions.advice", args={"id": "nobody"})


async def test_a_resize_is_checked_before_anything_stops() -> None:
    backend = make_backend()
    session = await launch(backend, gpu="0.5", command=("sleep", "9"))
    before = backend.sessions.all()
    for bad in (ResizeRequest(), ResizeRequest(gpu="1.5"), ResizeRequest(gpu="64")):
        with pytest.raises(InvalidFields):
            await ask(backend, "sessions.resize", args={"id": session.id}, body=bad)
    assert backend.sessions.all() == before
    body = ResizeRequest(gpu="0.25")
    sized = await ask(backend, "sessions.resize", args={"id": session.id}, body=body)
    assert (sized.state, sized.placement.milli, sized.id) == ("running", 250, session.id)
    assert sized.spec.command == ("sleep", "9")


async def test_a_change_of_another_life_returns_at_once() -> None:
    backend = make_backend()
    query = ChangesQuery(instance="other", since="7", timeout=60)
    assert (await ask(backend, "changes.wait", query=query)).instance == backend.changes.instance


@pytest.mark.parametrize(("asked", "waited"), [(-1, 0), (30, 30), (3600, 60)])
async def test_changes_are_waited_for_as_long_as_is_asked_but_no_longer_than_a_minute(
    asked: float, waited: float
) -> None:
    backend = make_backend()

    class Changes:
        """Nothing changes."""

        instance = backend.changes.instance

        async def changed(self, since: str, timeout: float) -> Revisions:
            assert (since, timeout) == ("7", waited)
            return await backend.changes.changed(since, 0)

    query = ChangesQuery(instance=Changes.instance, since="7", timeout=asked)
    await ask(replace(backend, changes=Changes()), "changes.wait", query=query)


async def test_who_sees_a_session_whole_sees_where_its_programs_listen() -> None:
    backend = make_backend()

    async def listening(session: Session) -> tuple[int, ...]:
        return (5678, 43211)

    backend = replace(backend, listening=listening)
    running = await launch(backend, gpu="0.5")
    waiting = await launch(backend, "exp-2", gpu="4")
    assert (running.state, waiting.state) == ("running", "waiting")

    async def seen(session: Session, caller: str = "me") -> tuple[int, ...]:
        return (
            await ask(backend, "sessions.get", caller=caller, args={"id": session.id})
        ).listening

    assert await seen(running) == (5678, 43211)
    assert await seen(waiting) == ()
    [listed] = (await ask(backend, "sessions.list", query=SessionQuery(state="running"))).items
    assert listed.listening == ()


async def test_quota_nodes_and_environments_are_shown() -> None:
    backend = make_backend()
    await launch(backend, gpu="0.5")
    assert (await ask(backend, "quota.get")).allocated == 500
    assert (await ask(backend, "nodes.list")).nodes[0].devices[0].free == 500
    assert (
        (await ask(backend, "environments.list", query=EnvironmentQuery())).environments[0].default
    )


async def test_what_other_workloads_hold_is_counted_and_shown_and_not_given_away() -> None:
    piece = make_slice(milli=1000, memory=MEMORY)
    held = Holding(name="nightly-job", placement=Placement(node="n1", slices=(piece,)))
    team = {"name": "team-a", "quota": "4"}
    backend = make_backend([team], nodes=(make_node("n1", 4),), holdings=(held,))
    await launch(backend, "all", gpu="3")
    quota = await ask(backend, "quota.get")
    assert (quota.capacity, quota.allocated, quota.others, quota.free) == (4000, 3000, 1000, 0)
    nodes = (await ask(backend, "nodes.list")).nodes
    names = [piece.name for use in nodes[0].devices for piece in use.slices]
    assert sorted(names) == ["all", "all", "all", "nightly-job"]
    waits = await launch(backend, "more", gpu="1")
    assert waits.state == "waiting"
