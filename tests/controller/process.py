"""Controllers hosted by https as processes of their own."""

from __future__ import annotations

import http.client
import json
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_gpuquota.controller.authenticators.tokens import make
from jupyter_gpuquota.hosting.start import REFUSED
from tests.controller.hosted import Files
from tests.waiting import patience


class Process:
    """One such controller; `tokens` are those of `ana` and of `root-admin`.

    Settings are flags of its command line; with an empty value they are left out.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self.files = Files(folder)
        self.log = folder / "log"
        made = {name: make(name, []) for name in ("ana", "root-admin")}
        self.tokens = {name: token for name, (token, _) in made.items()}
        path = folder / "tokens.yaml"
        path.touch(0o600)
        path.write_text("\n".join(line for _, line in made.values()))
        flags = {
            "hosting": "https",
            "backend": "memory",
            "state-dir": str(folder / "state"),
            "GpuQuota.admins": "root-admin",
            "TokenFileAuthenticator.path": str(path),
            "Controller.authenticators": "tokens",
            "Controller.address": "127.0.0.1:0",
            "Controller.certificate": str(self.files.certificate),
            "Controller.key": str(self.files.key),
            **{name.replace("__", "."): value for name, value in settings.items()},
        }
        given = [f"--{name}={value}" for name, value in flags.items() if value]
        self.command = [sys.executable, "-m", "jupyter_gpuquota.controller", *given]

    def refused(self) -> str:
        """Return the output of a controller that does not start."""
        done = subprocess.run(
            self.command, capture_output=True, text=True, timeout=patience(), check=False
        )
        assert done.returncode in (REFUSED, 1)  # traitlets exits with 1
        assert "Traceback" not in done.stderr
        return done.stderr

    @contextmanager
    def running(self, end: signal.Signals = signal.SIGTERM) -> Iterator[int]:
        """Run it, yield its port, and end it by a signal."""
        with self.log.open("w") as log:
            process = subprocess.Popen(self.command, stdout=log, stderr=log)
        try:
            yield self._port(process)
            process.send_signal(end)
            assert process.wait(patience()) == 0
        finally:
            process.kill()
            process.wait()

    def _port(self, process: subprocess.Popen[bytes]) -> int:
        deadline = time.monotonic() + patience()
        while time.monotonic() < deadline:
            if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", self.log.read_text()):
                return int(found[1])
            assert process.poll() is None, self.log.read_text()
            time.sleep(0.02)
        raise AssertionError(self.log.read_text())

    def connection(self, port: int) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=self.files.ca)
        return http.client.HTTPSConnection("127.0.0.1", port, timeout=patience(), context=context)


def ask(
    connection: http.client.HTTPConnection, path: str, token: str, **headers: str
) -> tuple[int, Any]:
    """Return the status and the body of a GET."""
    sent = {"Authorization": f"Bearer {token}", **headers}
    connection.request("GET", f"/gpuquota/api{path}", headers=sent)
    response = connection.getresponse()
    return response.status, json.loads(response.read())
