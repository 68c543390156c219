"""A notebook that nobody uses keeps no session from idling out, and its cells count as use."""

from __future__ import annotations

import time

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.kernels.notebook import Notebook
from jupyter_gpuquota.kernels.place import SessionPlace
from tests.kernels.conftest import relayed
from tests.kernels.network import Elsewhere, network_of
from tests.kernels.test_relay import run, text
from tests.notebooks.conftest import hurried
from tests.shell import wait_for

__all__ = ["hurried"]


@pytest.mark.parametrize("away", [False, True])
def test_an_attached_notebook_is_no_use_but_its_cells_are(hurried, away):
    """Three minutes pass in nine seconds."""
    name = f"exp-{int(away)}"
    hurried.ok("policy", "set", "everyone", "--idle-timeout", "3m", "--warn-before", "0")
    hurried.ok("submit", name, "-g", "0.5", "--interactive", "--folder", ".", "--wait")
    client = Client(state_dir=hurried.folder / "state", backend="local")
    network = network_of(client, client.sessions.get(name).id)
    place = SessionPlace(
        Elsewhere(client, network) if away else client, name, Notebook("", "a-key", "/")
    )
    with relayed(place) as relay:
        begun = time.monotonic()
        while time.monotonic() < begun + 18:  # six minutes
            assert text(run(relay, "print('in use')")[0]) == "in use\n"
            assert client.sessions.get(name).state == "running"
            time.sleep(0.5)
        idle = wait_for(lambda: client.sessions.get(name).reason)
        assert idle.code == "IdleTimeout"
        wait_for(lambda: client.sessions.get(name).state == "suspended")
    network.close()
