"""Notebooks of here whose code runs in a pod: the relay and `%%gpu` over the ingress."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from jupyter_gpuquota import Client
from jupyter_gpuquota.kernels.notebook import Notebook
from jupyter_gpuquota.kernels.place import SessionPlace
from jupyter_gpuquota.kernels.session_server import SessionServer
from jupyter_gpuquota.model.sessions import Session
from scripts.cluster.cluster import Cluster
from tests.cluster.teams import Team, Teams, make_priorities
from tests.kernels.conftest import relayed
from tests.kernels.network import Elsewhere, Network, network_of
from tests.kernels.test_cells import gpu, ipython
from tests.kernels.test_reclaimed import kinds_until_idle, shown
from tests.kernels.test_relay import (
    Relays,
    a_widget_moves,
    reply_to,
    run,
    text,
    wait_for_output,
)
from tests.kernels.test_websocket import cut_in_a_cell, model_of
from tests.lean import lean_prefix
from tests.shell import Shell, opened, wait_for
from tests.storms.conftest import show
from tests.waiting import patience

__all__ = ["gpu", "ipython", "show"]


@pytest.fixture(scope="module")
def team(module_teams: Teams) -> Team:
    """The team of the sessions; `borrower` has no quota of its own, and borrows from it."""
    return module_teams.with_kueue("team-a", 2000, processes=True)


@pytest.fixture(scope="module")
def borrower(module_teams: Teams) -> Team:
    return module_teams.with_kueue("team-b", 0, processes=True)


@pytest.fixture(scope="module")
def network(kubelet: Cluster) -> Iterator[Network]:
    """The network between the controller and the API server, also that of its port-forward."""
    found = Network(urlsplit(kubelet.rest().server).port or 443)
    yield found
    found.close()


@pytest.fixture(scope="module")
def shell(
    kubelet: Cluster,
    tmp_path_factory: pytest.TempPathFactory,
    network: Network,
    team: Team,
    borrower: Team,
) -> Iterator[Shell]:
    make_priorities(kubelet.rest())
    folder = tmp_path_factory.mktemp("kernel")
    kubeconfig = folder / "kubeconfig"
    there = f"https://127.0.0.1:{network.port}"
    kubeconfig.write_text(kubelet.kubeconfig().read_text().replace(kubelet.rest().server, there))
    config = {
        "GpuQuota": {"backend": "kubernetes"},
        "KubernetesConfig": {
            "kubeconfig": str(kubeconfig),
            "namespaces": [team.namespace, borrower.namespace],
            "shares": ["whole", "milli"],
            "server_command": [f"{lean_prefix()}/bin/jupyter-server"],
        },
    }
    with opened(folder, config) as shell:
        shell.more["JUPYTER_GPUQUOTA_BACKEND"] = "kubernetes"
        shell.ok("volume", "create", "files", "--class", "test-csi", "--size", "1Gi")
        volume = ("-v", "files:/work")
        shell.ok(
            "submit", "exp-1", "-g", "0.5", "-p", team.namespace, "--interactive", "--wait", *volume
        )
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
    ours.wait_for_ready(timeout=patience())
    assert text(run(ours, "print(kept + 1)")[0]) == "42\n"
    manager.restart_kernel()
    ours.wait_for_ready(timeout=patience())
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


def test_widgets_and_a_cell_outlast_a_cut_of_the_network(
    start: Relays, network: Network, rounds: Any, show: Any
) -> None:
    """The network is cut for 1 second in `make test`, and also for 30 and 300 in `make storm`."""
    _manager, ours = start("gpu-exp-1")
    run(ours, "'in another folder'")  # the first cell says so
    a_widget_moves(ours)
    for seconds in (1, 30, 300)[: rounds(3, 1)]:
        show(f"cut for {seconds} s", cut_in_a_cell(ours, network, "refuse", seconds))


def test_an_attached_notebook_is_no_use_but_its_cells_are(client: Client, session: Session) -> None:
    """Use of a pod is read from the `last_activity` of its kernels."""
    server = SessionServer.find(client.context, session.id)
    others, network = set(kernels(client, session)), network_of(client, session.id)
    place = SessionPlace(Elsewhere(client, network), "exp-1", Notebook("", "idle", "/"))
    with relayed(place) as ours:
        run(ours, "1")
        (kernel,) = set(kernels(client, session)) - others

        def idle(connections: int) -> Any:
            found = model_of(server, kernel)
            seen = (found["execution_state"], found["connections"])
            return seen == ("idle", connections) and found["last_activity"]

        before = wait_for(lambda: idle(1))
        network.refuse()
        assert wait_for(lambda: idle(0)) == before
        network.recover()
        assert wait_for(lambda: idle(1)) == before
        assert text(run(ours, "print('used')")[0]) == "used\n"
        assert wait_for(lambda: idle(1)) > before
    network.close()


def test_a_template_is_a_kernel_that_is_resized_and_ends_what_it_launched(
    shell: Shell, start: Relays, client: Client, team: Team, ipython: Any
) -> None:
    share, storage = (
        ("-g", "0.25", "-p", team.namespace),
        ("-v", "files:/work", "--folder", "/work"),
    )
    shell.ok("template", "save", "small", *share, *storage, "--interactive")
    shell.ok("kernel", "install", "small")
    manager, ours = start("gpu-new-small")
    outputs, _ = run(ours, "import os\nkept = 41\nprint(os.environ['GPUQUOTA_SHARE'])")
    assert text(outputs) == "0.25 GPU\n"
    (launched,) = (s for s in client.sessions.list() if s.spec.name.startswith("small-"))
    assert len(kernels(client, launched)) == 1
    ipython.run_line_magic("gpu", f"resize {launched.spec.name} -g 0.5 --keep kept")
    outputs, _ = run(ours, "import os\nprint(kept + 1, os.environ['GPUQUOTA_SHARE'])")
    assert text(outputs) == "42 0.5 GPU\n"
    manager.shutdown_kernel()
    wait_for(lambda: client.sessions.get(launched.id).state == "stopped")


def test_a_cell_says_that_its_session_was_reclaimed_and_the_next_one_waits(
    shell: Shell, start: Relays, client: Client, team: Team, borrower: Team
) -> None:
    borrowed = ("-g", "0.9", "-p", borrower.namespace, "--interactive", "--preemptible")
    shell.ok("submit", "borrowed", *borrowed, "--wait")
    shell.ok("kernel", "install", "borrowed")
    _manager, ours = start("gpu-borrowed")
    asked = ours.execute("print('so far', flush=True)\nimport time\ntime.sleep(1000)")
    wait_for_output(ours)
    shell.ok("submit", "taker", "-g", "0.9", "-p", team.namespace, "--interactive", "--wait")
    reply = reply_to(ours, asked)
    assert reply["ename"] == "SessionReclaimed"
    assert reply["evalue"].startswith("The GPUs of borrowed were reclaimed for taker of ")
    kinds = kinds_until_idle(ours, asked)
    assert kinds.count("error") == 1
    assert "clear_output" not in kinds  # its output so far stays
    asked = ours.execute("print('again')")
    while "borrowed is queued: " not in shown(ours):
        pass
    client.sessions.stop("taker")
    assert reply_to(ours, asked)["status"] == "ok"
    client.sessions.stop("borrowed", wait=True)
