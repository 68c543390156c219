"""The REST interface as a Jupyter Server serves it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from jupyter_gpuquota.api.json_schema import name_of
from jupyter_gpuquota.api.openapi import document
from jupyter_gpuquota.api.statuses import STATUSES, status_of
from jupyter_gpuquota.errors import BY_CODE
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.routes.table import ROUTES
from jupyter_gpuquota.model.struct import Problem
from jupyter_gpuquota.model.volumes.volumes import NewVolume
from jupyter_gpuquota.server.jupyter_mount import RIGHTS, api_handlers
from tests.access.asking import request_of
from tests.builders import filled
from tests.contract import snapshots
from tests.contract.access_contract import make_template
from tests.contract.access_table import REQUESTS
from tests.contract.data import for_the_table
from tests.fakes import As, ShortTerminals, make_backend, me
from tests.server.conftest import Rights

PUBLIC = [row for row in ROUTES if not row.internal]
INTERNAL = [row for row in ROUTES if row.internal]
OF_ADMINS = [row for row in PUBLIC if row.need == "admin"]
RUNNING = {"name": "exp-1", "project": "team-a", "gpu": 0.5, "ports": [8000]}


def new_backend():
    return replace(make_backend(), terminals=ShortTerminals())


@pytest.fixture
def backend(jp_asyncio_loop):
    backend = new_backend()
    yield backend
    jp_asyncio_loop.run_until_complete(snapshots.close(backend))


class Gateway:
    """What the handlers ask: a dispatcher that a test changes."""

    to: As

    async def dispatch(self, asked):
        return await self.to.dispatch(asked)


@pytest.fixture
def each(mount, rights):
    """Check rows of the table, each on a backend of its own; all that are wrong are told."""
    gateway = Gateway()
    mount(api_handlers(gateway))

    async def each(rows, check):
        wrong = {}
        for row in rows:
            backend = new_backend()
            gateway.to = As(backend)
            rights.asked = []
            rights.allowed, rights.refused = Rights.allowed, Rights.refused
            try:
                await check(row, backend, gateway.to)
            except AssertionError as error:
                wrong[row.name] = str(error)
            finally:
                await snapshots.close(backend)
        assert not wrong, wrong

    return each


DATA = {
    "scope": "own",
    "template": "x",
    "dataset": "x",
    "version": "latest",
    "tag": "good",
    "job": "j1",
    "lake": "local",
    "project": "team-a",
    "volume": "x",
    "snapshot": "x",
}
"""Arguments of routes about data that does not exist."""


def problem_in(response) -> Problem:
    return Problem(**json.loads(response.body))


async def create(api, **fields):
    response = await api("POST", "/sessions", RUNNING | fields)
    assert response.code == 201, response.body
    return json.loads(response.body)


async def call(api, row, prepared=None, **options):
    """Call a route so that it succeeds, if it is allowed.

    What the route is about is made in the backend `prepared`, if that is given.
    """
    body = {
        "sessions.create": RUNNING | {"name": "another"},
        "sessions.preview": RUNNING | {"name": "another"},
        "sessions.exec": {"command": ["true"]},
        "sessions.exec_stream": {"command": ["true"]},
        "sessions.resize": {"gpu": "0.25"},
        "datasets.create": {"name": "cats", "project": "team-a"},
        "volumes.create": {"name": "new", "project": "team-a", "size": "1Gi"},
        "jobs.start": {"kind": "sync", "dataset": "faces"},
        "projects.put": {"quota": "2"},
        "projects.preview": {"name": "team-a", "quota": "2"},
        "rules.put": {"revision": "1"},
        "groups.put": {"revision": "1"},
        "policy.put": {"revision": "1"},
        "policy.preview": {},
        "sessions.put_page": {"state": "open"},
    }.get(row.name)
    session = await create(api)
    session |= {"page": "p1", "terminal": "t1"} | DATA
    session["name"] = "team-b" if row.method == "DELETE" else "team-z"
    if row.name in ("sessions.delete", "sessions.resume"):
        await api("POST", f"/sessions/{session['id']}/stop")
    if row.name == "settings.put":
        shown = json.loads((await api("GET", "/settings")).body)
        body = {name: shown.get(name, "") for name in ("text", "revision")}
    path = row.path.format(**session)
    if prepared and "{snapshot}" in row.path:
        [made] = prepared.sessions.all()
        async with snapshots.attended(prepared):
            await snapshots.for_the_table(prepared, made)
    if is_of_data(row) and row.name in REQUESTS:
        args, query, sent = request_of(row.name, session["id"])
        args |= {"project": "team-a"} if "project" in args else {}
        path = f"{row.path.format(**session | args)}?{query}"
        body = body or (sent if row.request else None)
    return await api(row.method, path, body, **options)


def is_of_data(row):
    return row.name.partition(".")[0] in {
        "caches",
        "datasets",
        "jobs",
        "lakes",
        "lineage",
        "snapshots",
        "templates",
        "versions",
        "volumes",
    }


async def prepare(backend, row):
    """Make the dataset and the volume that routes are about, so that the route succeeds."""
    if "{volume}" in row.path:
        wanted = NewVolume(name="shared", project="team-a", owner="me", size=2**30)
        await backend.volumes.create(wanted)
    await make_template(backend)
    await for_the_table(backend, ("me",) if row.name == "caches.unpin" else ())
    if row.name == "datasets.delete":  # which waits for jobs
        ended = JobReport(kind="sync", dataset="faces", state="done")
        await backend.jobs.report("job-1", ended, "owner")


async def test_a_route_answers_who_has_the_right(each, requests, openapi):
    async def check(row, backend, _):
        if is_of_data(row):
            await prepare(backend, row)
        response = await call(requests, row, backend)
        # A Jupyter Server starts jobs before it asks the controller; only clusters stream files.
        if row.name in ("jobs.start", "snapshots.files"):
            assert response.code == 501
            return
        assert response.code == row.status, response.body
        schema = {"$ref": f"#/components/schemas/{name_of(row.response)}", **openapi}
        documents = response.body.splitlines() if row.streams else [response.body]
        for text in documents:
            problems = list(Draft202012Validator(schema).iter_errors(json.loads(text)))
            assert problems == []
        kind = "application/x-ndjson" if row.streams else "application/json"
        assert response.headers["Content-Type"].startswith(kind)

    await each(PUBLIC, check)


async def test_a_route_asks_for_its_own_right_on_our_resource(each, requests, rights):
    async def check(row, *_):
        await call(requests, row)
        asked = rights.asked[:-1] if row.name == "quota.get" else rights.asked
        assert asked[-1] == RIGHTS[row.permission]

    await each(PUBLIC, check)


@pytest.mark.parametrize("allowed", ["read", "write", "execute"])
async def test_a_route_refuses_who_lacks_its_right(each, requests, rights, allowed):
    async def check(row, backend, _):
        session = await create(requests) | {"name": "team-z", "page": "p1", "terminal": "t1"} | DATA
        before = backend.changes.revision("sessions")
        rights.allowed = frozenset({allowed})
        response = await requests(row.method, row.path.format(**session), {})
        if allowed == RIGHTS[row.permission][0]:
            assert response.code != 403
        else:
            assert response.code == 403
            assert problem_in(response).code == "NotAllowed"
            assert backend.changes.revision("sessions") == before

    await each(PUBLIC, check)


async def test_a_route_refuses_who_is_not_known(each, requests):
    async def check(row, *_):
        response = await requests(row.method, filled(row.path), {}, headers={})
        assert response.code == 403
        assert problem_in(response).code == "NotAllowed"

    await each(PUBLIC, check)


async def test_an_admin_route_refuses_who_is_no_admin(each, requests):
    async def check(row, backend, dispatcher):
        dispatcher.caller = me("ben")
        response = await call(requests, row)
        assert response.code == 403
        assert problem_in(response).code == "NotAllowed"
        assert "admin" in problem_in(response).hint
        assert [p.name for p in backend.inventory.projects()] == ["team-a", "team-b"]

    await each(OF_ADMINS, check)


async def test_an_admin_route_refuses_whom_the_authorizer_keeps_from_it(each, requests, rights):
    async def check(row, *_):
        rights.refused = frozenset({"gpuquota:admin"})
        assert (await call(requests, row)).code == 403
        assert (await requests("GET", "/projects")).code == 200

    await each(OF_ADMINS, check)


async def test_who_may_not_act_as_admin_is_not_called_one(api, rights, dispatcher):
    assert json.loads((await api("GET", "/quota")).body)["admin"]
    rights.refused = frozenset({"gpuquota:admin"})
    assert not json.loads((await api("GET", "/quota")).body)["admin"]
    rights.refused = frozenset()
    dispatcher.caller = me("ben")
    assert not json.loads((await api("GET", "/quota")).body)["admin"]


async def test_internal_routes_are_not_served(each, requests):
    async def check(row, *_):
        session = await create(requests)
        response = await requests(row.method, row.path.format(**session))
        assert response.code == 404
        assert problem_in(response).code == "NotFound"

    await each(INTERNAL, check)


@pytest.fixture(scope="module")
def openapi():
    return document("/gpuquota/api")


async def test_the_openapi_document_names_every_public_route(api, jp_base_url):
    response = await api("GET", "/openapi.json")
    assert response.code == 200
    found = json.loads(response.body)
    assert found["openapi"] == "3.1.0"
    assert found["servers"] == [{"url": f"{jp_base_url}gpuquota/api"}]
    operations = {
        (path, method): operation
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
    }
    assert {op["operationId"] for op in operations.values()} == {row.name for row in PUBLIC}
    for row in PUBLIC:
        operation = operations[row.path, row.method.lower()]
        assert str(row.status) in operation["responses"]
        assert ("requestBody" in operation) == (row.request is not None)


async def test_the_openapi_document_refers_to_what_is_there(openapi):
    schemas = openapi["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    text = json.dumps(openapi)
    for part in text.split('"#/components/schemas/')[1:]:
        assert part.partition('"')[0] in schemas


async def test_the_openapi_document_is_for_who_may_read(api, rights):
    rights.allowed = frozenset({"write"})
    assert (await api("GET", "/openapi.json")).code == 403
    assert (await api("GET", "/openapi.json", headers={})).code == 403


@pytest.mark.parametrize("path", ["/sessions", "/sessions/{id}", "/quota", "/nodes"])
async def test_what_has_not_changed_is_not_sent_again(api, path, jp_auth_header):
    session = await create(api)
    first = await api("GET", path.format(**session))
    known = {**jp_auth_header, "If-None-Match": first.headers["ETag"]}
    again = await api("GET", path.format(**session), headers=known)
    assert (again.code, again.body) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    await create(api, name="another")
    assert (await api("GET", path.format(**session), headers=known)).code == 200


async def test_another_question_has_another_etag(api):
    await create(api)
    paths = ["/sessions", "/sessions?state=running", "/sessions?project=team-a", "/quota"]
    tags = [(await api("GET", path)).headers["ETag"] for path in paths]
    assert len(set(tags)) == len(paths)


async def test_marks_against_caches_and_tokens_do_not_change_the_etag(api):
    plain = (await api("GET", "/sessions?limit=5")).headers["ETag"]
    assert (await api("GET", "/sessions?limit=5&1767323045000")).headers["ETag"] == plain


async def test_one_of_several_etags_is_enough(api, jp_auth_header):
    tag = (await api("GET", "/quota")).headers["ETag"]
    known = {**jp_auth_header, "If-None-Match": f'W/"other", {tag}'}
    assert (await api("GET", "/quota", headers=known)).code == 304


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "InvalidRequest"),
        (b"[]", 400, "InvalidRequest"),
        (b"\xff", 400, "InvalidRequest"),
        (b'{"nam": "x"}', 422, "InvalidFields"),
        (b'{"name": "A B", "gpu": 1.5}', 422, "InvalidFields"),
        (b'{"name": "' + b"x" * (10 << 20) + b'"}', 413, "InvalidRequest"),
    ],
    ids=lambda value: repr(value)[:20],
)
async def test_a_body_that_cannot_be_used_changes_nothing(api, backend, body, status, code):
    response = await api("POST", "/sessions", body)
    assert response.code == status
    assert problem_in(response).code == code
    assert backend.sessions.all() == ()


async def test_a_change_that_is_tried_is_not_made(api, backend):
    response = await api("POST", "/settings/preview", {"name": "A", "quota": "x"})
    assert response.code == 422
    fields = [field["field"] for field in problem_in(response).fields]
    assert sorted(fields) == ["name", "quota"]
    response = await api("POST", "/settings/preview", {"name": "team-a", "quota": 4})
    assert json.loads(response.body)["message"].startswith("No immediate effect")
    assert backend.inventory.projects()[0].quota == 4000


async def test_wrong_fields_come_back_with_their_names(api):
    response = await api("POST", "/sessions", {"name": 5, "gpu": True, "x": 1, "ports": ["a"]})
    fields = {field["field"] for field in problem_in(response).fields}
    assert fields == {"name", "gpu", "x", "ports[0]"}


@pytest.mark.parametrize(
    "path",
    [
        "/sessions/..%2f..%2fetc",
        "/sessions/%2e%2e",
        "/sessions/x%2Fendpoint",
        "/sessions/../../etc/passwd",
        "/sessions/a%00b",
        "/sessions/ä".encode().decode("latin1"),
        "/sessions/" + "a" * 1000,
        "/sessions/x/log/../../y",
        "/nothing",
        "/",
        "",
    ],
)
async def test_what_is_not_there_is_not_found(api, path):
    response = await api("GET", path)
    assert response.code == 404
    assert problem_in(response).code == "NotFound"
    assert problem_in(response).hint


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/sessions"), ("DELETE", "/about"), ("PATCH", "/sessions/x")]
)
async def test_a_method_that_a_path_lacks_is_said_so(api, method, path):
    response = await api(method, path, b"")
    assert response.code == 405
    assert problem_in(response).code == "InvalidRequest"


class Broken:
    def quota(self):
        raise RuntimeError("the password is hunter2")


async def test_a_fault_of_ours_shows_no_details(mount, ask, caplog):
    mount(api_handlers(As(replace(make_backend(), usage=Broken()))))
    response = await ask("GET", "gpuquota/api/quota")
    assert response.code == 500
    assert problem_in(response).code == "Internal"
    assert b"hunter2" not in response.body
    assert "hunter2" in caplog.text


def test_every_error_has_a_status():
    assert {status_of(error("x")) for error in BY_CODE.values()} == set(STATUSES.values())


async def test_reading_is_no_activity_and_acting_is(api, jp_serverapp):
    settings = jp_serverapp.web_app.settings
    await api("GET", "/sessions")
    assert "api_last_activity" not in settings
    await create(api)
    assert "api_last_activity" in settings


async def test_a_page_of_another_origin_cannot_act(api, jp_serverapp, backend):
    """A browser's cookie alone is not enough: the XSRF token and the origin count too."""
    jp_serverapp.identity_provider.token = ""  # everyone is logged in, as with a cookie
    for headers in ({}, {"Origin": "http://evil.example"}):
        response = await api("POST", "/sessions", RUNNING, headers=headers)
        assert response.code in (403, 404)
    assert backend.sessions.all() == ()


@pytest.mark.parametrize("name", ["exp-1", "team-a~exp-1"])
async def test_a_path_may_name_a_session(api, name):
    session = await create(api, name="exp-1", project="team-a")
    response = await api("POST", f"/sessions/{name}/stop", b"")
    assert json.loads(response.body)["id"] == session["id"]
