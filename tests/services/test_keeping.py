"""Variables that are kept while a session restarts, over a backend in memory."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from jupyter_gpuquota.core import keeping
from jupyter_gpuquota.errors import InvalidFields, WrongState
from jupyter_gpuquota.model.rightsizing import ResizeRequest
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.ports.backend import Backend
from tests.builders import make_session
from tests.fakes import ask, make_backend


async def running(backend: Backend) -> str:
    session = await ask(backend, "sessions.create", body=SessionRequest(name="exp-1", gpu="0.5"))
    backend.variables.known[session.id] = {"x"}
    return str(session.id)


def keep(*names: str) -> ResizeRequest:
    return ResizeRequest(gpu="0.25", keep=names, notebook="analysis.ipynb")


async def resize(backend: Backend, session: str, request: ResizeRequest, caller: str = "me") -> Any:
    return await ask(backend, "sessions.resize", caller, args={"id": session}, body=request)


@pytest.mark.asyncio
async def test_variables_are_kept() -> None:
    backend = make_backend()
    session = await running(backend)
    await resize(backend, session, keep("x"))
    assert backend.variables.kept[session] == ("x",)


@pytest.mark.asyncio
async def test_an_admin_who_keeps_variables_of_a_session_is_audited() -> None:
    backend = make_backend(admins=("root",))
    session = await running(backend)
    await resize(backend, session, keep("x"), "root")
    (entry,) = await backend.administration.audit()
    assert (entry.who, entry.what) == ("root", "kept variables of the session team-a/exp-1 of me")


@pytest.mark.asyncio
async def test_a_session_whose_variables_cannot_all_be_kept_goes_on() -> None:
    backend = make_backend()
    session = await running(backend)
    with pytest.raises(InvalidFields, match="no: There is no such variable"):
        await resize(backend, session, keep("x", "no"))
    assert backend.variables.kept == {}
    seen = await ask(backend, "sessions.get", args={"id": session})
    assert (seen.state, seen.spec.share.milli) == ("running", 500)


@pytest.mark.asyncio
async def test_what_was_kept_is_forgotten_if_the_session_goes_on() -> None:
    backend = make_backend()
    session = await running(backend)

    class Unchanged:
        def __getattr__(self, name: str) -> Any:
            return getattr(backend.sessions, name)

        async def resize(self, *_: Any) -> Any:
            raise WrongState("It is stopping.", hint="Wait.")

    with pytest.raises(WrongState):
        await resize(replace(backend, sessions=Unchanged()), session, keep("x"))
    assert backend.variables.kept == {}


@pytest.mark.parametrize(
    ("mount", "kept"),
    [
        (Mount(volume="home", path="/home/ana"), True),
        (Mount(volume="home", path="/home/ana/work"), True),
        (Mount(volume="home", path="/home"), True),
        (Mount(volume="home", path="/home/an"), False),
        (Mount(volume="home", path="/home", read_only=True), False),
    ],
)
def test_a_folder_in_a_pod_keeps_what_is_on_a_volume(mount: Mount, *, kept: bool) -> None:
    session = make_session(folder="/home/ana/work", volumes=(mount,))
    with nullcontext() if kept else pytest.raises(InvalidFields, match="not on a volume"):
        keeping.check(session, local_files=False)
    keeping.check(session, local_files=True)
