"""The pages of real Jupyter Servers save before the server is told to end."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.model.ending import PageReport
from tests.contract.backend_contract import launch, until
from tests.lean import served
from tests.local.test_jupyter import ask

pytestmark = pytest.mark.asyncio

OPEN, SAVED = PageReport(state="open"), PageReport(state="saved")
NOTEBOOK = '{"type": "file", "format": "text", "content": "typed"}'


async def test_documents_are_saved_before_the_server_is_told_to_end(make, settings, tmp_path):
    backend = await make(save_timeout=60)
    session = await until(backend, (await launch(backend, **served())).id, "running")
    await backend.sessions.put_page(session.id, "p1", OPEN)
    asked = await backend.sessions.suspend(session.id)
    assert asked.is_saving
    endpoint = await backend.ingress.endpoint(session.id, 0)
    await ask(endpoint, "api/contents/a.txt", method="PUT", body=NOTEBOOK)
    await backend.sessions.put_page(session.id, "p1", SAVED)
    with pytest.raises(WrongState):
        await backend.ingress.endpoint(session.id, 0)
    ended = await until(backend, session.id, "suspended")
    assert ended.ending.saved == "saved"
    assert (tmp_path / "work" / "a.txt").read_text() == "typed"


async def test_a_controller_killed_while_pages_save_goes_on_where_it_was(elsewhere, make):
    first = elsewhere(save_timeout=600)
    session_id = first.ask("launch", "exp-1", served())["id"]
    first.ask("until", session_id, "running")
    first.ask("put_page", session_id, "p1", "open")
    assert first.ask("suspend", session_id)["ending"]["saved"] == "asked"
    first.kill()
    # The shorter of the two times holds as soon as the new controller has looked.
    backend = await make(save_timeout=30)
    [found] = backend.sessions.all()
    assert (found.is_saving, found.ending.saved) == (True, "asked")
    await backend.sessions.put_page(session_id, "p1", OPEN)
    assert await backend.ingress.endpoint(session_id, 0)
    # It may have pages that this controller has not heard of: they have the rest of the time.
    await backend.sessions.put_page(session_id, "p1", SAVED)
    [found] = backend.sessions.all()
    assert (found.is_saving, found.ending.saved) == (True, "saved")
    ended = await until(backend, session_id, "suspended")
    assert (ended.ending.saved, ended.reason.message) == ("saved", "Suspended on request.")


async def test_a_controller_that_was_away_for_longer_ends_it_at_once(elsewhere, make):
    first = elsewhere(save_timeout=1)
    session_id = first.ask("launch", "exp-1", served())["id"]
    first.ask("until", session_id, "running")
    first.ask("put_page", session_id, "p1", "open")
    assert first.ask("suspend", session_id)["state"] == "stopping"
    first.kill()
    backend = await make(save_timeout=600)
    ended = await until(backend, session_id, "suspended")
    assert ended.ending.saved == "unknown"
    assert "not known whether notebooks had unsaved changes" in ended.reason.message
