"""Terminals of a session's Jupyter Server."""

from __future__ import annotations

import json
import re

import pytest

from tests.contract.backend_contract import launch, until
from tests.lean import served
from tests.local.atwork import Lab

pytestmark = pytest.mark.asyncio


async def test_they_are_in_the_environment_of_the_session(make, monkeypatch):
    """A login shell's profile would put other programs first."""
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    monkeypatch.setenv("SHELL", "/bin/sh")
    backend = await make()
    session = await until(backend, (await launch(backend, **served())).id, "running")
    lab = Lab(backend, session.id)
    name = (await lab.make("terminals"))["name"]
    terminal = await lab.connect(f"terminals/websocket/{name}")
    await terminal.write_message(json.dumps(["stdin", "echo found=$(command -v jupyter).\r"]))
    shown = ""
    while not re.search(r"found=[/.]", shown):
        shown += str(await terminal.read_message())
    terminal.close()
    assert f"found={session.spec.environment}/bin/jupyter." in shown
