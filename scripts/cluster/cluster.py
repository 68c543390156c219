"""A test cluster as its users see it: kubeconfigs, and commands to its programs."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from scripts.contained import run_contained

from .build import ensure_built
from .layout import Layout
from .rest import Rest
from .setup import PATIENCE, wait_for
from .supervisor import READY

ROOT = Path(__file__).resolve().parents[2]


class Cluster:
    """A running test cluster."""

    def __init__(self, folder: Path) -> None:
        self.layout = Layout.load(folder)

    def kubeconfig(self, user: str = "admin") -> Path:
        """Return the path of a user's kubeconfig."""
        return self.layout.kubeconfig(user)

    def claim(self, namespace: str, name: str) -> Path:
        """Return the folder that a claim is in pods that are processes."""
        return self.layout.pods / "claims" / namespace / name

    def rest(self, user: str = "admin") -> Rest:
        """Return a user's connection to the API server."""
        return Rest.of(self.kubeconfig(user))

    @contextmanager
    def keeping(self, user: str = "admin") -> Iterator[Rest]:
        """Keep a user's connections to the API server open, for many calls, until the end."""
        rest = Rest.of(self.kubeconfig(user), keeps=True)
        try:
            yield rest
        finally:
            rest.close()

    def start(self, part: str) -> None:
        """Start a program that was stopped, and wait until it is ready."""
        self._command("start", part)

    def stop(self, part: str) -> None:
        """End a program by SIGTERM, and wait until it has ended."""
        self._command("stop", part)

    def kill(self, part: str) -> None:
        """End a program by SIGKILL."""
        self._command("kill", part)

    def compact(self) -> None:
        """Forget all old versions of objects, as etcd does now and then."""
        etcd = f"127.0.0.1:{self.layout.ports['etcd']}"
        now = _ask_etcd(etcd, "/v3/maintenance/status", {})["header"]["revision"]
        _ask_etcd(etcd, "/v3/kv/compaction", {"revision": now, "physical": True})

    def pids(self) -> dict[str, int]:
        """Return the ids of the processes that run."""
        found: dict[str, int] = self._command("status")
        return found

    def repair(self) -> None:
        """Start whatever was ended, and wait until it is ready."""
        self._command("repair")

    def end(self) -> None:
        """End the whole cluster."""
        self._command("end")

    def _command(self, do: str, part: str = "") -> Any:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(self.layout.control))
            connection.sendall(json.dumps({"do": do, "part": part}).encode() + b"\n")
            answer = json.loads(connection.makefile().readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["pids"]


def _ask_etcd(address: str, path: str, body: Any) -> Any:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    try:
        connection.request("POST", path, json.dumps(body))
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError(text)
    return json.loads(text)


@contextmanager
def running() -> Iterator[Cluster]:
    """Run a cluster until the end of the block, or of this process."""
    folder = Path(mkdtemp(prefix="cluster-"))  # a short path, as sockets are in it
    process = _serve(folder, stdin=subprocess.PIPE)
    try:
        _wait_until_ready(process)
        yield Cluster(folder)
    finally:
        process.communicate()  # closes its input: then it ends, and removes the folder


def up(folder: Path) -> Cluster:
    """Start a cluster that stays when this process ends, until `down`."""
    if (folder / "control.sock").exists():
        raise FileExistsError(f"A test cluster is in {folder}: end it with `down {folder}`.")
    folder.mkdir(parents=True, exist_ok=True)
    _wait_until_ready(_serve(folder, "--detached", stdin=subprocess.DEVNULL))
    return Cluster(folder)


def down(folder: Path) -> None:
    """End a cluster that `up` started, and wait until it has ended. Its logs stay."""
    control = folder / "control.sock"
    with suppress(ConnectionRefusedError):  # then it has ended without saying so
        Cluster(folder).end()
        wait_for(lambda: not control.exists(), "the test cluster has ended")
    control.unlink(missing_ok=True)


def _serve(folder: Path, *options: str, stdin: int) -> subprocess.Popen[str]:
    build = ensure_built()
    command = (sys.executable, "-m", "scripts.cluster", "serve", str(folder), str(build), *options)
    with (folder / "supervisor.log").open("w") as log:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )


def _wait_until_ready(process: subprocess.Popen[str]) -> None:
    said = []
    for line in process.stdout or ():
        if line.strip() == READY:
            return
        said.append(line)
    raise RuntimeError("".join(said))


def run(command: Sequence[str]) -> int:
    """Run a command beside a cluster that `CLUSTER_TEST` names; return its exit code.

    Whichever signal ends it, all processes that it started end with it.
    """
    with running() as cluster:
        return run_contained(command, {**os.environ, "CLUSTER_TEST": str(cluster.layout.folder)})
