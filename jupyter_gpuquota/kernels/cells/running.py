"""Run code in a kernel, and show its outputs as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

import msgspec

from ...errors import Unsupported
from .. import waiting
from ..attach import AttachedKernel
from ..channels.port import ChannelsLost, wait
from ..channels.probe import ReadyChannels
from ..follower import Attached
from ..messages import Channel, Message
from .port import Failure, Outputs

_LOOK = 1.0
"""Seconds between two looks at whether an interrupt came, where signals do not end a wait."""


class CellKernel:
    """The channels of a kernel, for cells that run one after another. For one thread.

    `again` attaches the kernel again where the connection broke, or raises why it cannot.
    """

    def __init__(
        self,
        kernel: AttachedKernel,
        channels: ReadyChannels,
        again: Callable[[], Attached] | None = None,
    ) -> None:
        self._kernel = kernel
        self._channels = channels
        self._again = again
        self._session = uuid4().hex

    def send(
        self,
        channel: Channel,
        kind: str,
        content: Mapping[str, Any],
        buffers: Sequence[Any] = (),
        parent: bytes = b"{}",
    ) -> str:
        """Send a message, and return its id."""
        message = Message.new(
            channel, kind, content, session=self._session, parent=parent, buffers=[*buffers]
        )
        self._channels.send(message)
        return message.id

    def next(self, seconds: float) -> Message | None:
        """Return the next message, None if none comes in time. Raises ChannelsLost."""
        return wait(self._channels, seconds)

    def run(self, code: str, outputs: Outputs, *, stdin: bool = True) -> Failure | None:
        """Run a cell and show its outputs; return the exception that ended it.

        It goes on while the connection is broken. An interrupt is passed on, and a second one is
        raised at once. Raises ChannelsLost.
        """
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": stdin,
            "stop_on_error": True,
        }
        request = self.send("shell", "execute_request", content)
        return _Running(self, request, outputs).end()

    def interrupt(self) -> None:
        """Interrupt the cell. Raises NotFound, Unavailable."""
        self._kernel.interrupt()

    def reopen(self) -> bool:
        """Return whether it still runs a cell, over a new connection. Raises ChannelsLost."""
        if self._again is None:
            raise ChannelsLost
        found = self._again()
        self._channels.close()
        self._kernel, self._channels = found.kernel, found.channels
        return found.busy

    def do(self, code: str) -> None:
        """Run code without outputs or history.

        Raises Unsupported if it fails, or if the kernel is not one of Python, and ChannelsLost.
        """
        problem = (
            f"it runs {self._channels.language}" if self._channels.language != "python" else ""
        )
        content = {"code": code, "silent": True, "store_history": False, "allow_stdin": False}
        request = "" if problem else self.send("shell", "execute_request", content)
        while request:
            message = self.next(_LOOK)
            if message and message.kind == "execute_reply" and message.parent_id == request:
                problem, request = message.read().get("evalue", ""), ""
        if problem:
            raise Unsupported(
                f"Variables need a Python kernel there: {problem}.",
                hint="Use an environment with ipykernel.",
            )

    def close(self) -> None:
        """Close the channels; the kernel goes on."""
        self._channels.close()


class _Running:
    """A cell that runs."""

    def __init__(self, kernel: CellKernel, request: str, outputs: Outputs) -> None:
        self._kernel = kernel
        self._request = request
        self._outputs = outputs
        self._failure: Failure | None = None
        self._may_have_ended = False
        self._comms: set[str] = set()
        self._unasked: BaseException | None = None

    def end(self) -> Failure | None:
        """Show outputs until the cell has replied and is idle."""
        missing, interrupted = {"reply", "idle"}, False
        while missing:
            try:
                message = self._kernel.next(_LOOK)
                if message:
                    missing.discard(self._show(message))
                elif self._may_have_ended:
                    return Failure(waiting.UNKNOWN.name, waiting.UNKNOWN.text)
            except ChannelsLost:
                self._may_have_ended = not self._kernel.reopen()
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                self._kernel.interrupt()
        if self._unasked:
            raise self._unasked
        return self._failure

    def _show(self, message: Message) -> str:
        kind = message.kind
        if kind in {"comm_msg", "comm_close"} and message.channel == "iopub":
            self._comm(kind, message)
        if message.parent_id != self._request:
            return ""
        if kind == "status":
            return "idle" if message.read().get("execution_state") == "idle" else ""
        if kind == "execute_reply":
            self._reply(message.read())
            return "reply"
        if message.channel == "stdin":
            self._ask(message)
        elif kind == "comm_open":
            self._comm(kind, message)
        else:
            self._output(kind, message.read())
        return ""

    def _output(self, kind: str, content: dict[str, Any]) -> None:
        if kind == "stream":
            self._outputs.stream(content["name"], content["text"])
        elif kind in {"display_data", "execute_result", "update_display_data"}:
            self._outputs.display(
                content["data"],
                content.get("metadata", {}),
                content.get("transient", {}).get("display_id", ""),
                update=kind == "update_display_data",
            )
        elif kind == "clear_output":
            self._outputs.clear(wait=content.get("wait", False))
        elif kind == "error":
            self._failure = _failure(content)

    def _reply(self, content: dict[str, Any]) -> None:
        if content.get("status") == "error" and self._failure is None:
            self._failure = _failure(content)
        elif content.get("status") == "aborted":
            self._failure = Failure("Aborted", "Another cell failed before this one began.")
        for payload in content.get("payload", ()):
            if payload.get("source") == "page":  # help that `?` asks for
                self._outputs.display(payload["data"], {}, "", update=False)

    def _ask(self, message: Message) -> None:
        """Pass a question on; if nobody can be asked, interrupt the cell that waits for it."""
        if message.kind != "input_request":
            return
        content = message.read()
        try:
            value = self._outputs.ask(content["prompt"], password=content.get("password", False))
        except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 (the front end's: raised below)
            if not isinstance(error, KeyboardInterrupt):
                self._unasked = error
            self._kernel.interrupt()
        else:
            self._kernel.send("stdin", "input_reply", {"value": value}, parent=message.header)

    def _comm(self, kind: str, message: Message) -> None:
        """Pass on what comms of this cell, such as widgets, say."""
        content = message.read()
        comm = content["comm_id"]
        if kind == "comm_open":
            self._comms.add(comm)
        if comm in self._comms:

            def answer(data: Mapping[str, Any], buffers: Sequence[Any]) -> None:
                sent = {"comm_id": comm, "data": data}
                self._kernel.send("shell", "comm_msg", sent, buffers)

            content["metadata"] = msgspec.json.decode(message.metadata)
            self._outputs.comm(kind, content, message.buffers, answer)


def _failure(content: dict[str, Any]) -> Failure:
    lines = cast("list[str]", content.get("traceback", []))
    return Failure(content.get("ename", ""), content.get("evalue", ""), tuple(lines))
