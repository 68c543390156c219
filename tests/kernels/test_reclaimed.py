"""A session that is reclaimed while a cell of a notebook runs in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from tests.chosen import settings
from tests.kernels.conftest import client
from tests.kernels.test_relay import Relays, reply_to, run, text, wait_for_output
from tests.shell import Shell, opened, wait_for
from tests.waiting import patience

__all__ = ["client"]

TEAMS = [{"name": "team-a", "quota": "1"}, {"name": "team-b", "quota": "1"}]
TWO_GPUS = {"simulated_nodes": [{"name": "dgx1-1", "gpus": 2, "memory": 32768, "model": "V100"}]}


@pytest.fixture(scope="module")
def shell(on_local: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell with two GPUs, of which team-b borrows one."""
    config = settings(projects=TEAMS, reclaim_grace=2)
    config["LocalConfig"] = {**config["LocalConfig"], **TWO_GPUS}
    with opened(tmp_path_factory.mktemp("reclaimed"), config) as shell:
        shell.ok(
            "submit", "exp-1", "-g", "2", "-p", "team-b", "--interactive", "--preemptible", "--wait"
        )
        yield shell


@pytest.fixture
def start(shell: Shell) -> Iterator[Relays]:
    shell.ok("kernel", "install", "exp-1")
    folder = str(shell.folder / "data" / "kernels")
    relays = Relays(shell, KernelSpecManager(kernel_dirs=[folder], ensure_native_kernel=False))
    yield relays
    relays.close()


def test_its_cell_says_why_it_ended_and_the_next_one_waits(start, client, shell):
    _manager, ours = start()
    asked = ours.execute("print('so far', flush=True)\nimport time\ntime.sleep(1000)")
    wait_for_output(ours)
    shell.ok("submit", "taker", "-g", "1", "-p", "team-a", "--interactive")
    reply = reply_to(ours, asked)
    kinds = kinds_until_idle(ours, asked)
    assert kinds.count("error") == 1
    assert "clear_output" not in kinds  # its output so far stays
    first, *hints = reply["evalue"].split("\n")
    assert (reply["ename"], reply["traceback"]) == ("SessionReclaimed", [first, *hints])
    assert first == (
        "The GPUs of exp-1 were reclaimed for taker of team-a. "
        "Its variables are lost; files are kept."
    )
    assert hints == ["exp-1 is queued again. Run the cell again to wait for it."]
    wait_for(lambda: client.sessions.get("taker").state == "running")
    asked = ours.execute("print('again')")
    while "exp-1 is queued: " not in shown(ours):
        pass
    client.sessions.stop("taker")
    assert reply_to(ours, asked)["status"] == "ok"
    assert text(run(ours, "print('again')")[0]) == "again\n"


def test_a_cell_of_a_notebook_elsewhere_says_so_too(client, shell, tmp_path):
    wait_for(lambda: client.sessions.get("exp-1").state == "running")
    begun = tmp_path / "begun"
    cell = "print('so far', flush=True)\nimport pathlib, time\n"
    cell += f"pathlib.Path({str(begun)!r}).touch()"
    sources = ["%load_ext jupyter_gpuquota", f"%%gpu exp-1\n{cell}\ntime.sleep(1000)"]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    patient = {"timeout": patience(), "startup_timeout": patience()}
    runner = NotebookClient(notebook, allow_errors=True, **patient)
    taker = threading.Thread(
        target=lambda: (
            wait_for(begun.exists),
            shell.ok("submit", "taker-2", "-g", "1", "-p", "team-a", "--interactive"),
        )
    )
    taker.start()
    runner.execute(env=shell.env)
    taker.join()
    printed, *_, error = notebook.cells[1].outputs
    assert printed["text"] == "so far\n"
    assert error["ename"] == "SessionReclaimed"
    assert "exp-1 were reclaimed for taker-2 of team-a" in error["evalue"]


def kinds_until_idle(client, asked) -> list[str]:
    """Return the types of what a cell has shown since then, to its end."""
    kinds: list[str] = []
    while True:
        message = client.get_iopub_msg(timeout=patience())
        if message["parent_header"].get("msg_id") == asked:
            kinds.append(message["msg_type"])
            if message["content"].get("execution_state") == "idle":
                return kinds


def shown(client) -> str:
    """Return the next line that a cell shows about what it waits for."""
    message = client.get_iopub_msg(timeout=patience())
    return message["content"].get("data", {}).get("text/plain", "")
