"""Kernel messages, as JupyterLab and Jupyter Server exchange them over WebSockets."""

from __future__ import annotations

import json
from typing import Any

from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1


def header(kind: str, number: str, client: str) -> dict[str, str]:
    date = "2026-01-01T00:00:00Z"
    return {
        "msg_id": number,
        "msg_type": kind,
        "session": client,
        "username": "",
        "date": date,
        "version": "5.3",
    }


def message(
    kind: str,
    content: dict[str, Any],
    *,
    number: str = "m",
    channel: str = "iopub",
    parent: str = "",
    client: str = "kernel",
    metadata: dict[str, Any] | None = None,
) -> bytes:
    """Return a message of the form v1.kernel.websocket.jupyter.org."""
    parts = {
        "header": header(kind, number, client),
        "parent_header": header("execute_request", parent, "page") if parent else {},
        "metadata": metadata or {},
        "content": content,
    }
    return bytes(serialize_msg_to_ws_v1(parts, channel, lambda part: json.dumps(part).encode()))


def execute(number: str, client: str, cell: str = "cell-1", code: str = "run()") -> bytes:
    """Return what a page sends to have a cell run."""
    content = {"code": code, "silent": False}
    metadata = {"cellId": cell, "deletedCells": []}
    return message(
        "execute_request", content, number=number, channel="shell", client=client, metadata=metadata
    )


def stream(text: str, parent: str, number: str = "m") -> bytes:
    return message("stream", {"name": "stdout", "text": text}, parent=parent, number=number)


def status(state: str, parent: str = "") -> bytes:
    return message("status", {"execution_state": state}, parent=parent)
