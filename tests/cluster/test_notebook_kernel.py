"""Notebooks of here whose code runs in a pod: the relay and `%%gpu` over the ingress."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from jupyter_gpuquota import Client
from jupyter_gpuquota.kernels.session_server import SessionServer
from jupyter_gpuquota.model.sessions import Session
from scripts.cluster.cluster import Cluster
from tests.cluster.teams import Teams
from tests.kernels.test_cells import gpu, ipython
from tests.kernels.test_relay import Relays, reply_to, run, text, wait_for_output
from tests.shell import Shell, opened, wait_for
from tests.waiting import PATIENCE

__all__ = ["gpu", "ipython"]


@pytest.fixture(scope="module")
def shell(
    kubelet: Cluster, tmp_path_factory: pytest.TempPathFactory, module_teams: Teams
) -> Iterator[Shell]:
    team = module_teams.with_kueue("team-a", 4000, processes=True)
    config = {
        "GpuQuota": {"backend": "kubernetes"},
        "KubernetesConfig": {
            "kubeconfig": str(kubelet.kubeconfig()),
            "namespaces": [team.namespace],
            "shares": ["whole", "milli"],
        },
    }
    with opened(tmp_path_factory.mktemp("kernel"), config) as shell:
        shell.more["JUPYTER_GPUQUOTA_BACKEND"] = "kubernetes"
        shell.ok("volume", "create", "files", "--class", "test-csi", "--size", "1Gi")
        volume = ("-v", "files:/work")
        shell.ok("submit", "exp-1", "-g", "0.5", "--interactive", "--wait", *volume)
        (kubelet.claim(team.namespace, "files") / "notes").mkdir()
        yield shell


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    return Client(state_dir=shell.folder / "state", backend="kubernetes")


@pytest.fixture
def session(client: Client) -> Session:
    return client.sessions.get("exp-1")


@pytest.fixture
def start(shell: Shell) -> Iterator[Relays]:
    """Start relays of the kernelspec that the shell installs."""
    shell.ok("kernel", "install", "exp-1")
    folder = str(shell.folder / "data" / "kernels")
    relays = Relays(shell, KernelSpecManager(kernel_dirs=[folder], ensure_native_kernel=False))
    yield relays
    relays.close()


def kernels(client: Client, session: Session) -> list[str]:
    """Return the ids of the kernels in the session."""
    server = SessionServer.find(client.context, session.id)
    return [each.kernel.id for each in server.sessions() if each.kernel]


def test_a_notebook_works_in_a_pod(start: Relays, client: Client, session: Session) -> None:
    manager, ours = start("gpu-exp-1")
    outputs, reply = run(ours, "import os\nprint(os.environ['GPUQUOTA_SESSION'])\nkept = 41")
    assert text(outputs).strip() == session.id
    assert reply["status"] == "ok"
    asked: list[str] = []

    def answer(question: Any) -> None:
        asked.append(question["content"]["prompt"])
        ours.input("Ana")

    outputs, _ = run(ours, "print(input('Name? '))", allow_stdin=True, stdin_hook=answer)
    assert (asked, text(outputs)) == (["Name? "], "Ana\n")
    cell = ours.execute("print('on it', flush=True)\nwhile True: pass")
    wait_for_output(ours)
    manager.interrupt_kernel()
    assert reply_to(ours, cell)["ename"] == "KeyboardInterrupt"
    os.kill(manager.provisioner.pid, signal.SIGKILL)
    manager.restart_kernel(now=True)
    ours.wait_for_ready(timeout=PATIENCE)
    assert text(run(ours, "print(kept + 1)")[0]) == "42\n"
    manager.restart_kernel()
    ours.wait_for_ready(timeout=PATIENCE)
    assert text(run(ours, "print('kept' in globals())")[0]) == "False\n"
    manager.shutdown_kernel()
    wait_for(lambda: not kernels(client, session))


def test_one_cell_runs_in_a_pod_with_variables(gpu: Any, ipython: Any, capsys: Any) -> None:
    ipython.user_ns["data"] = bytearray(3 << 20)
    gpu("data[0] = 7; size = len(data); print('there')", "--in data --out size,data")
    assert (ipython.user_ns["size"], ipython.user_ns["data"][0]) == (3 << 20, 7)
    shown = capsys.readouterr().out
    assert "sent: data 3.0 MiB" in shown
    assert "there\n" in shown


def test_a_cell_wakes_a_suspended_session(start: Relays, client: Client, session: Session) -> None:
    _manager, ours = start("gpu-exp-1")
    cell = ours.execute("print('so far', flush=True)\nimport time\ntime.sleep(1000)")
    wait_for_output(ours)
    client.sessions.suspend(session.id, wait=True)
    reply = reply_to(ours, cell)
    assert reply["ename"] == "SessionSuspended"
    assert "exp-1 was suspended: Suspended on request" in reply["evalue"]
    assert text(run(ours, "print('awake')")[0]) == "awake\n"
    assert client.sessions.get(session.id).state == "running"


def test_the_folder_is_the_notebooks_where_the_storage_is_shared(
    kubelet: Cluster, shell: Shell, start: Relays, session: Session
) -> None:
    """The claim's folder on this machine stands for its mount in the pod of a JupyterLab."""
    where = "import os; print(os.getcwd())"
    here = kubelet.claim(session.spec.project, "files") / "notes"
    _manager, ours = start("gpu-exp-1", folder=here)
    outputs, _ = run(ours, where)
    assert Path(text(outputs).strip()).samefile(here)
    _manager, ours = start("gpu-exp-1")
    outputs, _ = run(ours, where)
    said = f"This notebook's folder ({shell.folder}/work) was not found in exp-1"
    assert text(outputs, "stderr").startswith(said)
    outputs, _ = run(ours, where)
    assert text(outputs, "stderr") == ""


def test_a_cell_works_in_the_folder_of_its_notebook_or_says_where(
    gpu: Any,
    capsys: pytest.CaptureFixture[str],
    kubelet: Cluster,
    session: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where = "import os; print(os.getcwd())"
    here = kubelet.claim(session.spec.project, "files") / "notes"
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / "shared.ipynb"))
    gpu(where)
    assert Path(capsys.readouterr().out.strip()).samefile(here)
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "own.ipynb"))
    gpu(where)
    said = f"This notebook's folder ({tmp_path}) was not found in exp-1: code works in "
    assert capsys.readouterr().out.startswith(said)
    gpu("print('told once')")
    assert capsys.readouterr().out == "told once\n"
