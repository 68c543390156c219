"""Outputs of a cell that runs elsewhere, shown in this notebook."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from IPython.display import clear_output, publish_display_data

Answer = Callable[[Mapping[str, Any], Sequence[Any]], None]


_COMMS: dict[str, Any] = {}
"""Comms with the page by their ids: one that is forgotten closes, and takes its widget along."""


class NotebookOutputs:
    """The output area of the cell that runs here."""

    def stream(self, name: str, text: str) -> None:
        """Write to `stdout` or `stderr`."""
        file = sys.stderr if name == "stderr" else sys.stdout
        file.write(text)
        file.flush()

    def display(
        self, data: Mapping[str, Any], metadata: Mapping[str, Any], display_id: str, *, update: bool
    ) -> None:
        """Show a MIME bundle, or another one in place of that with a display id."""
        transient = {"display_id": display_id} if display_id else {}
        publish_display_data(  # type: ignore[no-untyped-call]
            data=dict(data), metadata=dict(metadata), transient=transient, update=update
        )

    def clear(self, *, wait: bool) -> None:
        """Remove what was shown; with `wait` once something new is."""
        clear_output(wait)  # type: ignore[no-untyped-call]

    def ask(self, prompt: str, *, password: bool) -> str:
        """Return what the user answers."""
        return getpass.getpass(prompt) if password else input(prompt)

    def comm(
        self, kind: str, content: Mapping[str, Any], buffers: Sequence[Any], answer: Answer
    ) -> None:
        """Pass a message of a comm on to the page: widgets show how far the cell is."""
        name, data = content["comm_id"], content.get("data", {})
        if kind == "comm_open":
            _COMMS[name] = _open(content, buffers, answer)
        elif kind == "comm_msg":
            _COMMS[name].send(data, buffers=[*buffers])
        else:
            _COMMS.pop(name).close(data)


def _open(content: Mapping[str, Any], buffers: Sequence[Any], answer: Answer) -> Any:
    import comm  # noqa: PLC0415 (only kernels have it)

    made = comm.create_comm(
        comm_id=content["comm_id"],
        target_name=content["target_name"],
        data=content.get("data", {}),
        metadata=content["metadata"],
        buffers=[*buffers],
    )
    made.on_msg(lambda said: answer(said["content"]["data"], said.get("buffers", ())))
    return made
