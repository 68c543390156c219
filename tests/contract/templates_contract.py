"""What every backend promises of templates."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.core.templates import MOST
from jupyter_gpuquota.errors import InvalidFields, NotFound
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import SessionFields
from jupyter_gpuquota.model.templates import Template, TemplateFields, TemplateRequest
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.contract.access_table import ADMIN, caller
from tests.contract.helpers import able, launch
from tests.waiting import wait_for

HALF = SessionFields(project="team-c", gpu=0.5, command=("sleep", "600"))


async def ask(backend: Backend, name: str, who: str, place: str = "", body: Any = None) -> Any:
    """Call a route of templates; `place` is scope and name, as in a path."""
    scope, _, template = place.partition("/")
    rights = await backend.access.rights(caller(who))
    args = {"scope": scope, "template": template}
    return await perform(backend, route(f"templates.{name}"), rights, args, body=body)


async def names(backend: Backend, who: str) -> list[str]:
    """Return the scopes and names of what a caller sees."""
    found = await ask(backend, "list", who)
    return [f"{each.scope}/{each.name}" for each in found.items]


class TemplatesContract:
    """The contract of the port `Templates`, and of what is built on it."""

    async def test_an_own_template_is_its_owners(self, backend: Backend) -> None:
        able(backend, "templates")
        before = backend.changes.revision("templates")
        asked = TemplateRequest(title="Half", request=HALF, on_shutdown="suspend")
        saved = await ask(backend, "put", "owner", "own/half", asked)
        assert (saved.owner, saved.title, saved.on_shutdown) == ("owner", "Half", "suspend")
        assert (saved.request.gpu, saved.project) == (0.5, "team-c")
        await wait_for(lambda: backend.changes.revision("templates") != before)
        assert await names(backend, "owner") == ["own/half"]
        assert await names(backend, "member") == await names(backend, ADMIN) == []
        with pytest.raises(NotFound):
            await ask(backend, "delete", "member", "own/half")
        again = await ask(backend, "put", "owner", "own/half", TemplateRequest(request=HALF))
        assert (await ask(backend, "list", "owner")).items == (again,)
        await ask(backend, "delete", "owner", "own/half")
        assert await names(backend, "owner") == []

    async def test_one_of_admins_is_seen_by_who_may_launch_there(self, backend: Backend) -> None:
        if able(backend, "administration"):
            await ask(backend, "put", ADMIN, "admin/team", TemplateRequest(request=HALF))
        anywhere = SessionFields(command=("sleep", "600"))
        await ask(backend, "put", ADMIN, "admin/all", TemplateRequest(request=anywhere))
        await ask(backend, "put", "member", "own/mine", TemplateRequest(request=HALF))
        assert await names(backend, "member") == ["own/mine", "admin/all", "admin/team"]
        assert await names(backend, "viewer") == ["admin/all"]
        shown = (await ask(backend, "list", "member")).items
        assert [bool(each.actions) for each in shown] == [True, False, False]
        assert backend.administration
        assert [entry.what for entry in await backend.administration.audit()][:2] == [
            "created template all",
            "created template team",
        ]

    async def test_a_template_is_checked_like_a_launch(self, backend: Backend) -> None:
        able(backend, "templates")
        wrong = SessionFields(project="nowhere", gpu="many", priority=101, ports=(1,))
        body = TemplateRequest(title="x" * 81, request=wrong)
        with pytest.raises(InvalidFields) as caught:
            await ask(backend, "put", "owner", "own/No", body)
        found = {each.field for each in caught.value.fields}
        assert found == {"name", "title", "project", "gpu", "priority", "ports[0]"}
        assert await names(backend, "owner") == []

    async def test_a_session_is_saved_as_a_template(self, backend: Backend) -> None:
        able(backend, "templates")
        session = await launch(
            backend, owner="owner", project="team-c", gpu=0.25, env={"A": "1"}, idle_timeout="2h"
        )
        body = TemplateRequest(session=session.spec.name)
        saved = await ask(backend, "put", "owner", "own/like", body)
        assert (saved.request.gpu, saved.request.idle_timeout) == ("0.25", "2h")
        assert saved.request.env == {"A": "1"}
        assert saved.request.command == ("sleep", "600")
        with pytest.raises(NotFound):
            await ask(backend, "put", "outsider", "own/like", body)

    async def test_a_template_may_leave_the_command_of_a_training_to_its_launch(
        self, backend: Backend
    ) -> None:
        able(backend, "templates")
        body = TemplateRequest(request=SessionFields(project="team-c", kind="train"))
        saved = await ask(backend, "put", "owner", "own/base", body)
        assert saved.request.command == ()

    async def test_an_account_has_a_bounded_number(self, backend: Backend) -> None:
        templates = able(backend, "templates")
        for i in range(MOST):
            fields = TemplateFields(project="team-c")
            await templates.put(Template(name=f"t{i}", owner="owner", request=fields), "owner")
        await ask(backend, "put", "owner", "own/t1", TemplateRequest(request=HALF))
        with pytest.raises(InvalidFields, match=f"{MOST} templates"):
            await ask(backend, "put", "owner", "own/more", TemplateRequest(request=HALF))
        for i in range(MOST):
            await ask(backend, "delete", "owner", f"own/t{i}")
