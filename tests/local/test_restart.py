"""What the interface has handed out is there at once when the controller was killed: all ids."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.routes.table import ROUTES
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot
from tests.local.test_session_data import shell
from tests.local.test_snapshots import kill_controller
from tests.shell import Shell, wait_for

__all__ = ["shell"]

LISTS = [
    row.name
    for row in ROUTES
    if row.method == "GET" and "{" not in row.path and row.name != "changes.wait"
]
"""Every route that answers with what there is, without being told a name."""
NAMES = ("id", "name", "job")
HOLD = ("sleep", "600")


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    """A client, after there is one of everything that has an id or a name."""
    client = Client(state_dir=shell.folder / "state")
    source = shell.folder / "source"
    source.mkdir()
    (source / "a.txt").write_text("one\n")
    client.datasets.init("digits")
    client.datasets.sync("digits", source, tag="v1")
    client.datasets.cache("digits@v1")
    client.datasets.verify("digits@v1")
    client.volumes.create("scratch", project="team-a")
    client.sessions.submit("work", command=HOLD, folder=str(source), data=["digits"], wait=True)
    return client


def handed_out(client: Client) -> set[tuple[str, str, str]]:
    """Return every id and name in the answers of all lists, with its list."""
    context = client.snapshots._context
    answers = {name: msgspec.to_builtins(context.call(name)) for name in LISTS}
    return {(name, *found) for name, answer in answers.items() for found in names_in(answer)}


def names_in(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield from ((key, value[key]) for key in NAMES if isinstance(value.get(key), str))
        for each in value.values():
            yield from names_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from names_in(each)


def killed(shell: Shell, made: Snapshot) -> None:
    """End the process of a snapshot."""
    [process] = wait_for(lambda: shell.processes(made.id))
    os.kill(process.pid, signal.SIGKILL)


def restart(shell: Shell) -> None:
    """Kill the controller; the next one is started with the same configuration."""
    kill_controller(shell)
    shell.ok("quota")


def test_all_that_was_handed_out_is_there_at_once(shell: Shell, client: Client) -> None:
    ready = client.snapshots.create("work", wait=False)
    wait_for(lambda: client.snapshots.show(ready.id).snapshot.state == "ready")
    failed = client.snapshots.create("work", wait=False)
    killed(shell, failed)
    wait_for(lambda: client.snapshots.show(failed.id).snapshot.state == "failed")
    restored = client.snapshots.restore(ready.id, "again")
    before = handed_out(client)
    kinds = {route for route, *_ in before}
    assert {"jobs.list", "snapshots.list", "snapshots.restores", "caches.list"} <= kinds
    restart(shell)
    assert before - handed_out(client) == set()
    restart(shell)
    assert client.snapshots.show(ready.id).snapshot.state == "ready"
    said = client.snapshots.show(failed.id).snapshot
    assert (said.state, said.problem and said.problem.code) == ("failed", "Internal")
    assert [each.id for each in client.snapshots.restores()] == [restored.id]
    jobs: dict[str, Job] = {each.id: each for each in client.datasets.jobs()}
    assert {"sync", "cache", "verify", "snapshot"} <= {each.kind for each in jobs.values()}
    assert not any(each.active for each in jobs.values())
    client.snapshots.remove(failed.id)
    restart(shell)
    assert failed.id not in {each.id for each in client.snapshots.list()}
