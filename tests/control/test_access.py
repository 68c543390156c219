"""Rights by the projects' lists and the configured admins; tokens of sessions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_gpuquota.control.access import token_of
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import NotAllowed
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import run, until
from tests.fakes import make_backend

pytestmark = pytest.mark.asyncio


async def test_lists_name_accounts_and_groups() -> None:
    team = {
        "name": "shut",
        "quota": "1",
        "members": ["ana", "group:ml"],
        "viewers": ["group:guests"],
        "leads": ["group:heads"],
    }
    backend = make_backend([team], admins=("group:wheel",))

    async def role(name: str, *groups: str) -> tuple[bool, dict[str, str]]:
        rights = await backend.access.rights(Caller(name, frozenset(groups), known="token"))
        return rights.admin, dict(rights.roles)

    assert await role("ana") == (False, {"shut": "member"})
    assert await role("li", "ml") == (False, {"shut": "member"})
    assert await role("li", "guests") == (False, {"shut": "viewer"})
    assert await role("li", "ml", "heads") == (False, {"shut": "lead"})
    assert await role("li") == (False, {})
    assert await role("ml") == (False, {})
    assert await role("li", "wheel") == (True, {})


async def test_root_on_the_socket_is_an_admin_and_nobody_else_of_that_name() -> None:
    backend = make_backend(admins=("ana",))
    assert (await backend.access.rights(Caller("root", known="socket"))).admin
    assert not (await backend.access.rights(Caller("root", known="jupyterhub"))).admin
    session = Caller("ana", known="session", session="x")
    assert not (await backend.access.rights(session)).admin


async def test_a_program_in_a_session_is_its_person_but_no_admin() -> None:
    backend = make_backend(admins=("ana",))
    for caller in (Caller("root", known="socket"), Caller("ana", known="socket")):
        assert (await backend.access.rights(caller)).admin
        rights = await backend.access.rights(replace(caller, inside="s1"))
        assert not rights.admin
        assert rights.launches("team-a")
        with pytest.raises(NotAllowed, match="Programs in a session"):
            rights.check_admin()


async def test_without_admins_the_account_is_one_where_the_kernel_names_it(monkeypatch) -> None:
    """A JupyterHub user with the name of the controller's account is another user."""
    monkeypatch.setenv("LOGNAME", "gpuquota")

    async def is_admin(known: str, *admins: str) -> bool:
        access = make_backend(admins=admins).access
        return (await access.rights(Caller("gpuquota", known=known))).admin

    assert await is_admin("socket")
    assert not await is_admin("jupyterhub")
    assert not await is_admin("token")
    assert not await is_admin("socket", "ana")
    assert await is_admin("jupyterhub", "gpuquota")


async def test_a_token_is_of_one_run_of_a_live_session(backend: Backend) -> None:
    session = await run(backend, owner="owner", project="team-c")
    token = backend.access.token_of(session)
    assert (await backend.access.session_of(token)).id == session.id
    for wrong in (token[:-1], f"{token}x", token.replace(session.id, "other"), session.id):
        assert await backend.access.session_of(wrong) is None
    assert (
        await backend.access.session_of(token_of(b"another key", session.id, session.run)) is None
    )
    await backend.sessions.suspend(session.id)
    await until(backend, session.id, "suspended")
    assert await backend.access.session_of(token) is None
    await backend.sessions.resume(session.id)
    again = await until(backend, session.id, "running")
    assert await backend.access.session_of(token) is None
    assert (await backend.access.session_of(backend.access.token_of(again))).id == session.id


async def test_an_admin_who_opens_a_session_often_is_noted_once(backend: Backend) -> None:
    session = await run(backend, owner="owner", project="team-c")
    for how in ("ran a program in", "opened", "opened", "ran a program in"):
        await backend.access.acted(Caller("admin"), session, how)
    said = [entry.what for entry in await backend.administration.audit()]
    assert said == [
        "ran a program in the session team-c/exp-1 of owner",
        "opened the session team-c/exp-1 of owner",
        "ran a program in the session team-c/exp-1 of owner",
    ]
