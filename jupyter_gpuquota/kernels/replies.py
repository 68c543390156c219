"""What the relay answers itself while no kernel is attached. Pure."""

from __future__ import annotations

from typing import Any

from .messages import PROTOCOL


def kernel_info(banner: str) -> dict[str, Any]:
    """Return what a kernel for Python says about itself; more is not known of it yet."""
    return {
        "status": "ok",
        "protocol_version": PROTOCOL,
        "implementation": "ipython",
        "implementation_version": "",
        "language_info": {
            "name": "python",
            "version": "",
            "mimetype": "text/x-python",
            "codemirror_mode": {"name": "ipython", "version": 3},
            "pygments_lexer": "ipython3",
            "nbconvert_exporter": "python",
            "file_extension": ".py",
        },
        "banner": banner,
        "help_links": [],
        "supported_features": [],
    }


def empty(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to a request of a type that needs a kernel, and has none to ask.

    `content` is that of the request.
    """
    at = content.get("cursor_pos", 0)
    nothing: dict[str, dict[str, Any]] = {
        "complete_request": {"matches": [], "cursor_start": at, "cursor_end": at, "metadata": {}},
        "inspect_request": {"found": False, "data": {}, "metadata": {}},
        "is_complete_request": {"status": "unknown"},
        "history_request": {"history": []},
        "comm_info_request": {"comms": {}},
        "debug_request": {
            "type": "response",
            "request_seq": content.get("seq", 0),
            "success": False,
            "command": content.get("command", ""),
            "message": "The kernel does not run yet.",
        },
    }
    return {"status": "ok", **nothing.get(kind, {})}


def failed(name: str, text: str) -> dict[str, Any]:
    """Return the content of an error: its name, what happened, and what to do."""
    return {"status": "error", "ename": name, "evalue": text, "traceback": text.split("\n")}
