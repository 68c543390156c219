"""Jobs with real processes: one is killed or cancelled, the next goes on; damage is named."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.model.datasets.jobs import Job
from tests.local.test_session_data import shell
from tests.shell import Shell, wait_for

__all__ = ["shell"]

LARGE = 1 << 40


@pytest.fixture
def client(shell: Shell) -> Client:
    return Client(state_dir=shell.folder / "state")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.txt").write_text(f"{tmp_path.name} {number}")
    return folder


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder with one file whose hashing takes minutes; it takes no room."""
    folder = tmp_path / "large"
    folder.mkdir()
    with (folder / "zeros").open("wb") as file:
        file.truncate(LARGE)
    return folder


def begun(client: Client, name: str, folder: Path) -> Job:
    """Start a sync, and return its job once it reads."""
    job = client.datasets.sync(name, folder, wait=False)
    wait_for(lambda: client.datasets.job(job.id).done)
    return client.datasets.job(job.id)


def test_a_second_sync_waits_and_goes_on_when_the_first_is_killed(
    client: Client, small: Path, large: Path
) -> None:
    client.datasets.init("killed")
    first = begun(client, "killed", large)
    second = client.datasets.sync("killed", small, wait=False)
    wait_for(lambda: client.datasets.job(second.id).reason)
    waiting = client.datasets.job(second.id)
    assert (waiting.state, waiting.reason) == ("waiting", f"Waiting for the sync of {first.user}.")
    os.kill(first.pid, signal.SIGKILL)
    done = client.datasets.follow(second.id)
    assert client.datasets.job(first.id).state == "lost"
    assert client.datasets.show("killed").id == done.version


def test_a_killed_controller_learns_of_running_jobs(
    shell: Shell, client: Client, small: Path, large: Path
) -> None:
    def controllers() -> list[int]:
        return [each.pid for each in shell.processes("jupyter_gpuquota.controller")]

    def state(job: Job) -> str:
        """Return the state of a job; a new controller does not know it until it reports."""
        return next((each.state for each in client.datasets.jobs() if each.id == job.id), "unknown")

    client.datasets.init("controlled")
    first = begun(client, "controlled", large)
    second = client.datasets.sync("controlled", small, wait=False)
    wait_for(lambda: state(second) == "waiting")
    (before,) = controllers()
    os.kill(before, signal.SIGKILL)
    # Whoever asks starts the next one. The second job must not begin before the first has reported.
    wait_for(lambda: state(first) == "running")
    assert state(second) in {"waiting", "unknown"}
    assert controllers() != [before]
    wait_for(lambda: state(second) == "waiting")
    os.kill(first.pid, signal.SIGKILL)
    wait_for(lambda: state(first) == "lost")
    wait_for(lambda: state(second) == "done")
    (version,) = client.datasets.versions("controlled")
    assert version.files == len(list(small.iterdir()))


def test_a_job_is_cancelled_from_another_screen(client: Client, large: Path) -> None:
    client.datasets.init("cancelled")
    job = begun(client, "cancelled", large)
    client.datasets.cancel(job.id)
    wait_for(lambda: client.datasets.job(job.id).state == "cancelled")
    wait_for(lambda: not Path(f"/proc/{job.pid}").exists())
    assert not list(client.datasets.versions("cancelled"))


def test_ctrl_c_cancels_the_job_of_the_shell(shell: Shell, client: Client, large: Path) -> None:
    client.datasets.init("interrupted")
    with shell.start("data", "sync", "interrupted", str(large)) as process:
        wait_for(lambda: [job for job in client.datasets.jobs("interrupted") if job.done])
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    (job,) = client.datasets.jobs("interrupted")
    assert job.state == "cancelled"


def test_a_flipped_bit_in_the_cache_is_found_and_replaced(
    shell: Shell, client: Client, small: Path
) -> None:
    client.datasets.init("flipped")
    client.datasets.sync("flipped", small)
    client.datasets.cache("flipped")
    tree = client.datasets.path("flipped")
    assert {each.name for each in tree.iterdir()} == {each.name for each in small.iterdir()}
    file = tree / "7.txt"
    whole = file.read_text()
    file.chmod(0o644)
    file.write_text(whole.swapcase())
    file.chmod(0o444)
    ran = shell("data", "verify", "flipped", "--cache")
    assert (ran.code, "7.txt" in ran.out) == (1, True), ran
    assert file.read_text() == whole
    assert shell("data", "verify", "flipped").code == 0
    client.datasets.uncache("flipped")
    assert not tree.exists()
