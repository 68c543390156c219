"""Snapshots that are taken and removed by themselves, of real sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotRulesRequest
from tests.local.test_session_data import shell
from tests.local.test_snapshots import kill_controller
from tests.shell import Shell, wait_for

__all__ = ["shell"]

MINUTE = 60
"""The shortest schedule; it is looked at as often."""


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    """A client whose rules store running, suspended and ended sessions; one runs for long."""
    client = Client(state_dir=shell.folder / "state")
    rules = SnapshotRulesRequest(every=MINUTE, on_suspend=True, on_finish=True)
    client.snapshots.put_settings(rules)
    launch(client, shell, "long", "sleep 900")
    return client


def launch(client: Client, shell: Shell, name: str, script: str) -> Path:
    """Launch a session that runs a script; return its folder."""
    folder = shell.folder / name
    folder.mkdir()
    (folder / "train.py").write_text("print(1)\n")
    client.sessions.submit(name, command=["sh", "-c", script], folder=str(folder))
    return folder


def triggers(client: Client, name: str) -> list[str]:
    """Return why the complete snapshots of a session were taken, the newest first."""
    found = client.snapshots.list(name)
    return [each.trigger for each in found] if all(e.state == "ready" for e in found) else []


def test_what_is_suspended_is_stored_and_not_again_when_it_is_stopped(
    shell: Shell, client: Client
) -> None:
    launch(client, shell, "rests", "sleep 900")
    client.sessions.wait("rests")
    client.sessions.suspend("rests", wait=True)
    wait_for(lambda: triggers(client, "rests") == ["suspend"])
    client.sessions.stop("rests", wait=True)
    # What ends later is stored later: by then, the one that was stopped would have been, too.
    launch(client, shell, "later", "sleep 1")
    wait_for(lambda: triggers(client, "later") == ["finish"])
    assert triggers(client, "rests") == ["suspend"]


def test_a_quick_program_is_stored_at_its_end(shell: Shell, client: Client) -> None:
    launch(client, shell, "quick", "true")
    wait_for(lambda: triggers(client, "quick") == ["finish"])
    (made,) = client.snapshots.list("quick")
    assert (made.files > 0, made.consistency) == (True, "quiesced")


def test_what_ends_while_there_is_no_controller_is_stored_by_the_next_one(
    shell: Shell, client: Client
) -> None:
    folder = launch(
        client, shell, "unseen", "until test -e go; do sleep 0.1; done; echo end > ended"
    )
    client.sessions.wait("unseen")
    kill_controller(shell)
    (folder / "go").touch()
    wait_for((folder / "ended").exists)
    wait_for(lambda: triggers(client, "unseen") == ["finish"])
    (made,) = client.snapshots.list("unseen")
    client.snapshots.remove(made.id)
    kill_controller(shell)
    launch(client, shell, "last", "true")
    wait_for(lambda: triggers(client, "last") == ["finish"])
    assert triggers(client, "unseen") == []


def test_a_running_session_is_stored_by_schedule_and_old_snapshots_go(
    shell: Shell, client: Client
) -> None:
    wait_for(lambda: triggers(client, "long")[:1] == ["schedule"], takes=2 * MINUTE)
    kept = client.snapshots.create("long", "the newest")
    shell.ok("snapshot", "rules", "--every", "0", "--keep-last", "1")
    wait_for(lambda: [each.id for each in client.snapshots.list("long")] == [kept.id])
    assert triggers(client, "rests") == ["suspend"]
    client.sessions.stop("long")
