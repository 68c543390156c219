"""Which processes belong to a session, and that none of them escapes its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.local.processes import processes
from jupyter_gpuquota.local.shim import procfs
from scripts.ports import free_port
from tests.contract.backend_contract import launch, until
from tests.local.conftest import folder_of, marked, wait_for

pytestmark = pytest.mark.asyncio

TRICKS = {
    "own kernel session": "setsid {run}",
    "orphan": "(setsid {run} &)",
    "no hangup": "nohup {run}",
    "no environment": "setsid env -i {run}",
    "no mark": "env -u GPUQUOTA_SESSION setsid {run}",
    "only the state folder": "env -i GPUQUOTA_STATE_DIR=$GPUQUOTA_STATE_DIR setsid {run}",
    "another mark": "env GPUQUOTA_SESSION=sabcdefghijk setsid {run}",
    "empty mark": "env GPUQUOTA_SESSION= setsid {run}",
    "name of a shim": "(env -i GPUQUOTA_STATE_DIR=/x setsid {fake} &)",
    "name of a controller": "(env -i setsid {run} -m jupyter_gpuquota.controller &)",
}
"""How a program tries to leave its session. `run` writes its pid into a file."""

RUN = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"


def tricks(folder: Path) -> str:
    """Return a script that starts a program by each of the tricks."""
    fake = folder / "jupyter_gpuquota" / "local" / "shim"
    fake.mkdir(parents=True)
    (fake / "__main__.py").write_text(RUN)
    lines = []
    for number, trick in enumerate(TRICKS.values()):
        note = folder / f"note-{number}"
        words = f'{sys.executable} -c "{RUN}" {note}'
        lines.append(trick.format(run=words, fake=f"{sys.executable} {fake} {note}") + " &")
    return "\n".join([*lines, "wait", "sleep 600"])


async def started(folder: Path) -> dict[str, psutil.Process]:
    """Return the programs that the tricks have started."""
    notes = {name: folder / f"note-{i}" for i, name in enumerate(TRICKS)}
    await wait_for(lambda: all(note.exists() and note.read_text() for note in notes.values()))
    return {name: psutil.Process(int(note.read_text())) for name, note in notes.items()}


def living(found: dict[str, psutil.Process]) -> list[str]:
    return [
        name
        for name, process in found.items()
        if process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    ]


@pytest.mark.parametrize("way", ["stop", "suspend", "shim killed", "controller killed"])
async def test_no_trick_escapes_the_end(make, elsewhere, settings, tmp_path, way):
    command = ["sh", "-c", tricks(tmp_path)]
    if way == "controller killed":
        first = elsewhere()
        session_id = first.ask("launch", "exp-1", {"command": command})["id"]
        found = await started(tmp_path)
        first.kill()
        backend = await make(stop_grace=0.3)
    else:
        backend = await make(stop_grace=0.3)
        session_id = (await launch(backend, command=tuple(command))).id
        found = await started(tmp_path)
    await until(backend, session_id, "running")
    folder = folder_of(settings["home"], session_id)
    pids = {process.pid for process in found.values()}
    assert pids <= processes.members(session_id, folder, folder.leader(1))
    if way == "shim killed":
        owners = backend.resident.worker._runner._owners
        await wait_for(lambda: pids <= {process.pid for process in owners._owners})
        os.kill(folder.leader(1).shim, signal.SIGKILL)
        await wait_for(lambda: not folder.shim_lives())
    await (backend.sessions.suspend if way == "suspend" else backend.sessions.stop)(session_id)
    await until(backend, session_id, lambda s: s.state in ("stopped", "suspended"))
    assert living(found) == []


async def test_what_escapes_is_still_counted_as_the_session(backend, settings, tmp_path):
    session = await launch(backend, command=("sh", "-c", tricks(tmp_path)))
    found = await started(tmp_path)
    owners = backend.resident.worker._runner._owners.owners()
    assert {owners.get(process.pid) for process in found.values()} == {session.id}
    assert folder_of(settings["home"], session.id).leader(1).shim not in owners


async def test_a_controller_that_was_started_inside_a_session_is_no_part_of_it(
    make, settings, tmp_path
):
    inner = tmp_path / "inner"
    words = f"{sys.executable} -m jupyter_gpuquota.ui.cli submit inner"
    script = (
        f"export GPUQUOTA_STATE_DIR={inner}; unset GPUQUOTA_SESSION_TOKEN_FILE\n"
        f"{words} --wait --command 'sleep 601'\nsleep 600"
    )
    backend = await make(stop_grace=0.3)
    session = await until(
        backend, (await launch(backend, command=("sh", "-c", script))).id, "running"
    )

    def leaders() -> list[Path]:
        return list(inner.glob("sessions/*/leader.json"))

    (path,) = await wait_for(leaders)
    other = folder_of(inner, path.parent.name)
    lock = json.loads((inner / "controller.lock").read_text())
    pids = [other.leader(1).pid, other.leader(1).shim, lock["pid"]]
    alive = {str(pid): psutil.Process(pid) for pid in pids}
    try:
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        assert living(alive) == [str(pid) for pid in pids]
    finally:
        for process in alive.values():
            process.kill()
        await wait_for(lambda: not marked(path.parent.name))


@pytest.fixture
def stranger(request):
    """Start programs as another account."""
    if os.geteuid():
        pytest.skip("only root can start a program as another account")
    started: list[subprocess.Popen] = []

    def start(code: str, **env: str) -> subprocess.Popen:
        become = "import os, socket, time; os.setgid(65534); os.setuid(65534)\n"
        process = subprocess.Popen([sys.executable, "-I", "-S", "-c", become + code], env=env)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


async def test_the_mark_of_another_account_means_nothing(backend, stranger):
    port = free_port()
    session = await until(backend, (await launch(backend, ports=(port,))).id, "running")
    code = f"s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen(); time.sleep(600)"
    process = stranger(code, GPUQUOTA_SESSION=session.id)

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    await wait_for(answers)
    assert procfs.owner_of(process.pid) == 65534
    assert process.pid not in marked(session.id)
    with pytest.raises(WrongState, match="No program of exp-1 listens"):
        await backend.ingress.endpoint(session.id, port)
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert process.poll() is None


async def test_what_a_session_starts_as_another_account_ends_with_it_but_is_not_shown(
    make, settings, tmp_path, stranger
):
    port, note = free_port(), tmp_path / "note"
    code = (
        "import os, socket, time\n"
        f"open('{note}', 'w').write(str(os.getpid())); os.setuid(65534)\n"
        f"s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen(); time.sleep(600)"
    )
    backend = await make(stop_grace=0.3)
    command = (sys.executable, "-c", code)
    session = await until(
        backend, (await launch(backend, command=command, ports=(port,))).id, "running"
    )
    pid = int(await wait_for(lambda: note.exists() and note.read_text()))
    await wait_for(lambda: procfs.owner_of(pid) == 65534)
    process = psutil.Process(pid)
    await wait_for(lambda: any(c.status == "LISTEN" for c in process.net_connections()))
    with pytest.raises(WrongState, match="No program of exp-1 listens"):
        await backend.ingress.endpoint(session.id, port)
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert not process.is_running()
