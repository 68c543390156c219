"""`jupyter gpu kernel`, and a template as a kernel."""

from __future__ import annotations

import json

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from tests.shell import wait_for
from tests.waiting import PATIENCE

SMALL = ("--interactive", "-g", "0.25", "--folder", ".", "--on-shutdown", "suspend")


@pytest.fixture(scope="module")
def small(client, shell):
    shell.ok("template", "save", "small", *SMALL)


def test_kernels_are_installed_listed_and_removed(client, session, small, shell):
    shown = shell.ok("kernel", "install")
    assert shown.splitlines() == [
        "gpu-exp-1      Python 3 on exp-1 · ½ GPU",
        "gpu-new-small  Python 3 on a new ¼ GPU · small",
    ]
    assert json.loads(shell.ok("kernel", "list", "--json")) == {
        "gpu-exp-1": "Python 3 on exp-1 · ½ GPU",
        "gpu-new-small": "Python 3 on a new ¼ GPU · small",
    }
    assert shell.ok("kernel", "remove", "exp-1") == "Removed gpu-exp-1.\n"
    ran = shell("kernel", "install", "nothing")
    assert (ran.code != 0, "No session or template of yours is called" in ran.err) == (True, True)


def test_a_template_launches_attaches_and_is_suspended(client, small, shell):
    shell.ok("kernel", "install", "small")
    folder = shell.folder / "data" / "kernels"
    specs = KernelSpecManager(kernel_dirs=[str(folder)], ensure_native_kernel=False)
    manager = KernelManager(kernel_name="gpu-new-small", kernel_spec_manager=specs)
    manager.start_kernel(env=shell.env, cwd=str(shell.folder / "work"))
    relay = manager.client()
    relay.start_channels()
    try:
        relay.wait_for_ready(timeout=PATIENCE)
        shown = []
        reply = relay.execute_interactive(
            "import os; print(os.environ['GPUQUOTA_SHARE'])",
            timeout=PATIENCE,
            output_hook=shown.append,
        )
        assert reply["content"]["status"] == "ok", reply
        assert "0.25 GPU\n" in [m["content"].get("text") for m in shown]
        (launched,) = [s for s in client.sessions.list() if s.spec.name.startswith("small-")]
        manager.shutdown_kernel()
        wait_for(lambda: client.sessions.get(launched.id).state == "suspended")
    finally:
        relay.stop_channels()
        if manager.is_alive():
            manager.shutdown_kernel(now=True)
