"""Work of users in a session's Jupyter Server, and activity that only looks like it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from queue import Empty
from typing import Any

from jupyter_client import AsyncKernelClient
from jupyter_client.session import Session as Protocol
from tornado.websocket import WebSocketClientConnection

from jupyter_gpuquota.ports.backend import Backend
from tests.local.conftest import folder_of, home_of
from tests.local.test_jupyter import ask
from tests.session_client import web_socket
from tests.waiting import patience

TERMINALS = ("--ServerApp.jpserver_extensions={'jupyter_server_terminals': True}",)
"""Switch them on: there is no configuration that does it (conftest)."""

THREADS = """
import threading, time
from ipywidgets import IntProgress
bar, go = IntProgress(), True
def work():
    while go:
        print("still here")
        bar.value = (bar.value + 1) % 100
        time.sleep(0.02)
threading.Thread(target=work, daemon=True).start()
"""


class Lab:
    """The Jupyter Server of a session."""

    def __init__(self, backend: Backend, session: str) -> None:
        self.backend = backend
        self.session = session

    async def ask(self, path: str, **fields: Any) -> Any:
        """Send a request that does not count as activity."""
        endpoint = await self.backend.ingress.endpoint(self.session, 0)
        return await ask(endpoint, path + "?no_track_activity=1", **fields)

    async def connect(self, path: str) -> WebSocketClientConnection:
        """Open a WebSocket."""
        endpoint = await self.backend.ingress.endpoint(self.session, 0)
        return await web_socket(endpoint, path)

    async def make(self, what: str, **fields: Any) -> Any:
        """Make a kernel or a terminal."""
        return await self.ask(f"api/{what}", method="POST", body=json.dumps(fields))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server itself."""
        run = self.backend.resident.board.find(self.session).run
        os.kill(folder_of(home_of(self.backend), self.session).leader(run).pid, number)


class Tab:
    """A page that shows a notebook: it keeps a kernel's channels open."""

    def __init__(self, kernel: str, socket: WebSocketClientConnection) -> None:
        self.kernel = kernel
        self._socket = socket
        self._protocol = Protocol()

    async def tell(self, kind: str, content: dict[str, Any], answer: str) -> None:
        """Send a message to the kernel and wait for its reply."""
        message = self._protocol.msg(kind, content) | {"channel": "shell"}
        await self._socket.write_message(json.dumps(message, default=str))
        while True:
            heard = json.loads(await self._socket.read_message() or "null")
            assert heard, "the page has lost its kernel"
            same = heard["parent_header"].get("msg_id") == message["header"]["msg_id"]
            if same and heard["msg_type"] == answer:
                return

    async def run(self, code: str, until: str = "execute_reply") -> None:
        """Run a cell, to its end or `until` its beginning (`execute_input`)."""
        content = {"code": code, "silent": False, "allow_stdin": True}
        await self.tell("execute_request", content, until)

    async def answer(self, text: str) -> None:
        """Answer a cell that asks for input."""
        message = self._protocol.msg("input_reply", {"value": text}) | {"channel": "stdin"}
        await self._socket.write_message(json.dumps(message, default=str))

    async def poll(self) -> None:
        """Do what a page does by itself."""
        self._socket.ping(b"still there?")
        await self.tell("kernel_info_request", {}, "kernel_info_reply")

    def close(self) -> None:
        """Close the browser."""
        self._socket.close()


async def open_tab(lab: Lab) -> Tab:
    """Open a notebook with a kernel of its own."""
    kernel = (await lab.make("kernels", name="python3"))["id"]
    tab = Tab(kernel, await lab.connect(f"api/kernels/{kernel}/channels"))
    await tab.poll()
    return tab


async def start_kernel(backend: Backend, session: str) -> tuple[str, AsyncKernelClient]:
    """Start a kernel that its Jupyter Server monitors, and return a client connected to the kernel.

    A server misses what its kernel published before the server had subscribed: without another
    message it would report the kernel as `starting` for ever.
    """
    lab = Lab(backend, session)
    name = (await lab.make("kernels", name="python3"))["id"]
    runtime = folder_of(home_of(backend), session).runtime
    client = AsyncKernelClient(connection_file=str(runtime / f"kernel-{name}.json"))
    client.load_connection_file()
    client.start_channels(hb=False)  # a loaded machine is not a dead kernel
    for _ in range(patience()):
        client.kernel_info()
        with suppress(Empty):
            await client.get_iopub_msg(timeout=1)
            if (await lab.ask(f"api/kernels/{name}"))["execution_state"] in ("busy", "idle"):
                return name, client
    raise AssertionError("the kernel does not answer")


# Work. Each begins, and ends with the block.


@asynccontextmanager
async def silent_cell(lab: Lab) -> AsyncIterator[None]:
    """Run a cell that prints nothing, and close the browser."""
    tab = await open_tab(lab)
    await tab.run("import time; time.sleep(600)", until="execute_input")
    tab.close()
    yield
    await lab.ask(f"api/kernels/{tab.kernel}/interrupt", method="POST", body="")


@asynccontextmanager
async def training_in_a_terminal(lab: Lab) -> AsyncIterator[None]:
    """Let a program compute in a terminal without any open page."""
    name = (await lab.make("terminals"))["name"]
    socket = await lab.connect(f"terminals/websocket/{name}")

    async def enter(text: str) -> None:
        await socket.write_message(json.dumps(["stdin", text]))

    await enter("stty -echo; echo rea''dy\r")
    while "ready" not in str(await socket.read_message()):
        pass
    await enter("timeout 600 sh -c 'while :; do :; done'\r")
    try:
        yield
        await enter("\x03")
    finally:
        socket.close()


@asynccontextmanager
async def unreachable(lab: Lab) -> AsyncIterator[None]:
    """Let the server hang, so that its use is unknown."""
    lab.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        lab.signal(signal.SIGCONT)


# What only looks like work.


@asynccontextmanager
async def nothing(lab: Lab) -> AsyncIterator[None]:
    """Do not even start a kernel."""
    assert await lab.ask("api/kernels") == []
    yield


@asynccontextmanager
async def closed_browser(lab: Lab) -> AsyncIterator[None]:
    """Run a cell to its end and go to lunch."""
    tab = await open_tab(lab)
    await tab.run("1")
    tab.close()
    yield


@asynccontextmanager
async def live_widget(lab: Lab) -> AsyncIterator[None]:
    """Leave a page open whose widget moves and whose thread prints."""
    tab = await open_tab(lab)
    await tab.run(THREADS)
    events = await lab.connect("api/events/subscribe")
    try:
        yield
    finally:
        events.close()
        tab.close()
