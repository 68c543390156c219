"""Start ipykernel in a session's own environment, as `python -m ipykernel_launcher` does.

The buffers of unix sockets are small, so that ZeroMQ's limit of 1,000 messages is met while the
server does something else, and what comes after it is dropped, even the end of a cell.
"""  # noqa: INP001 (a program of its own)

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_MOST = 100_000
"""Messages that wait for a client; the end of a longer flood is dropped, memory is not used up."""
_WITHOUT = "--without-debugger"

if sys.path[0] == str(Path(__file__).parent):
    del sys.path[0]  # IPython adds the working folder later
if _WITHOUT in sys.argv:  # as if debugpy were not installed; cells can import it
    sys.argv.remove(_WITHOUT)
    sys.modules["debugpy.server"] = None  # type: ignore[assignment]
    with suppress(ImportError):
        import ipykernel.debugger  # noqa: F401
    del sys.modules["debugpy.server"]

from ipykernel.kernelapp import IPKernelApp  # noqa: E402


class SessionKernelApp(IPKernelApp):
    """The kernel of a session."""

    def init_iopub(self, context: Any) -> None:
        """Bind the socket of outputs."""
        context.sndhwm = _MOST
        super().init_iopub(context)  # type: ignore[no-untyped-call]


SessionKernelApp.launch_instance()
