"""A comm with the other kernel's end of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from ...client.variables.pickles import TARGET, program
from ...errors import Unavailable
from .running import CellKernel

_PIECE = 4 << 20
"""Bytes of one message: Jupyter Servers close websockets for messages of more than 10 MiB."""
_PATIENCE = 300.0
"""Seconds for one answer: large variables take time to be pickled."""


class KernelTalk:
    """A comm with the variables of a kernel."""

    piece = _PIECE

    def __init__(self, kernel: CellKernel) -> None:
        self._kernel = kernel
        self._comm = uuid4().hex
        self._open = False
        kernel.do(program('m["serve"](get_ipython())'))

    def send(self, data: dict[str, Any], buffers: Sequence[Any] = ()) -> None:
        """Send one message; the first one opens the comm."""
        content: dict[str, Any] = {"comm_id": self._comm, "data": data}
        if not self._open:
            content["target_name"] = TARGET
        kind = "comm_msg" if self._open else "comm_open"
        self._open = True
        self._kernel.send("shell", kind, content, buffers)

    def receive(self) -> tuple[dict[str, Any], Sequence[Any]]:
        """Return the next message. Raises Unavailable, ChannelsLost."""
        while message := self._kernel.next(_PATIENCE):
            if message.channel != "iopub" or message.kind not in {"comm_msg", "comm_close"}:
                continue
            content = message.read()
            if content["comm_id"] != self._comm:
                continue
            if message.kind == "comm_close":
                break
            return content["data"], message.buffers
        raise Unavailable(
            "The other kernel does not answer for its variables.",
            hint="Another program may use it; interrupt it, or try again.",
        )
