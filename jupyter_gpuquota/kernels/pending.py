"""Requests that clients wait for."""

from __future__ import annotations

from .front import Front
from .messages import Message
from .replies import failed
from .waiting import Failure, as_display

_RUN = "execute_request"


class Pending:
    """Requests that have no reply yet, in their order; to those of a cell belong its outputs."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._requests: dict[str, Message] = {}

    def add(self, request: Message) -> None:
        """Add a request that was given to the kernel."""
        self._requests[request.id] = request

    def answered(self, parent_id: str) -> None:
        """Forget a request: its reply is on the way."""
        self._requests.pop(parent_id, None)

    def end(self, failure: Failure) -> None:
        """End all: the first cell with an error, those behind it as aborted ones."""
        told = False
        for request in self._requests.values():
            if request.kind != _RUN or told:
                self._front.reply(request, {"status": "aborted"})
            else:
                told = True
                fail(self._front, request, failure)
            self._front.status("idle", request)
        self._requests.clear()


class Held:
    """Cells that wait for a kernel; the output area of the first one shows why."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._requests: list[Message] = []
        self._shown = ""

    def add(self, request: Message) -> None:
        """Hold a cell."""
        self._requests.append(request)
        self._front.status("busy", request)

    def show(self, text: str) -> None:
        """Show what they wait for, in one output that is updated."""
        if not self._requests or text == self._shown:
            return
        first = self._requests[0]
        kind = "update_display_data" if self._shown else "display_data"
        self._shown = text
        about = {"display_id": f"gpuquota-{first.id}"}
        content = {"data": as_display(text), "metadata": {}, "transient": about}
        self._front.publish(kind, content, first)

    def release(self) -> list[Message]:
        """Return the cells for the kernel that is there now, and hide what was shown."""
        self._hide()
        found, self._requests = self._requests, []
        return found

    def end(self, failure: Failure) -> None:
        """End all: the first with an error, those behind it as aborted ones."""
        self._hide()
        pending = Pending(self._front)
        for request in self._requests:
            pending.add(request)
        self._requests = []
        pending.end(failure)

    def _hide(self) -> None:
        if self._shown:
            self._front.publish("clear_output", {"wait": False}, self._requests[0])
            self._shown = ""


def fail(front: Front, request: Message, failure: Failure) -> None:
    """End a cell with an error; its output so far stays."""
    content = failed(failure.name, failure.text)
    shown = {name: content[name] for name in ("ename", "evalue", "traceback")}
    front.publish("error", shown, request)
    front.reply(request, {**content, "execution_count": 0, "payload": [], "user_expressions": {}})
