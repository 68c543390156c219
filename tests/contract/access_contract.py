"""Who may do what, on every backend."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from jupyter_gpuquota.errors import (
    GpuQuotaError,
    NameTaken,
    NotAllowed,
    NotFound,
    Unsupported,
    WrongState,
)
from jupyter_gpuquota.model.routes.table import ROUTES, route
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.struct import Message
from jupyter_gpuquota.model.templates import Template
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.model.volumes.volumes import NewVolume
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.contract import snapshots
from tests.contract.access_table import ADMIN, ALLOWED, PEOPLE, PORT, REQUESTS, caller
from tests.contract.data import for_the_table
from tests.contract.helpers import able, launch, run, until

SHARED = "shared"
READS = sorted(row.name for row in ROUTES if row.method == "GET")


async def ask(backend: Backend, name: str, who: str, session_id: str) -> Any:
    """Call a route of the table as one of its callers."""
    args = {"id": session_id, "page": "p1", "terminal": "none"}
    asked = {"args": args, "query": None, "body": None} | REQUESTS.get(name, {})
    rights = await backend.access.rights(caller(who, session_id))
    return await perform(backend, route(name), rights, **asked)


def has_lakes(backend: Backend) -> bool:
    """Return whether there can be datasets: not where admins have to set up a lake first."""
    return backend.datasets is not None and bool(backend.datasets.lakes())


def is_about_data(name: str) -> bool:
    """Return whether a route names a dataset, a lake or a job."""
    return any(each in route(name).path for each in ("{dataset}", "{lake}", "{job}"))


def is_lacking(backend: Backend, name: str) -> bool:
    """Return whether a route is about a noun that the backend does not have."""
    noun = name.partition(".")[0]
    if noun == "snapshots" and backend.inventory.local_files:
        return True  # their process reports to a controller: see tests/local/test_snapshots.py
    return noun in {"snapshots", "volumes"} and getattr(backend, noun) is None


async def make_volume(backend: Backend, storage_class: str = "") -> None:
    """Make the volume of the table, if the backend has volumes."""
    if backend.volumes:
        wanted = NewVolume(
            name=SHARED, project="team-c", owner="owner", size=2**30, storage_class=storage_class
        )
        with suppress(NameTaken):  # an earlier test has made it, and the backend keeps it
            await backend.volumes.create(wanted)


async def make_template(backend: Backend) -> None:
    """Make the template of the table."""
    if backend.templates:
        await backend.templates.put(Template(name="small", scope="admin"), ADMIN)


class AccessContract:
    """The contract of the port `Access`."""

    snapshot_class = ""
    """The class of volumes that snapshots consist of; empty where they consist of folders."""

    async def set_up(self, backend: Backend) -> Session:
        """Make what the table of routes and roles is about, and return its session."""
        if has_lakes(backend):
            await for_the_table(backend, PEOPLE)
        await make_volume(backend, self.snapshot_class)
        await make_template(backend)
        mounts = (Mount(volume=SHARED, path="/shared"),) if self.snapshot_class else ()
        session = await launch(
            backend, owner="owner", project="team-c", ports=(PORT,), mounts=mounts
        )
        if self.snapshot_class:
            await until(backend, session.id, "running")
        if not is_lacking(backend, "snapshots.get"):
            await snapshots.for_the_table(backend, session)
        return session

    async def test_what_is_not_allowed_is_refused_on_every_route(self, backend: Backend) -> None:
        assert set(ALLOWED) == {row.name for row in ROUTES}
        session = await self.set_up(backend)
        before = backend.sessions.all()
        for name, allowed in ALLOWED.items():
            if is_lacking(backend, name):
                continue
            for who in {*PEOPLE, "session"} - allowed:
                with pytest.raises(GpuQuotaError) as caught:
                    await ask(backend, name, who, session.id)
                hidden = who == "outsider" and "{id}" in route(name).path
                wanted = NotFound if hidden else (NotAllowed, GpuQuotaError)
                assert isinstance(caught.value, wanted), (name, who)
                assert caught.value.hint or caught.value.fields, (name, who)
        assert [s.id for s in backend.sessions.all()] == [s.id for s in before]

    async def test_what_is_allowed_can_be_read(self, backend: Backend) -> None:
        session = await self.set_up(backend)
        await until(backend, session.id, "running")
        for name in READS:
            if is_about_data(name) and not has_lakes(backend):
                continue  # there is nothing to read
            if is_lacking(backend, name):
                continue
            for who in ALLOWED[name]:
                with suppress(
                    Unsupported, WrongState
                ):  # no ability, no page: not for lack of rights
                    await ask(backend, name, who, session.id)

    async def test_an_outsider_sees_totals_and_nobodys_name(self, backend: Backend) -> None:
        session = await run(backend, "secret", owner="owner", project="team-c", gpu="0.5")
        assert (await ask(backend, "sessions.list", "outsider", "")).items == ()
        quota = await ask(backend, "quota.get", "outsider", "")
        use = {use.name: use for use in quota.projects}["team-c"]
        assert (use.allocated, use.running, use.users) == (500, 1, ())
        assert "team-c" not in quota.mine
        nodes = await ask(backend, "nodes.list", "outsider", "")
        slices = [s for node in nodes.nodes for d in node.devices for s in d.slices]
        assert [(s.name, s.owner, s.session) for s in slices] == [("a session of team-c", "", "")]
        projects = await ask(backend, "projects.list", "outsider", "")
        shut = {project.name: project for project in projects.items}["team-c"]
        assert (shut.members, shut.viewers, shut.leads) == ((), (), ())
        for found in (quota, nodes, projects):
            assert session.id not in repr(found)
            assert "secret" not in repr(found)

    async def test_a_member_sees_that_a_session_is_there_but_not_into_it(
        self, backend: Backend
    ) -> None:
        session = await run(backend, owner="owner", project="team-c", env={"KEY": "value"})
        for who in ("member", "viewer"):
            seen = await ask(backend, "sessions.get", who, session.id)
            assert (seen.spec.name, seen.owner, seen.state) == ("exp-1", "owner", "running")
            assert seen.spec.share == session.spec.share
            spec = seen.spec
            hidden = (spec.command, spec.env, spec.folder, spec.environment, spec.image)
            assert hidden == ((), {}, "", "", "")
            assert (seen.path, seen.actions) == ("", ())
        lead = await ask(backend, "sessions.get", "lead", session.id)
        assert lead.spec.command == session.spec.command
        assert {"stop", "suspend"} <= set(lead.actions)
        assert not {"open", "exec", "resume", "delete"} & set(lead.actions)

    async def test_an_admin_who_enters_a_session_is_audited(self, backend: Backend) -> None:
        if backend.exec is None or backend.administration is None:
            pytest.skip(f"nobody can enter sessions of the {backend.name} backend")
        session = await run(backend, owner="owner", project="team-c")
        before = await backend.administration.audit()
        await ask(backend, "sessions.exec", "owner", session.id)
        assert await backend.administration.audit() == before
        await ask(backend, "sessions.exec", ADMIN, session.id)
        (entry,) = set(await backend.administration.audit()) - set(before)
        assert (entry.who, entry.what) == (
            ADMIN,
            "ran a program in the session team-c/exp-1 of owner",
        )

    async def test_what_the_system_did_is_in_the_audit_log_once(self, backend: Backend) -> None:
        log = able(backend, "administration")
        what, now = Message(text="moved the session team-c/exp-1 of owner"), datetime.now(UTC)
        before = await log.audit()
        for at in (now, now, now + timedelta(seconds=1)):
            await log.note(what, at)
        found = [entry for entry in await log.audit() if entry not in before]
        assert [(entry.who, entry.what, entry.sentence) for entry in found] == [
            ("system", what.text, what),
            ("system", what.text, what),
        ]
        assert [entry.at for entry in found] == [now + timedelta(seconds=1), now]

    async def test_a_token_is_one_sessions_as_long_as_it_lives(self, backend: Backend) -> None:
        for token in ("", "nobody.abc", "."):
            assert await backend.access.session_of(token) is None
