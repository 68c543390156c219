"""All settings as one text, over a backend in memory."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.errors import InUse, InvalidFields, Outdated
from jupyter_gpuquota.model.projects import (
    AuditQuery,
    ProjectRemoval,
    ProjectRequest,
    SettingsText,
    SettingsTextRequest,
)
from jupyter_gpuquota.model.sessions import SessionFields, SessionRequest
from jupyter_gpuquota.model.templates import TemplateRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import ask, make_backend

pytestmark = pytest.mark.asyncio


@pytest.fixture
def backend() -> Backend:
    return make_backend(admins=("ana",))


async def shown(backend: Backend) -> SettingsText:
    found: SettingsText = await ask(backend, "settings.get", "ana")
    return found


async def save(backend: Backend, text: str, revision: str = "") -> SettingsText:
    revision = revision or (await shown(backend)).revision
    body = SettingsTextRequest(text=text, revision=revision)
    kept: SettingsText = await ask(backend, "settings.put", "ana", body=body)
    return kept


async def logged(backend: Backend) -> list[str]:
    page = await ask(backend, "audit.list", "ana", query=AuditQuery())
    return [entry.what for entry in page.items]


async def put_template(backend: Backend, scope: str, name: str, **fields: Any) -> None:
    args = {"scope": scope, "template": name}
    body = TemplateRequest(request=SessionFields(**fields))
    await ask(backend, "templates.put", "ana", args=args, body=body)


async def test_what_is_saved_as_it_is_shown_changes_nothing(backend: Backend) -> None:
    await put_template(backend, "admin", "half", gpu=0.5)
    before = await shown(backend)
    assert before.file == ""
    entries = await logged(backend)
    assert await save(backend, before.text) == before
    assert await logged(backend) == entries


async def test_all_that_differs_is_changed_and_audited(backend: Backend) -> None:
    [old, _] = backend.inventory.projects()
    await put_template(backend, "own", "mine", gpu="1")
    before = await logged(backend)
    text = """
projects:
- {name: team-a, quota: 4}
- {name: new, quota: 1.5, members: [ben]}
groups: [{name: big, nodes: [dgx1-1]}]
rules: {grace: 2m}
policy: {levels: [{level: 'project:new', rules: {idle_timeout: 2h}}]}
cache: {unused: 3d, high_water: 0.8}
templates: [{name: small, request: {gpu: 0.25}}]
"""
    kept = await save(backend, text)
    assert "idle_timeout: 2h" in kept.text
    assert [(p.name, p.quota) for p in backend.inventory.projects()] == [
        ("team-a", 4000),
        ("new", 1500),
    ]
    assert backend.inventory.projects()[0] == old
    assert backend.inventory.rules().grace == 120
    assert backend.templates is not None
    own, admins = sorted(backend.templates.all(), key=lambda each: each.name)
    assert (own.name, own.owner, admins.name) == ("mine", "ana", "small")
    changes = (await logged(backend))[: -len(before) or None]
    assert changes[::-1] == [
        "created project new",
        "deleted project team-b",
        "changed the rules",
        "changed the node groups",
        "changed the policy",
        "changed the settings of datasets",
        "created template small",
    ]
    assert await save(backend, kept.text) == kept


async def test_a_project_that_drains_goes_on_draining(backend: Backend) -> None:
    body = SessionRequest(name="exp-1", project="team-b")
    await ask(backend, "sessions.create", "ana", body=body)
    query = ProjectRemoval(drain=True)
    await ask(backend, "projects.delete", "ana", args={"name": "team-b"}, query=query)
    text = (await shown(backend)).text
    await save(backend, text + "rules: {consolidate: true}\n")
    assert backend.inventory.projects()[1].draining


async def test_of_two_changes_of_one_text_the_second_is_refused(backend: Backend) -> None:
    before = await shown(backend)
    request = ProjectRequest(quota=1, revision="1")
    await ask(backend, "projects.put", "ana", args={"name": "team-a"}, body=request)
    with pytest.raises(Outdated, match="ana changed project team-a at"):
        await save(backend, before.text, before.revision)


async def test_mistakes_are_named_with_their_lines(backend: Backend) -> None:
    before = await shown(backend)
    wrong = "projects:\n- name: a\n  qouta: 1\nrules: {grace: soon}\n"
    with pytest.raises(InvalidFields) as caught:
        await save(backend, wrong)
    assert {each.field for each in caught.value.fields} == {
        "Line 3, projects[0].qouta",
        "Line 2, projects[0].quota",
    }
    with pytest.raises(InvalidFields) as caught:
        await save(backend, "projects: [")
    assert [each.field for each in caught.value.fields] == ["Line 1"]
    shared = "volumes: [{name: x, folder: /x, projects: [team-a]}]"
    with pytest.raises(InvalidFields) as caught:
        await save(backend, before.text + shared)
    assert [each.field for each in caught.value.fields] == ["volumes"]
    assert await shown(backend) == before


async def test_a_project_with_sessions_is_not_deleted(backend: Backend) -> None:
    body = SessionRequest(name="exp-1", project="team-b")
    await ask(backend, "sessions.create", "ana", body=body)
    with pytest.raises(InUse, match="exp-1"):
        await save(backend, "projects: [{name: team-a, quota: 4}]")
    assert len(backend.inventory.projects()) == 2
