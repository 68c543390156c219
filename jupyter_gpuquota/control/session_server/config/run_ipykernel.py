"""Start ipykernel in a session's own environment, as `python -m ipykernel_launcher` does.

The buffers of unix sockets are small, so that ZeroMQ's limit of 1,000 messages is met while the
server does something else, and what comes after it is dropped, even the end of a cell.
"""  # noqa: INP001 (a program of its own)

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_MOST = 100_000
"""Messages that wait for a client; the end of a longer flood is dropped, memory is not used up."""
_LINGER = 3000
"""Milliseconds in which a forked process that has ended sends what it printed."""
_WITHOUT = "--without-debugger"

if sys.path[0] == str(Path(__file__).parent):
    del sys.path[0]  # IPython adds the working folder later
if _WITHOUT in sys.argv:  # as if debugpy were not installed; cells can import it
    sys.argv.remove(_WITHOUT)
    sys.modules["debugpy.server"] = None  # type: ignore[assignment]
    with suppress(ImportError):
        import ipykernel.debugger  # noqa: F401
    del sys.modules["debugpy.server"]

import zmq  # noqa: E402
from ipykernel import kernelapp  # noqa: E402
from ipykernel.iostream import IOPubThread  # noqa: E402
from ipykernel.kernelapp import IPKernelApp  # noqa: E402
from zmq.eventloop.zmqstream import ZMQStream  # noqa: E402


class Outputs(IOPubThread):
    """Publishes outputs; those of forked processes arrive at a unix socket beside its own.

    ipykernel has a port of loopback for them, which every account of the machine reaches.
    """

    _for_forks = ""
    """The address of that socket, empty for a port."""

    def _setup_pipe_in(self) -> None:
        own = self.socket.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").decode()
        if not own.startswith("ipc:"):
            super()._setup_pipe_in()  # type: ignore[no-untyped-call]
            return
        self._for_forks = own.rpartition("-")[0] + "-f"
        self._pipe_uuid = os.urandom(16)
        pipe = self.socket.context.socket(zmq.PULL)
        pipe.linger = 0
        pipe.bind(self._for_forks)
        self._pipe_in = ZMQStream(pipe, self.io_loop)
        self._pipe_in.on_recv(self._handle_pipe_msg)

    def _setup_pipe_out(self) -> tuple[Any, Any]:
        if not self._for_forks:
            return super()._setup_pipe_out()  # type: ignore[no-untyped-call,no-any-return]
        context = zmq.Context()  # that of before the fork cannot be used
        pipe = context.socket(zmq.PUSH)
        pipe.linger = _LINGER
        pipe.connect(self._for_forks)
        return context, pipe


class SessionKernelApp(IPKernelApp):
    """The kernel of a session."""

    def init_iopub(self, context: Any) -> None:
        """Bind the socket of outputs."""
        context.sndhwm = _MOST
        kernelapp.IOPubThread = Outputs  # type: ignore[attr-defined]
        super().init_iopub(context)  # type: ignore[no-untyped-call]


SessionKernelApp.launch_instance()
