"""A real JupyterHub with our controller as its service, and its users."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from scripts.ports import free_ports
from tests.controller.hosted import Files
from tests.waiting import patience

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / ".venv-hub"
PROXY = ROOT / "labextension/node_modules/.bin/configurable-http-proxy"

CONTROLLER = """
c.GpuQuota.projects = [
    {{"name": "team-ml", "quota": "4", "members": ["group:ml"]}},
    {{"name": "team-b", "quota": "2", "members": ["bo"]}},
]
c.GpuQuota.admins = ["root-admin"]
c.Controller.address = "127.0.0.1:{port}"
c.Controller.certificate = "{files.certificate}"
c.Controller.key = "{files.key}"
c.Controller.authenticators = ["jupyterhub"]
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """The status and the JSON of an answer."""

    status: int
    body: Any


def ask(
    url: str, token: str, method: str = "GET", body: Any = None, ca: Path | None = None
) -> Answer:
    """Send a request to the Hub or our controller. Raises OSError without a listener."""
    sent = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, sent, headers, method=method)  # noqa: S310 (our own)
    context = ssl.create_default_context(cafile=ca) if ca else None
    try:
        with urllib.request.urlopen(  # noqa: S310 (the same)
            request, timeout=patience(), context=context
        ) as response:
            return _read(response)
    except urllib.error.HTTPError as error:
        with error:
            return _read(error)


def _read(response: Any) -> Answer:
    text = response.read()
    is_json = response.headers.get_content_type() == "application/json"
    return Answer(response.status, json.loads(text) if text and is_json else text)


def until(happens: Callable[[], Any], said: Callable[[], str]) -> Any:
    """Return the first truthy result of a function."""
    deadline = time.monotonic() + patience()
    while time.monotonic() < deadline:
        try:
            if found := happens():
                return found
        except OSError:
            pass  # not there yet
        time.sleep(0.5)  # a Hub that is asked all the time has little left for its servers
    raise AssertionError(said()[-6000:])


class Hub:
    """A JupyterHub in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = Files(folder)
        self.token = secrets.token_hex(32)
        public, hub, proxy, controller = free_ports(
            ("public", "hub", "proxy", "controller")
        ).values()
        self.url = f"http://127.0.0.1:{public}"
        self.controller = f"https://localhost:{controller}"
        self.found = self.controller
        """Where people's servers find a controller."""
        self._log = folder / "hub.log"
        (folder / "config").mkdir()
        config = CONTROLLER.format(port=controller, files=self.files)
        (folder / "config" / "jupyter_gpuquota_config.py").write_text(config)
        # What an installed wheel brings along, and an editable one does not.
        enabled = folder / "extensions" / "jupyter_server_config.d"
        enabled.mkdir(parents=True)
        source = ROOT / "jupyter-config" / "server-config" / "jupyter_gpuquota.json"
        (enabled / source.name).write_text(source.read_text())
        self._environment = {
            "HUB_FOLDER": str(folder),
            "HUB_PORTS": f"{public} {hub} {proxy}",
            "HUB_CONTROLLER_PORT": str(controller),
            "HUB_CONTROLLER_CONFIG": str(folder / "config"),
            "HUB_EXTENSIONS": str(enabled.parent),
            "HUB_PROXY": str(PROXY),
            "HUB_CA": str(self.files.ca),
            "HUB_TOKEN": self.token,
            "CONFIGPROXY_AUTH_TOKEN": secrets.token_hex(16),
        }

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it until the end of the block; all that it has started ends with it."""
        assert PROXY.exists(), "The Hub's proxy is not installed: `make test-hub` does that"
        names = ("JUPYTER_NO_CONFIG", "JUPYTER_CONFIG_DIR", "PYTHONPATH")
        inherited = {name: value for name, value in os.environ.items() if name not in names}
        path = f"{INSTALLED / 'bin'}{os.pathsep}{os.environ['PATH']}"
        config = Path(__file__).with_name("jupyterhub_config.py")
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                [INSTALLED / "bin" / "jupyterhub", "--config", config],
                cwd=self.folder,
                env={**inherited, **self._environment, "HUB_FOUND": self.found, "PATH": path},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            until(lambda: self.hub("/users").status == 200, self.said)
            until(lambda: ask(f"{self.controller}/", "", ca=self.files.ca), self.said)
            yield
        finally:
            process.send_signal(signal.SIGTERM)  # the Hub ends its service, servers and proxy
            try:
                process.wait(patience())
            finally:
                process.kill()
                self._end_proxy()

    def hub(self, path: str, method: str = "GET", body: Any = None) -> Answer:
        """Call the Hub's REST API as the service `tests`."""
        return ask(f"{self.url}/hub/api{path}", self.token, method, body)

    def people(self, *names: str) -> list[Person]:
        """Return people whose JupyterLabs run."""
        people = [Person(self, name, self.token_of(name)) for name in names]
        for name in names:
            assert self.hub(f"/users/{name}/server", "POST", {}).status in {201, 202}
        for name in names:
            until(partial(self._is_ready, name), self.said)
        return people

    def token_of(self, name: str, **limits: Any) -> str:
        """Return a new token of a user, who is made if there is none."""
        assert self.hub(f"/users/{name}", "POST").status in {201, 409}
        return str(self.hub(f"/users/{name}/tokens", "POST", limits).body["token"])

    def asked_directly(
        self, token: str, path: str, method: str = "GET", body: Any = None
    ) -> Answer:
        """Call the controller with a token."""
        return ask(f"{self.found}/gpuquota/api{path}", token, method, body, ca=self.files.ca)

    def _is_ready(self, name: str) -> bool:
        server = self.hub(f"/users/{name}").body["servers"].get("")
        return bool(server and server["ready"])

    def _end_proxy(self) -> None:
        """End the proxy, which a Hub leaves behind if it is terminated while it starts."""
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((self.folder / "proxy.pid").read_text()), signal.SIGTERM)

    def said(self) -> str:
        """Return the output of the Hub and the processes that it has started."""
        return self._log.read_text(errors="replace")


@dataclass(frozen=True, slots=True)
class Person:
    """A user at work in a JupyterLab."""

    hub: Hub
    name: str
    token: str

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Call the REST interface in this user's JupyterLab, as its page does."""
        return ask(f"{self._lab}/gpuquota/api{path}", self.token, method, body)

    def in_a_kernel(self, code: str) -> str:
        """Run Python in a kernel of this person's, and return what it prints."""
        kernel = ask(f"{self._lab}/api/kernels", self.token, "POST", {}).body["id"]
        try:
            return asyncio.run(self._execute(kernel, code))
        finally:
            ask(f"{self._lab}/api/kernels/{kernel}", self.token, "DELETE")

    @property
    def _lab(self) -> str:
        return f"{self.hub.url}/user/{self.name}"

    async def _execute(self, kernel: str, code: str) -> str:
        request = HTTPRequest(
            f"{self._lab.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels",
            headers={"Authorization": f"token {self.token}"},
        )
        header = {"msg_id": "1", "msg_type": "execute_request", "session": "1", "version": "5.3"}
        content = {"code": code, "silent": False, "stop_on_error": True}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        socket = await websocket_connect(request)
        await socket.write_message(json.dumps({**message, "channel": "shell"}))
        printed = ""
        async with asyncio.timeout(patience()):
            while True:
                heard = json.loads(await socket.read_message())
                if heard["msg_type"] == "stream":
                    printed += heard["content"]["text"]
                if heard["msg_type"] == "execute_reply":
                    assert heard["content"]["status"] == "ok", heard
                if heard["content"].get("execution_state") == "idle" and printed:
                    socket.close()
                    return printed
