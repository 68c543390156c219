"""`jupyter gpu kernel`, and a template as a kernel."""

from __future__ import annotations

import json

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from jupyter_gpuquota.kernels.attach import attach
from jupyter_gpuquota.kernels.notebook import Notebook
from jupyter_gpuquota.kernels.place import TemplatePlace
from jupyter_gpuquota.kernels.session_server import SessionServer
from tests.kernels.conftest import relayed
from tests.kernels.test_relay import Relays, run, text
from tests.shell import wait_for

SMALL = ("--interactive", "-g", "0.25", "--folder", ".", "--on-shutdown", "suspend")


@pytest.fixture(scope="module")
def small(client, shell):
    shell.ok("template", "save", "small", *SMALL)


def test_kernels_are_installed_listed_and_removed(client, session, small, shell):
    shown = shell.ok("kernel", "install")
    assert shown.splitlines() == [
        "gpu-exp-1      Python 3 on exp-1 · ½ GPU",
        "gpu-new-small  Python 3 on a new ¼ GPU, 8 GiB · small",
    ]
    assert json.loads(shell.ok("kernel", "list", "--json")) == {
        "gpu-exp-1": "Python 3 on exp-1 · ½ GPU",
        "gpu-new-small": "Python 3 on a new ¼ GPU, 8 GiB · small",
    }
    assert shell.ok("kernel", "remove", "exp-1") == "Removed gpu-exp-1.\n"
    ran = shell("kernel", "install", "nothing")
    assert (ran.code != 0, "No session or template of yours is called" in ran.err) == (True, True)


@pytest.fixture
def start(shell, small):
    """Start relays of templates."""
    shell.ok("kernel", "install")
    folder = str(shell.folder / "data" / "kernels")
    relays = Relays(shell, KernelSpecManager(kernel_dirs=[folder], ensure_native_kernel=False))
    yield relays
    relays.close()


def test_a_template_launches_attaches_and_is_suspended(client, start):
    manager, relay = start("gpu-new-small")
    outputs, reply = run(relay, "import os; print(os.environ['GPUQUOTA_SHARE'])")
    assert (reply["status"], text(outputs)) == ("ok", "0.25 GPU\n")
    (session,) = (s for s in client.sessions.list() if s.spec.name.startswith("small-"))
    manager.shutdown_kernel()
    wait_for(lambda: client.sessions.get(session.id).state == "suspended")


def test_a_kernel_of_a_template_that_stops_stops_its_session(client, shell, small):
    shell.ok("template", "save", "small-stops", *SMALL[:-1], "stop")
    place = TemplatePlace(client, "small-stops", Notebook("", "key", "/"))
    with relayed(place) as relay:
        run(relay, "1")
    wait_for(lambda: client.sessions.get("small-stops-key").state == "stopped")


def test_a_session_of_a_template_stays_while_another_notebook_uses_it(client, small):
    with relayed(TemplatePlace(client, "small", Notebook("", "shared", "/"))) as relay:
        run(relay, "1")
        session = client.sessions.get("small-shared").id
        other = attach(SessionServer.find(client.context, session), "b.ipynb")
    assert client.sessions.get(session).state == "running"
    other.shut_down()
    client.sessions.stop(session)


def test_a_kernel_that_is_shut_down_before_it_was_attached_leaves_no_session(client, small):
    place = TemplatePlace(client, "small", Notebook("", "soon", "/"))
    place.session(resume=False)
    wait_for(lambda: client.sessions.get("small-soon").state == "running")
    place.shut_down()
    wait_for(lambda: client.sessions.get("small-soon").state == "suspended")
