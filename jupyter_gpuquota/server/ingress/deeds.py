"""Which requests and messages a person caused; pure.

What a page sends by itself while nobody looks at it must not keep a session alive; what cannot be
told counts. That asks for a list: nothing in a request says who caused it.
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
    | PATCH\ /api/sessions/[^/]+            # a page that finds its notebook's session again
    | POST\ /api/contents/.*/checkpoints    # with every save
    | PUT\ /api/collaboration/session/.*    # with every connection
    | POST\ /git/(?:.*/)?(?:status|branch|changed_files|remote/fetch)  # jupyterlab-git polls so
    | POST\ /gpuquota/api/.*preview.*       # our own forms say what would happen
    """,
    re.VERBOSE,
)
_FILE = re.compile(r"/api/contents/(.+)")

_ASKED = frozenset(
    {
        "execute_request",
        "complete_request",
        "inspect_request",
        "input_reply",
        "is_complete_request",
    }
)
"""Types of messages to a kernel that somebody's typing causes: widgets, debuggers and pages that
connect again send others."""

_RESIZED = re.compile(rb'\s*\[\s*"set_size"')
_SYNC, _AWARENESS, _UPDATE = 0, 1, 2
_MOST_PARTS = 4096

Counts = Callable[[bytes | None], bool]
"""Tell from a message's beginning whether a person caused it; None is one that cannot be read."""


class _Header(msgspec.Struct):
    """Be what is read of a message's header."""

    msg_type: str = ""


def caused(method: str, path: str, port: int) -> bool:
    """Tell whether a person caused a request; `path` is below the session's base URL."""
    if method not in _WRITES:
        return False
    return bool(port) or not _AUTOMATIC.fullmatch(f"{method} {path}")


def saved_file(method: str, path: str, port: int) -> str:
    """Return the file that a request saves, by its path in the session; empty for others.

    JupyterLab saves by itself, too: whenever a program has printed into a notebook, and before a
    session is ended.
    """
    found = None if port or method != "PUT" else _FILE.fullmatch(path)
    return unquote(found[1]) if found else ""


def listener(path: str, port: int) -> tuple[int, Counts]:
    """Tell how much of each message of a WebSocket is to be read, and how it is judged."""
    if port:
        return 0, _always
    if re.fullmatch(r"/api/kernels/[^/]+/channels", path):
        return 4096, _to_kernel
    if path.startswith("/terminals/websocket/"):
        return 32, _to_terminal
    if path.startswith("/api/events/"):
        return 0, _never
    if path.startswith("/api/collaboration/room/"):
        return 2, _to_room
    return 0, _always


def message_type(begin: bytes) -> str:
    """Return the type of a message to a kernel; empty if it cannot be told from its beginning.

    There are three forms: `v1.kernel.websocket.jupyter.org`, and an older one as JSON, with binary
    buffers behind it or without.
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
    """Read the version 1 form: a count, that many offsets, then channel, header and the rest."""
    first, last = (int.from_bytes(begin[i : i + 8], "little") for i in (16, 24))
    if not 32 <= first < last <= len(begin):
        return ""
    try:
        return msgspec.json.decode(begin[first:last], type=_Header).msg_type
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def _in_json(begin: bytes) -> str:
    """Read JSON as far as it goes: members of the outermost object, until the header comes."""
    text, read = begin.decode(errors="ignore"), json.JSONDecoder().raw_decode
    at = 1
    try:
        while True:
            name, at = read(text, _past(text, at, ", \t\r\n"))
            value, at = read(text, _past(text, at, ": \t\r\n"))
            if name == "header":
                found = value.get("msg_type") if isinstance(value, dict) else None
                return found if isinstance(found, str) else ""
    except (ValueError, RecursionError):  # it is cut off, or no JSON
        return ""


def _past(text: str, at: int, letters: str) -> int:
    while text[at : at + 1] and text[at] in letters:
        at += 1
    return at


def _to_kernel(begin: bytes | None) -> bool:
    kind = "" if begin is None else message_type(begin)
    return not kind or kind in _ASKED


def _to_terminal(begin: bytes | None) -> bool:
    return begin is None or not _RESIZED.match(begin)


def _to_room(begin: bytes | None) -> bool:
    """Judge what a shared document's page says: that it is there, or that something changed."""
    if not begin or begin[0] not in (_SYNC, _AWARENESS):
        return True
    return begin[0] == _SYNC and begin[1:2] in (b"", bytes([_UPDATE]))


def _always(_begin: bytes | None) -> bool:
    return True


def _never(_begin: bytes | None) -> bool:
    return False
