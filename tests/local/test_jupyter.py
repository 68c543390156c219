"""Sessions that are real Jupyter Servers."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import psutil
import pytest
import zmq
from jupyter_client import AsyncKernelClient
from tornado.httpclient import HTTPClientError

from jupyter_gpuquota.errors import InvalidFields, WrongState
from jupyter_gpuquota.local.folders.folders import SessionFolder
from jupyter_gpuquota.local.sessions.readiness import find_server
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.sessions import Endpoint, Session
from tests.contract.backend_contract import launch, until
from tests.lean import served
from tests.local.conftest import folder_of, home_of, marked, wait_for
from tests.session_client import fetch
from tests.waiting import patience

pytestmark = pytest.mark.asyncio

WITHOUT_US = '--ServerApp.jpserver_extensions={"jupyter_gpuquota": False}'
"""There is no controller that could answer, and one that a server starts would stay."""
LAB: dict[str, Any] = {"command": (), "args": (WITHOUT_US,)}


SHADOWS = ("types", "tornado", "select", "jupyter_server", "runpy", "sitecustomize")


@pytest.fixture
def fake_prefix(tmp_path: Path) -> Callable[[str], str]:
    """Make prefixes whose Python is a shell script."""

    def make(script: str) -> str:
        prefix = tmp_path / "fake"
        (prefix / "bin").mkdir(parents=True)
        python = prefix / "bin" / "python"
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
        packages = prefix / "lib" / "python3.11" / "site-packages" / "jupyter_server"
        packages.mkdir(parents=True)
        (packages / "__init__.py").touch()
        return str(prefix)

    return make


async def ask(endpoint: Endpoint, path: str, *, token: str | None = None, **fields: Any) -> Any:
    headers = endpoint.headers if token is None else {"Authorization": f"token {token}"}
    answer = await fetch(endpoint, path, headers=headers, **fields)
    return json.loads(answer.body or b"null")


async def page(endpoint: Endpoint, path: str) -> Any:
    headers = {**endpoint.headers, "Accept": "text/html"}
    return await fetch(endpoint, path, headers=headers, raise_error=False)


def folder_of_session(backend, session: Session) -> SessionFolder:
    return folder_of(home_of(backend), session.id)


def token_of(endpoint: Endpoint) -> str:
    return endpoint.headers["Authorization"].removeprefix("token ")


async def test_a_server_answers_below_its_path_with_its_token_only(backend, settings):
    for name in SHADOWS:  # files of the user that have the names of modules
        Path(settings["root_dir"], f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    session = await launch(backend, **served(), gpu="0.5", base_url="/user/me/")
    assert session.state == "starting"
    session = await until(backend, session.id, "running")
    assert [step.message.split()[0] for step in session.progress] == [
        "Placed",
        "Starting",
        "Ready",
    ]
    endpoint = await backend.ingress.endpoint(session.id, 0)
    assert endpoint.base_url == f"/user/me/{session.path}"
    assert (await ask(endpoint, "api/status"))["kernels"] == 0
    with pytest.raises(HTTPClientError, match="403"):
        await ask(endpoint, "api/status", token="wrong")  # noqa: S106 (nobody's)
    assert listening(session) == []
    socket = Path(endpoint.socket)
    assert [path.stat().st_mode & 0o777 for path in (socket, socket.parent)] == [0o600, 0o700]
    folder = folder_of(settings["home"], session.id)
    assert token_of(endpoint) not in (folder.path / "log").read_text()
    assert token_of(endpoint) not in msgspec.json.encode(session).decode()
    assert token_of(endpoint) not in Path(settings["home"], "state.db").read_bytes().decode("latin")
    for pid in marked(session.id):
        assert token_of(endpoint) not in " ".join(psutil.Process(pid).cmdline())
    assert (folder.path / "launch.json").stat().st_mode & 0o777 == 0o600
    state = Path(settings["home"])
    assert state.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o077 for path in state.glob("state.db*")} == {0}


async def test_a_session_has_jupyterlab_workspaces_of_its_own_which_stay_and_go_with_it(
    make, settings, monkeypatch
):
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    backend = await make()

    async def workspaces(session):
        session = await until(backend, session.id, "running")
        endpoint = await backend.ingress.endpoint(session.id, 0)
        return endpoint, (await ask(endpoint, "lab/api/workspaces"))["workspaces"]["ids"]

    first = await launch(backend, "first", **LAB)
    endpoint, found = await workspaces(first)
    assert found == []
    with pytest.raises(HTTPClientError) as landing:
        await ask(endpoint, "", follow_redirects=False)
    wanted = f"{endpoint.base_url}lab/workspaces/first"
    assert landing.value.response.headers["Location"].partition("?")[0] == wanted
    layout = json.dumps({"data": {}, "metadata": {"id": "first"}})
    await ask(endpoint, "lab/api/workspaces/first", method="PUT", body=layout)

    assert (await workspaces(await launch(backend, "second", **LAB)))[1] == []
    await backend.sessions.suspend(first.id)
    await until(backend, first.id, "suspended")
    await backend.sessions.resume(first.id)
    assert (await workspaces(first))[1] == ["first"]
    await backend.sessions.stop(first.id)
    await until(backend, first.id, "stopped")
    await backend.sessions.delete(first.id)
    assert not folder_of(settings["home"], first.id).path.exists()


async def test_stop_ends_its_kernels_too(backend):
    session = await until(backend, (await launch(backend, **served())).id, "running")
    endpoint = await backend.ingress.endpoint(session.id, 0)
    body = json.dumps({"name": "python3"})
    await ask(endpoint, "api/kernels", method="POST", body=body)
    await wait_for(lambda: len(marked(session.id)) >= 2)
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert not marked(session.id)
    with pytest.raises(WrongState):
        await backend.ingress.endpoint(session.id, 0)


async def test_a_configuration_that_switches_the_token_off_does_not(
    make, settings, tmp_path, monkeypatch
):
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    lines = [f"c.{name}.token = ''" for name in ("IdentityProvider", "ServerApp", "NotebookApp")]
    (tmp_path / "config" / "jupyter_server_config.py").write_text("\n".join(lines))
    backend = await make()
    session = await until(backend, (await launch(backend, **served())).id, "running")
    endpoint = await backend.ingress.endpoint(session.id, 0)
    assert token_of(endpoint)
    with pytest.raises(HTTPClientError, match="403"):
        await ask(endpoint, "api/status", token="")
    env = (await backend.exec.context(session.id)).env
    assert token_of(endpoint) not in env.values()
    assert "JUPYTER_CONFIG_PATH" not in env
    result = await backend.exec.execute(session.id, ExecRequest(command=("env",)))
    assert token_of(endpoint) not in result.output


def listening(session: Session) -> list[Any]:
    """Return the ports of this machine on which the programs of a session listen."""
    found = [c for pid in marked(session.id) for c in psutil.Process(pid).net_connections("inet")]
    return [each.laddr for each in found if each.status == psutil.CONN_LISTEN]


async def kernel_of(endpoint: Endpoint, name: str) -> Path:
    """Start a kernel, and return its connection file."""
    body = json.dumps({"name": name})
    kernel = (await ask(endpoint, "api/kernels", method="POST", body=body))["id"]
    return Path(endpoint.runtime, f"kernel-{kernel}.json")


@asynccontextmanager
async def talking(file: Path) -> AsyncIterator[AsyncKernelClient]:
    """Open the channels of a kernel; its heart may be slow on a busy machine."""
    client = AsyncKernelClient(connection_file=str(file))
    client.load_connection_file()
    client.start_channels(hb=False)
    try:
        yield client
    finally:
        client.stop_channels()


async def overheard(session: Session, file: Path) -> bool:
    """Return whether someone else hears what a cell prints, on any port of the session."""
    async with talking(file) as client:
        await client.kernel_info(reply=True, timeout=patience())
        with zmq.Context() as context, context.socket(zmq.SUB) as stranger:
            stranger.linger = 0
            stranger.subscribe(b"")
            for address in listening(session):
                stranger.connect(f"tcp://{address.ip}:{address.port}")
            heard = b""
            for _ in range(10):
                await client.execute("print('SEC' + 'RET')", reply=True, timeout=patience())
                while stranger.poll(200):
                    heard += b"".join(stranger.recv_multipart())
            return b"SECRET" in heard


FORKS = """
import os
if not os.fork():
    print("of a child", flush=True)
    os._exit(0)
os.wait()
"""


async def print_in_a_fork(file: Path) -> None:
    """Print in a process that a cell forks, and wait for it."""
    async with talking(file) as client:
        await client.kernel_info(reply=True, timeout=patience())
        client.execute(FORKS)
        text = ""
        while "of a child" not in text:
            text += (await client.get_iopub_msg(timeout=patience()))["content"].get("text", "")


@pytest.fixture
def short(settings: dict[str, Any]) -> Iterator[Path]:
    """Have a state folder with a short path, which those of tests are not."""
    with TemporaryDirectory(prefix="gpuq-test-") as folder:
        settings["home"] = f"{folder}/state"
        yield Path(folder)


@pytest.mark.parametrize("deep", ["", "d" * 80])
async def test_what_cells_print_is_in_files_that_no_other_account_can_open(
    make, settings, short, monkeypatch, deep
):
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(short / "config"))
    (short / "config").mkdir()
    (short / "config/jupyter_server_config.py").write_text("c.ServerApp.port = 9999\n")
    settings["home"] = str(short / deep / "state")
    backend = await make()
    session = await until(backend, (await launch(backend, **served())).id, "running")
    endpoint = await backend.ingress.endpoint(session.id, 0)
    file = await kernel_of(endpoint, "python3")
    found = json.loads(file.read_text())
    assert (found["transport"], len(found["ip"]) + 2 <= 107) == ("ipc", True)
    folder = Path(found["ip"]).parent
    assert folder.is_relative_to(settings["home"]) == (not deep)
    assert folder.stat().st_mode & 0o777 == 0o700
    await wait_for(lambda: len(list(folder.iterdir())) == 7)
    assert await backend.listening(session) == ()
    assert not await overheard(session, file)
    await print_in_a_fork(file)
    kernel = file.stem.removeprefix("kernel-")
    await ask(endpoint, f"api/kernels/{kernel}/restart", method="POST", body="")
    assert json.loads(file.read_text()) == found
    assert not await overheard(session, file)
    programs = [psutil.Process(pid).environ() for pid in marked(session.id)]
    assert sum("JUPYTER_TOKEN" in each for each in programs) == 1  # that of the server itself
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert not folder.exists()


@pytest.mark.parametrize("encrypts", [False, True])
async def test_a_kernel_that_may_know_no_such_sockets_keeps_its_ports(
    make, tmp_path, monkeypatch, encrypts
):
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    place = tmp_path / "data/kernels/other"
    place.mkdir(parents=True)
    words = ["/usr/bin/env", sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    about = {"supported_encryption": ["curve"]} if encrypts else {}
    spec = {"argv": words, "display_name": "Other", "language": "python", "metadata": about}
    (place / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "data"))
    backend = await make()
    session = await until(backend, (await launch(backend, **served())).id, "running")
    endpoint = await backend.ingress.endpoint(session.id, 0)
    file = await kernel_of(endpoint, "other")
    assert json.loads(file.read_text())["transport"] == "tcp"
    assert await overheard(session, file) == (not encrypts)


@pytest.mark.parametrize("debugger", [False, True])
async def test_a_kernel_has_a_debugger_where_that_is_allowed(make, monkeypatch, debugger):
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    backend = await make(debugger=debugger)
    session = await until(backend, (await launch(backend, **served())).id, "running")
    endpoint = await backend.ingress.endpoint(session.id, 0)
    async with talking(await kernel_of(endpoint, "python3")) as client:
        info = await client.kernel_info(reply=True, timeout=patience())
        assert ("debugger" in info["content"]["supported_features"]) == debugger
        answer = await client.execute("import debugpy.server", reply=True, timeout=patience())
        assert answer["content"]["status"] == "ok"


async def test_a_strangers_note_in_the_runtime_folder_is_ignored(backend, settings):
    session = await until(backend, (await launch(backend)).id, "running")
    folder = folder_of(settings["home"], session.id)
    note = {"pid": os.getpid(), "port": 1, "base_url": "/", "token": ""}
    (folder.runtime / f"jpserver-{os.getpid()}.json").write_text(json.dumps(note))
    assert find_server(folder, 1) is None


@pytest.mark.parametrize("word", ["--ServerApp.token=", "--port=1"])
async def test_arguments_that_would_take_it_from_us_are_refused(backend, word):
    with pytest.raises(InvalidFields) as caught:
        await launch(backend, **served(), args=(word,))
    assert [f.field for f in caught.value.fields] == ["args[0]"]


async def test_one_that_never_answers_fails_and_leaves_no_process(make, fake_prefix):
    backend = await make(start_timeout=5.0, stop_grace=0.2)  # until a busy machine has said so
    prefix = fake_prefix("echo thinking; trap '' TERM; while :; do sleep 1; done")
    session = await launch(backend, **LAB, environment=prefix)
    failed = await until(backend, session.id, "failed")
    assert (failed.reason.code, failed.reason.raw) == ("StartTimeout", "thinking")
    assert failed.exit.last_lines[0] == "thinking"
    assert not marked(session.id)


async def test_one_that_ends_before_it_answers_says_its_last_words(backend, fake_prefix):
    prefix = fake_prefix("echo no such module >&2; exit 7")
    session = await launch(backend, **LAB, environment=prefix)
    failed = await until(backend, session.id, "failed")
    assert (failed.exit.code, failed.reason.code) == (7, "StartFailed")
    assert failed.reason.raw == "no such module"


async def test_no_page_holds_its_token(make, monkeypatch):
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    backend = await make()
    session = await until(backend, (await launch(backend, **LAB)).id, "running")
    endpoint = await backend.ingress.endpoint(session.id, 0)
    for path in ("lab", "api/no-such", "no-such-page", "static/favicon.ico"):
        answer = await page(endpoint, path)
        assert token_of(endpoint) not in answer.body.decode("latin1")
        assert token_of(endpoint) not in str(answer.headers)
    assert b'"token": ""' in (await page(endpoint, "lab")).body
    note = next(folder_of_session(backend, session).runtime.glob("jpserver-*.json"))
    assert token_of(endpoint) not in note.read_text()


@pytest.mark.parametrize(
    ("token", "said"),
    [("", "lets in users without a token"), ("mine", "refuses the session's token")],
)
async def test_a_server_that_is_not_protected_by_its_token_is_not_shown(
    backend, tmp_path, token, said
):
    """The option --config names a file that stands above all others."""
    provider = "jupyter_server.auth.PasswordIdentityProvider"
    lines = (
        f"c.ServerApp.identity_provider_class = '{provider}'",
        f"c.PasswordIdentityProvider.token = '{token}'",
    )
    (tmp_path / "own.py").write_text("\n".join(lines))
    session = await launch(backend, **served(), args=(f"--config={tmp_path}/own.py",))
    failed = await until(backend, session.id, "failed")
    assert said in str(failed.reason)


async def test_its_folder_is_the_root_that_it_shows(backend, settings):
    Path(settings["root_dir"], "sub").mkdir()
    Path(settings["root_dir"], "sub", "here.txt").touch()
    session = await launch(backend, **served(), folder="sub")
    session = await until(backend, session.id, "running")
    content = await ask(await backend.ingress.endpoint(session.id, 0), "api/contents")
    assert [entry["name"] for entry in content["content"]] == ["here.txt"]


async def test_it_survives_its_shim_and_is_shown_again_after_a_restart(make, elsewhere, settings):
    first = elsewhere()
    session = first.ask("launch", "exp-1", served())
    first.ask("until", session["id"], "running")
    folder = folder_of(settings["home"], session["id"])
    first.kill()
    os.kill(folder.leader(1).shim, signal.SIGKILL)
    backend = await make()
    endpoint = await backend.ingress.endpoint(session["id"], 0)
    assert (await ask(endpoint, "api/status"))["kernels"] == 0


async def test_one_that_was_starting_is_awaited_by_the_next_controller(make, elsewhere):
    first = elsewhere()
    session = first.ask("launch", "exp-1", served())
    first.kill()
    backend = await make()
    running: Session = await until(backend, session["id"], "running")
    assert running.progress[-1].message == "Ready"
