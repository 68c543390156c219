"""Sessions that run a command: how they end, and that they leave no processes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from datetime import datetime
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota.errors import InvalidFields, NotAllowed, WrongState
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.sessions import LogQuery, Session
from scripts.ports import free_port
from tests.contract.backend_contract import launch, until
from tests.local.conftest import folder_of, marked, marked_processes, wait_for

pytestmark = pytest.mark.asyncio

PYTHON = sys.executable
# A child that nothing connects with its session any more: another kernel session, an empty
# environment, and a parent that has gone.
ESCAPE = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if not os.fork():
    os.setsid()
    if not os.fork():
        os.execve(sys.executable, [sys.executable, '-c', 'import signal, time\\n'
            'signal.signal(signal.SIGTERM, signal.SIG_IGN)\\n'
            'open("escaped", "w").write(str(__import__("os").getpid()))\\n'
            'time.sleep(600)'], {})
    os._exit(0)
os.wait()
time.sleep(600)
"""


OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"


def ended(session: Session) -> bool:
    return session.state in ("done", "failed", "stopped")


@pytest.mark.parametrize(
    ("command", "state", "code", "reason"),
    [
        (("true",), "done", 0, None),
        (("sh", "-c", "echo one; echo two; exit 3"), "failed", 3, "CommandFailed"),
        (("sh", "-c", "kill -SEGV $$"), "failed", 139, "Killed"),
        (("sh", "-c", f"echo '{OUT_OF_MEMORY}'; exit 1"), "failed", 1, "OutOfMemory"),
        (("sh", "-c", f"echo '{OUT_OF_MEMORY}'"), "done", 0, None),
        (("no-such-program",), "failed", 127, "StartFailed"),
        (("/etc/passwd",), "failed", 126, "StartFailed"),
    ],
)
async def test_how_a_command_ends(backend, command, state, code, reason):
    session = await until(backend, (await launch(backend, command=command)).id, ended)
    assert (session.state, session.exit.code) == (state, code)
    assert (session.reason.code if session.reason else None) == reason
    assert session.placement is None
    if code == 3:
        assert session.exit.last_lines == ("one", "two")
    if session.reason and session.reason.code == "OutOfMemory":
        assert session.reason.raw == OUT_OF_MEMORY
        assert datetime.fromisoformat(session.reason.args["at"]) == session.exit.at.replace(
            microsecond=0
        )
    if code == 139:
        assert session.exit.signal == "SIGSEGV"
    if code == 127:
        assert session.exit.last_lines[-1].startswith("gpuquota: cannot start no-such-program")


async def test_a_session_knows_its_share_and_folder(backend, settings):
    command = ("sh", "-c", 'echo "$GPUQUOTA_SHARE|$GPUQUOTA_SIMULATED|$CUDA_VISIBLE_DEVICES|$PWD"')
    session = await launch(backend, command=command, gpu="0.5", args=("ignored",))
    done = await until(backend, session.id, "done")
    assert done.exit.last_lines == (f"0.5 GPU|1||{settings['root_dir']}",)


async def test_one_that_ignores_the_request_is_killed(make, settings):
    backend = await make(stop_grace=0.3)
    command = ("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done")
    session = await until(backend, (await launch(backend, command=command)).id, "running")
    log = folder_of(settings["home"], session.id).path / "log"
    await wait_for(lambda: "ready" in log.read_text())
    await backend.sessions.stop(session.id)
    stopped = await until(backend, session.id, "stopped")
    assert stopped.exit.signal == "SIGKILL"
    assert not marked(session.id)


async def test_stop_leaves_no_process_however_it_hides(make, settings):
    backend = await make(stop_grace=0.3)
    command = (PYTHON, "-c", ESCAPE)
    session = await until(backend, (await launch(backend, command=command)).id, "running")
    note = Path(settings["root_dir"], "escaped")
    escaped = psutil.Process(int(await wait_for(lambda: note.exists() and note.read_text())))
    assert escaped.environ().get("GPUQUOTA_SESSION") is None
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert not escaped.is_running()
    assert not marked(session.id)


async def test_what_a_command_leaves_behind_ends_with_it(backend):
    command = ("sh", "-c", "setsid sleep 600 & sleep 600 & exit 0")
    session = await until(backend, (await launch(backend, command=command)).id, ended)
    assert session.state == "done"
    assert not marked(session.id)


async def test_a_stop_is_asked_in_any_moment_of_the_start(backend):
    for number in range(5):
        session = await launch(backend, f"exp-{number}")
        await asyncio.sleep(0.01 * number)
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        assert not marked(session.id)


async def test_a_suspended_session_is_stopped_at_once_and_can_resume(backend):
    session = await until(backend, (await launch(backend, gpu="0.5")).id, "running")
    assert (await backend.sessions.suspend(session.id)).state == "stopping"
    assert (await backend.sessions.stop(session.id)).goal == "stop"
    await until(backend, session.id, "stopped")
    await backend.sessions.resume(session.id, "/elsewhere/")
    again = await until(backend, session.id, "running")
    assert again.spec.base_url == "/elsewhere/"
    assert again.exit is None


async def test_a_resumed_session_goes_on_in_its_log(backend):
    session = await launch(backend, command=("sh", "-c", "echo line; exit 1"))
    await until(backend, session.id, "failed")
    await backend.sessions.resume(session.id)
    again = await until(backend, session.id, lambda s: s.state == "failed" and s.exit)
    assert again.exit.last_lines == ("line",)
    chunk = await backend.logs.read(session.id, LogQuery())
    assert (chunk.text, chunk.ended) == ("line\nline\n", True)


async def test_the_folder_may_vanish_while_it_waits(backend, settings):
    folder = Path(settings["root_dir"], "sub")
    folder.mkdir()
    first = await until(backend, (await launch(backend, "first", gpu="4")).id, "running")
    second = await launch(backend, "second", gpu="1", folder="sub")
    assert second.state == "waiting"
    folder.rmdir()
    await backend.sessions.stop(first.id)
    failed = await until(backend, second.id, "failed")
    assert failed.reason.code == "StartFailed"
    assert str(folder) in failed.reason.message


async def test_a_taken_port_is_refused_at_once(backend):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidFields) as caught:
            await launch(backend, ports=(port + 0,))
    (problem,) = caught.value.fields
    assert problem.field == "ports[0]"
    assert "in use by another program" in problem.message
    assert backend.sessions.all() == ()


async def test_a_port_that_is_taken_meanwhile_is_refused_at_resume(backend):
    port = free_port()
    session = await until(backend, (await launch(backend, ports=(port,))).id, "running")
    await backend.sessions.suspend(session.id)
    await until(backend, session.id, "suspended")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with pytest.raises(InvalidFields, match="in use by another program"):
            await backend.sessions.resume(session.id)
    await backend.sessions.resume(session.id)
    await until(backend, session.id, "running")


async def test_two_live_sessions_cannot_expose_one_port(backend):
    port = free_port()
    await until(backend, (await launch(backend, "first", ports=(port,))).id, "running")
    with pytest.raises(InvalidFields, match=r"is already exposed by first\."):
        await launch(backend, "second", ports=(port,))
    # Who asks in another project need not know what there is in this one.
    with pytest.raises(InvalidFields, match=r"is already exposed by a session of team-a\."):
        await launch(backend, "second", project="team-b", ports=(port,))


async def test_an_exposed_port_leads_to_the_session_that_listens(backend, settings):
    port = free_port()
    command = (PYTHON, "-m", "http.server", "--bind", "127.0.0.1", str(port))
    session = await until(
        backend, (await launch(backend, command=command, ports=(port,))).id, "running"
    )

    (pid,) = marked(session.id)
    await wait_for(lambda: any(c.status == "LISTEN" for c in psutil.Process(pid).net_connections()))
    found = await backend.ingress.endpoint(session.id, port)
    assert (found.host, found.port, found.headers) == ("127.0.0.1", port, {})
    with pytest.raises(NotAllowed, match="does not expose port 1"):
        await backend.ingress.endpoint(session.id, 1)
    with pytest.raises(NotAllowed, match="not a Jupyter Server"):
        await backend.ingress.endpoint(session.id, 0)


async def test_a_port_on_which_a_stranger_listens_is_not_named(backend):
    port = free_port()
    session = await until(backend, (await launch(backend, ports=(port,))).id, "running")
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stranger.bind(("127.0.0.1", port))
        stranger.listen()
        with pytest.raises(WrongState, match="No program of exp-1 listens"):
            await backend.ingress.endpoint(session.id, port)


async def test_programs_run_in_the_environment_and_share(backend, settings):
    session = await until(backend, (await launch(backend, gpu="0.5")).id, "running")
    script = "echo $GPUQUOTA_SHARE in $PWD; echo oops >&2; exit 4"
    result = await backend.exec.execute(session.id, ExecRequest(command=("sh", "-c", script)))
    assert result.output == f"0.5 GPU in {settings['root_dir']}\noops\n"
    assert (result.exit_code, result.truncated, result.timed_out) == (4, False, False)
    missing = await backend.exec.execute(session.id, ExecRequest(command=("no-such-program",)))
    assert (missing.exit_code, "no-such-program" in missing.output) == (127, True)
    context = await backend.exec.context(session.id)
    assert context.env["GPUQUOTA_SESSION"] == session.id
    assert context.folder == settings["root_dir"]


async def test_a_program_that_prints_too_much_is_cut_and_ends(backend):
    session = await until(backend, (await launch(backend)).id, "running")
    script = "head -c 3000000 /dev/zero | tr '\\0' x"
    result = await backend.exec.execute(session.id, ExecRequest(command=("sh", "-c", script)))
    assert (len(result.output), result.truncated, result.exit_code) == (2**20, True, 0)


async def test_a_program_that_takes_too_long_is_killed_with_its_children(backend):
    session = await until(backend, (await launch(backend)).id, "running")
    alone = marked(session.id)
    script = "echo begun; sleep 600 & sleep 600"
    request = ExecRequest(command=("sh", "-c", script), timeout=1)
    result = await backend.exec.execute(session.id, request)
    assert (result.timed_out, result.output) == (True, "begun\n")
    await wait_for(lambda: marked(session.id) == alone)


async def test_what_a_program_prints_is_passed_on_while_it_runs(backend, tmp_path):
    session = await until(backend, (await launch(backend)).id, "running")
    gate = tmp_path / "gate"
    script = f"printf 'a\\303'; while [ ! -e {gate} ]; do sleep 0.02; done; printf '\\251b'; exit 3"
    shown = ""
    async for event in backend.exec.stream(session.id, ExecRequest(command=("sh", "-c", script))):
        shown += event.output
        if shown == "a":
            gate.touch()  # it could not go on if its first letter had not come through
    assert shown == "aéb"
    assert event.result.exit_code == 3


async def test_a_program_that_nobody_listens_to_any_more_is_killed_with_its_children(backend):
    session = await until(backend, (await launch(backend)).id, "running")
    alone = marked(session.id)
    events = backend.exec.stream(
        session.id, ExecRequest(command=("sh", "-c", "echo begun; sleep 600 & sleep 600"))
    )
    while (await anext(events)).output != "begun\n":
        pass
    assert marked(session.id) != alone
    await events.aclose()
    await wait_for(lambda: marked(session.id) == alone)


async def test_a_program_that_takes_too_long_says_so_at_last(backend):
    session = await until(backend, (await launch(backend)).id, "running")
    request = ExecRequest(command=("sh", "-c", "echo begun; sleep 600"), timeout=1)
    events = [event async for event in backend.exec.stream(session.id, request)]
    assert "".join(event.output for event in events) == "begun\n"
    assert events[-1].result.timed_out


async def test_what_a_program_leaves_running_ends_with_the_session(backend):
    session = await until(backend, (await launch(backend)).id, "running")
    alone = marked(session.id)
    request = ExecRequest(command=("sh", "-c", "sleep 600 & echo begun"))
    assert (await backend.exec.execute(session.id, request)).output == "begun\n"
    assert len(marked(session.id) - alone) == 1
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert not marked(session.id)


async def test_a_killed_leader_is_told_from_one_that_failed(backend, settings):
    session = await until(backend, (await launch(backend)).id, "running")
    os.kill(folder_of(settings["home"], session.id).leader(1).pid, signal.SIGKILL)
    failed = await until(backend, session.id, "failed")
    assert (failed.exit.signal, failed.reason.code) == ("SIGKILL", "Killed")


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"command": ()}, "command"),
        ({"command": ("",)}, "command"),
        ({"command": ("a\0b",)}, "command"),
        ({"command": ("true",), "timeout": 0}, "timeout"),
        ({"command": ("true",), "timeout": 100_000}, "timeout"),
    ],
)
async def test_a_program_that_cannot_be_is_refused(backend, fields, broken):
    session = await launch(backend)
    with pytest.raises(InvalidFields) as caught:
        await backend.exec.execute(session.id, ExecRequest(**fields))
    with pytest.raises(InvalidFields):
        await anext(backend.exec.stream(session.id, ExecRequest(**fields)))
    assert [f.field for f in caught.value.fields] == [broken]


async def test_no_secret_stays_on_disk_after_the_end(backend, settings):
    session = await launch(backend, env={"SECRET": "very-secret"})
    await until(backend, session.id, "running")
    folder = folder_of(settings["home"], session.id)
    assert "very-secret" in (folder.path / "launch.json").read_text()
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert not (folder.path / "launch.json").exists()
    assert not folder.runtime.exists()


async def test_nothing_of_the_starter_is_handed_on(backend, monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "secret")
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    session = await until(backend, (await launch(backend)).id, "running")
    (pid,) = marked(session.id)
    env = psutil.Process(pid).environ()
    assert not {"JUPYTERHUB_API_TOKEN", "JPY_PARENT_PID"} & env.keys()
    assert env["CUDA_VISIBLE_DEVICES"] == ""


async def test_it_is_idle_only_when_nothing_lives_and_nothing_waits(backend):
    assert backend.resident.idle()
    session = await launch(backend)
    assert not backend.resident.idle()
    await until(backend, session.id, "running")
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert backend.resident.idle()


async def test_the_shim_shows_neither_secrets_nor_the_session(backend, settings):
    session = await until(backend, (await launch(backend)).id, "running")
    shim_pid = folder_of(settings["home"], session.id).leader(1).shim
    shim = psutil.Process(shim_pid)
    assert set(shim.environ()) == {"LC_ALL", "GPUQUOTA_STATE_DIR"}
    assert shim_pid not in marked_processes()
    assert all(path.fd > 2 or path.path == "/dev/null" for path in shim.open_files())
