"""Changes of the list of sessions: put together, they are the list."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest
from jupyter_gpuquota.api.inprocess import CHANGES, InProcess
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import NotFound, WrongState
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.struct import Page
from jupyter_gpuquota.ports.backend import Backend
from tests.clusters.two import two_clusters
from tests.contract.access_table import ADMIN
from tests.fakes import make_backend
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

PEOPLE = ("ana", "ben", "eve")
TEAMS = (
    {"name": "team-a", "quota": "2", "members": ["ana"], "leads": ["ben"]},
    {"name": "team-b", "quota": "2", "members": ["ana", "eve"]},
)


@asynccontextmanager
async def one(_home: Path) -> AsyncIterator[Backend]:
    yield make_backend(TEAMS, admins=(ADMIN,))


class Reader:
    """A screen that reads what has changed."""

    def __init__(self, api: InProcess, name: str) -> None:
        self._api = api
        self._caller = Caller(name)
        self._known: dict[str, Session] = {}
        self._etag = ""
        self.answers: list[Page[Session]] = []

    async def _get(self, etags: str = "") -> Any:
        made = ApiRequest(route("sessions.list"), self._caller, etags=etags)
        return await self._api.dispatch(made)

    async def all(self) -> list[Session]:
        answer = await self._get()
        return list(msgspec.json.decode(answer.body, type=Page[Session]).items)

    async def knows_all(self) -> bool:
        """Read what has changed; return whether the list is that of a reader of everything."""
        await self.read()
        known = {session.id: session for session in await self.all()}
        return known == self._known

    async def read(self) -> None:
        answer = await self._get(f"{self._etag}, {CHANGES}" if self._etag else "")
        if answer.status == 304:
            return
        page = msgspec.json.decode(answer.body, type=Page[Session])
        self.answers.append(page)
        if not page.since:
            self._known = {}
        self._known |= {session.id: session for session in page.items}
        for gone in page.gone:
            del self._known[gone]
        self._etag = answer.etag
        assert len(self._known) == page.total


async def change(api: InProcess, chance: random.Random, backend: Backend) -> None:
    """Launch, end, resume or delete a session as the administrator."""
    known = backend.sessions.all()
    verb = chance.choice(["create", "create", "stop", "suspend", "resume", "delete"])
    args = {} if verb == "create" else {"id": chance.choice(known).id if known else "none"}
    projects = [each.name for each in backend.inventory.projects()]
    body = {
        "name": f"s{chance.randrange(10**6)}",
        "project": chance.choice(projects),
        "gpu": chance.choice(["0.5", "1", "2"]),
        "command": ["sleep", "9"],
    }
    sent = msgspec.json.encode(body) if verb == "create" else b""
    caller = Caller(ADMIN, known="token")
    with suppress(WrongState, NotFound):
        await api.dispatch(ApiRequest(route(f"sessions.{verb}"), caller, args, body=sent))


@pytest.mark.parametrize("several", [one, two_clusters])
async def test_everyone_always_has_the_list_that_they_may_see(
    several: Any, seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)  # noqa: S311 (no secret)
    async with several(tmp_path) as backend:
        api = InProcess(backend)
        readers = [Reader(api, name) for name in (*PEOPLE, ADMIN)]
        for _ in range(60):
            await change(api, chance, backend)
            for reader in chance.sample(readers, 2):
                await wait_for(reader.knows_all)
    assert any(page.since for reader in readers for page in reader.answers)
