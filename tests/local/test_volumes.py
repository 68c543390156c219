"""Sessions that share volumes on a real controller."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from websocket import WebSocket

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InUse, InvalidFields
from jupyter_gpuquota.kernels.session_server import SessionServer, open_connection
from tests.local.test_session_data import CONFIG
from tests.shell import Shell, opened, wait_for
from tests.waiting import patience

WRITE = 'echo one > "$GPUQUOTA_VOLUMES/scans/a.txt"; cat in/scans/a.txt'
TRY = 'cat ro/a.txt; echo two > ro/a.txt; cat "$GPUQUOTA_VOLUMES/scans/a.txt"'


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with opened(tmp_path_factory.mktemp("volumes"), CONFIG) as made:
        made.ok("quota")
        yield made


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    client = Client(state_dir=shell.folder / "state")
    client.volumes.create("scans", size="1Gi")
    return client


def done(client: Client, name: str) -> Callable[[], bool]:
    return lambda: client.sessions.get(name).state in {"done", "failed"}


def submit(client: Client, name: str, work: Path, script: str, *volumes: str) -> None:
    command = ("sh", "-c", script)
    client.sessions.submit(name, command=command, folder=str(work), volumes=volumes)


def test_sessions_share_a_volume_and_may_be_kept_from_writing(
    client: Client, tmp_path: Path
) -> None:
    submit(client, "writer", tmp_path, WRITE, "scans:/in/scans")
    wait_for(done(client, "writer"))
    assert client.sessions.logs("writer").split() == ["one"]
    assert list(tmp_path.iterdir()) == []
    submit(client, "reader", tmp_path, TRY, "scans:/ro:ro")
    wait_for(done(client, "reader"))
    log = str(client.sessions.logs("reader"))
    if "does not allow" in log:
        pytest.skip("the kernel allows no mounts here")
    assert "Read-only file system" in log
    assert log.split()[-1] == "one"


def test_programs_enter_a_session_with_its_mounts(
    client: Client, shell: Shell, tmp_path: Path
) -> None:
    submit(client, "guarded", tmp_path, "sleep 600", "scans:/ro:ro")
    wait_for(lambda: client.sessions.get("guarded").state == "running")
    if "does not allow" in client.sessions.logs("guarded"):
        pytest.skip("the kernel allows no mounts here")
    words = ("sh", "-c", "pwd; echo no > ro/no.txt")
    ran = client.sessions.exec("guarded", words)
    became = shell.apart("exec", "guarded", "--", *words)
    # Inside, the command finds itself where it wants to be.
    nested = client.sessions.exec("guarded", ("jupyter-gpu", "exec", "guarded", "--", *words))
    for code, output in (
        (ran.exit_code, ran.output),
        (became.code, became.out + became.err),
        (nested.exit_code, nested.output),
    ):
        assert code != 0
        assert output.startswith(f"{tmp_path}\n")
        assert "Read-only file system" in output
    gone = client.sessions.exec("guarded", ("no-such-program",))
    assert (gone.exit_code, gone.output) == (127, "no-such-program: No such file or directory\n")
    assert not (Path(client.volumes.get("scans").folder) / "no.txt").exists()
    client.sessions.stop("guarded")


def test_terminals_of_a_session_have_its_mounts(client: Client, tmp_path: Path) -> None:
    session = client.sessions.submit("typed", folder=str(tmp_path), volumes=("scans:/ro:ro",))
    wait_for(lambda: client.sessions.get("typed").state == "running")
    if "does not allow" in client.sessions.logs("typed"):
        pytest.skip("the kernel allows no mounts here")
    endpoint = SessionServer.find(client.context, session.id).endpoint
    base = endpoint.base_url.rstrip("/")
    with closing(open_connection(endpoint, patience())) as connection:
        connection.request("POST", f"{base}/api/terminals", headers=endpoint.headers)
        name = json.load(connection.getresponse())["name"]
    asking = open_connection(endpoint, patience())
    asking.connect()
    with closing(WebSocket()) as terminal:
        url = f"ws://{endpoint.host}:{endpoint.port}{base}/terminals/websocket/{name}"
        headers = [f"{key}: {value}" for key, value in endpoint.headers.items()]
        terminal.connect(url, header=headers, socket=asking.sock)
        terminal.send(json.dumps(["stdin", "echo no > ro/no.txt\r"]))
        shown = ""
        while "Read-only file system" not in shown:
            kind, *words = json.loads(terminal.recv())
            shown += "".join(words) if kind == "stdout" else ""
    assert not (Path(client.volumes.get("scans").folder) / "no.txt").exists()
    client.sessions.stop("typed")


def test_a_mounted_volume_is_not_deleted(client: Client, shell: Shell, tmp_path: Path) -> None:
    submit(client, "holder", tmp_path, "sleep 600", ":10Mi:/scratch", "scans:/scans")
    with pytest.raises(InUse, match="holder"):
        client.volumes.delete("scans")
    made = client.volumes.get("holder-scratch")
    assert (made.size, made.uses[0].path) == (10 << 20, "/scratch")
    assert "holder" in shell.ok("volume", "list")
    client.sessions.stop("holder")
    wait_for(lambda: client.sessions.get("holder").state == "stopped")
    client.volumes.delete("holder-scratch")
    assert not Path(made.folder).exists()


def test_mistakes_are_named_by_field(client: Client, tmp_path: Path) -> None:
    with pytest.raises(InvalidFields) as error:
        submit(client, "wrong", tmp_path, "true", "none:/a", "scans:/etc", "scans:/b", "scans:/b/c")
    assert [each.field for each in error.value.fields] == ["volumes[0]", "volumes[1]", "volumes[3]"]


def test_only_own_folders_are_shared_and_their_files_kept(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.txt").write_text("kept")
    (tmp_path / "link").symlink_to(mine)
    for folder in (
        tmp_path / "link",
        tmp_path / "none",
        "/usr",
        client.volumes.get("scans").folder,
    ):
        with pytest.raises(InvalidFields):
            client.volumes.create("mine", folder=str(folder))
    with pytest.raises(InvalidFields, match="is not a folder"):
        client.volumes.create("mine", folder=str(mine / "a.txt"))
    monkeypatch.chdir(tmp_path)
    made = client.volumes.create("mine", folder="mine")
    assert (made.registered, made.folder) == (True, os.fspath(mine))
    client.volumes.delete("mine")
    assert (mine / "a.txt").read_text() == "kept"


def test_instead_of_a_clone_a_command_copies_the_files(client: Client) -> None:
    (Path(client.volumes.get("scans").folder) / "copied.txt").write_text("copied")
    with pytest.raises(InvalidFields) as error:
        client.volumes.create("copy", source="scans")
    command = error.value.fields[0].hint.partition(": ")[2]
    made = client.volumes.create("copy")
    subprocess.run(shlex.split(command), check=True)
    assert (Path(made.folder) / "copied.txt").read_text() == "copied"
