"""The token that authenticates a session's own requests."""

from __future__ import annotations

from pathlib import Path

import msgspec
import psutil
import pytest

from tests.contract.backend_contract import run, until
from tests.local.conftest import folder_of, marked

pytestmark = pytest.mark.asyncio


async def token_of(backend, session_id):
    """Return the token in the file that the environment of a session's programs names."""
    file = Path((await backend.exec.context(session_id)).env["GPUQUOTA_SESSION_TOKEN_FILE"])
    assert file.stat().st_mode & 0o777 == 0o600
    return file.read_text()


async def test_a_token_is_one_sessions_and_no_others(backend):
    first, second = await run(backend, "first"), await run(backend, "second")
    own, other = [await token_of(backend, each.id) for each in (first, second)]
    assert (await backend.access.session_of(own)).id == first.id
    assert (await backend.access.session_of(other)).id == second.id
    forged = f"{first.id}.{other.partition('.')[2]}"
    for wrong in (forged, own[:-1], own + "x", first.id, f"{first.id}."):
        assert await backend.access.session_of(wrong) is None


async def test_a_token_outlives_the_controller_but_not_its_run(make):
    backend = await make()
    session = await run(backend)
    token = await token_of(backend, session.id)
    await backend.resident.close()
    backend = await make()
    assert (await backend.access.session_of(token)).id == session.id
    await backend.sessions.suspend(session.id)
    await until(backend, session.id, "suspended")
    assert await backend.access.session_of(token) is None
    await backend.sessions.resume(session.id)
    await until(backend, session.id, "running")
    assert await backend.access.session_of(token) is None
    again = await token_of(backend, session.id)
    assert (await backend.access.session_of(again)).id == session.id


async def test_a_token_is_only_where_the_account_alone_can_read_it(backend, settings):
    session = await run(backend)
    token = await token_of(backend, session.id)
    home = Path(settings["home"])
    assert token not in msgspec.json.encode(session).decode()
    assert token.encode() not in (home / "state.db").read_bytes()
    for pid in marked(session.id):
        assert token not in " ".join(psutil.Process(pid).cmdline())
        assert token not in psutil.Process(pid).environ().values()
    orders = folder_of(home, session.id).path / "launch.json"
    assert token in orders.read_text()
    assert [path.stat().st_mode & 0o777 for path in (orders, home / "token.key")] == [0o600, 0o600]
