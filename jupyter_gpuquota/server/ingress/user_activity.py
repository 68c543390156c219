"""Which requests and messages are a user's activity.

What an unattended page sends automatically must not keep a session alive; unknown requests count as
activity. This takes a list, as requests do not say what caused them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import unquote

import msgspec

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_AUTOMATIC = re.compile(
    r"""
      (?:PUT|DELETE)\ /lab/api/(?:workspaces|settings)(?:/.*)?
    | [A-Z]+\ /api/metrics.*
    | POST\ /api/events.*
    | PATCH\ /api/sessions/[^/]+            # a page reconnects to its notebook's session
    | POST\ /api/contents/.*/checkpoints    # with every save
    | PUT\ /api/collaboration/session/.*    # with every connection
    | POST\ /git/(?:.*/)?(?:status|branch|changed_files|remote/fetch)  # polls of jupyterlab-git
    | POST\ /gpuquota/api/.*preview.*       # live previews of our forms
    | PUT\ /gpuquota/api/sessions/[^/]+/pages/.*  # heartbeat of a page
    """,
    re.VERBOSE,
)
_FILE = re.compile(r"/api/contents/(.+)")
_CHANNELS = re.compile(r"/api/kernels/([^/]+)/channels")

_USER_MESSAGES = frozenset(
    {
        "execute_request",
        "complete_request",
        "inspect_request",
        "input_reply",
        "is_complete_request",
    }
)
"""Types of messages to a kernel that typing causes; widgets, debuggers and reconnecting pages send
others."""

_RESIZED = re.compile(rb'\s*\[\s*"set_size"')
_SYNC, _AWARENESS, _UPDATE = 0, 1, 2
_MOST_PARTS = 4096

IsActivity = Callable[[bytes | None], bool]
"""Judges the beginning of a message; None is a message that cannot be read."""


class _Header(msgspec.Struct):
    """The relevant part of a message's header."""

    msg_type: str = ""


def is_user_activity(method: str, path: str, port: int) -> bool:
    """Return whether a request is a user's activity; `path` is below the session's base URL."""
    if method not in _WRITES:
        return False
    return bool(port) or not _AUTOMATIC.fullmatch(f"{method} {path}")


def saved_file(method: str, path: str, port: int) -> str:
    """Return the path of the file that a request saves; empty for other requests.

    JupyterLab also saves automatically: when a program has printed into a notebook, and before a
    session ends.
    """
    found = None if port or method != "PUT" else _FILE.fullmatch(path)
    return unquote(found[1]) if found else ""


def activity_filter(path: str, port: int) -> tuple[int, IsActivity]:
    """Return how many bytes of a WebSocket's messages to read, and how to judge them."""
    if port:
        return 0, _always
    if kernel_of(path, port):
        return 4096, _to_kernel
    if path.startswith("/terminals/websocket/"):
        return 32, _to_terminal
    if path.startswith("/api/events/"):
        return 0, _never
    if path.startswith("/api/collaboration/room/"):
        return 2, _to_room
    return 0, _always


def kernel_of(path: str, port: int) -> str:
    """Return the kernel id of a WebSocket to kernel channels; empty for other WebSockets."""
    found = None if port else _CHANNELS.fullmatch(path)
    return found[1] if found else ""


def message_type(begin: bytes) -> str:
    """Return the type of a message to a kernel; empty if its beginning does not show it.

    There are three formats: `v1.kernel.websocket.jupyter.org`, and the older JSON one with or
    without binary buffers behind it.
    """
    if begin[:1] == b"{":
        return _in_json(begin)
    parts = int.from_bytes(begin[:8], "little")
    if 0 < parts < _MOST_PARTS:
        return _in_parts(begin)
    buffers = int.from_bytes(begin[:4], "big")
    if 0 < buffers < _MOST_PARTS:
        return _in_json(begin[int.from_bytes(begin[4:8], "big") :])
    return ""


def _in_parts(begin: bytes) -> str:
    """Read the version 1 format: a count, that many offsets, then channel, header and the rest."""
    first, last = (int.from_bytes(begin[i : i + 8], "little") for i in (16, 24))
    if not 32 <= first < last <= len(begin):
        return ""
    try:
        return msgspec.json.decode(begin[first:last], type=_Header).msg_type
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def _in_json(begin: bytes) -> str:
    """Read truncated JSON: the members of the outermost object up to the header."""
    text, read = begin.decode(errors="ignore"), json.JSONDecoder().raw_decode
    at = 1
    try:
        while True:
            name, at = read(text, _past(text, at, ", \t\r\n"))
            value, at = read(text, _past(text, at, ": \t\r\n"))
            if name == "header":
                found = value.get("msg_type") if isinstance(value, dict) else None
                return found if isinstance(found, str) else ""
    except (ValueError, RecursionError):  # truncated or invalid
        return ""


def _past(text: str, at: int, letters: str) -> int:
    while text[at : at + 1] and text[at] in letters:
        at += 1
    return at


def _to_kernel(begin: bytes | None) -> bool:
    kind = "" if begin is None else message_type(begin)
    return not kind or kind in _USER_MESSAGES


def _to_terminal(begin: bytes | None) -> bool:
    return begin is None or not _RESIZED.match(begin)


def _to_room(begin: bytes | None) -> bool:
    """Judge a message of collaborative editing: presence, or a change."""
    if not begin or begin[0] not in (_SYNC, _AWARENESS):
        return True
    return begin[0] == _SYNC and begin[1:2] in (b"", bytes([_UPDATE]))


def _always(_begin: bytes | None) -> bool:
    return True


def _never(_begin: bytes | None) -> bool:
    return False
