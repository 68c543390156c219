"""The kernel of a session in another environment than the notebook's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from tests.kernels.test_relay import Relays, run, text
from tests.waiting import patience

SITE = "import site; print(site.getsitepackages()[0])"


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment of its own, with the packages of this one and a module more."""
    prefix = tmp_path / "torch"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True, timeout=patience()
    )
    ours = subprocess.run([sys.executable, "-c", SITE], capture_output=True, text=True, check=True)
    (site,) = (prefix / "lib").glob("python3*/site-packages")
    (site / "linked.pth").write_text(ours.stdout.strip())
    (site / "only_there.py").write_text("answer = 42")
    return prefix


def test_a_notebook_runs_in_the_environment_of_its_session(client, shell, environment):
    shell.ok("submit", "exp-2", "-g", "0.25", "--interactive", "-i", str(environment), "--wait")
    shell.ok("kernel", "install", "exp-2")
    folder = shell.folder / "data" / "kernels"
    specs = KernelSpecManager(kernel_dirs=[str(folder)], ensure_native_kernel=False)
    relays = Relays(shell, specs)
    _manager, relay = relays("gpu-exp-2")
    outputs, _ = run(relay, "import only_there, sys\nprint(only_there.answer, sys.prefix)")
    assert text(outputs) == f"42 {environment}\n"
    info = relay.kernel_info(reply=True, timeout=patience())["content"]["language_info"]
    outputs, _ = run(relay, "import platform\nprint(platform.python_version())")
    assert text(outputs).strip() == info["version"]
    document = json.loads((folder / "gpu-exp-2" / "kernel.json").read_text())
    assert not document["argv"][0].startswith(str(environment))  # the relay runs here
    relays.close()
