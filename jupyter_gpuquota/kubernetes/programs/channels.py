"""The protocol of programs in pods: channels of one WebSocket.

https://kubernetes.io/docs/reference/using-api/websockets/ Every message begins with the number of
its channel. The last one is on the error channel: a `Status` with how the program ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
"""Version 5, which can end a program's input, came with Kubernetes 1.30."""

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255

NOT_FOUND, NOT_ALLOWED = 127, 126
"""The exit codes of shells for a program that is missing, or cannot be run."""

_PREFIX = re.compile(
    r"^(?:Internal error occurred: |error executing command in container: )+", re.IGNORECASE
)
_CODE = re.compile(r"exit (?:status|code) (\d{1,3})\b")
_MISSING = re.compile(r"executable file not found|no such file or directory", re.IGNORECASE)
_REFUSED = re.compile(r"permission denied|exec format error|is a directory", re.IGNORECASE)


class _Cause(msgspec.Struct, frozen=True):
    reason: str = ""
    message: str = ""


class _Details(msgspec.Struct, frozen=True):
    causes: tuple[_Cause, ...] = ()


class _Status(msgspec.Struct, frozen=True):
    status: str = ""
    message: str = ""
    details: _Details | None = None


@dataclass(frozen=True, slots=True)
class End:
    """How a program ended: its exit code, None if it could not be run as far as is known.

    `message` is what the runtime says instead of running it, or running it to its end.
    """

    code: int | None
    message: str = ""


def end_of(status: bytes) -> End:
    """Return how a program ended by the message of the error channel."""
    try:
        found = msgspec.json.decode(status, type=_Status)
    except msgspec.MsgspecError:
        return _by_words(status.decode(errors="replace"))
    if found.status == "Success":
        return End(0)
    causes = found.details.causes if found.details else ()
    for cause in causes:
        if cause.reason == "ExitCode" and cause.message.isdecimal():
            return End(int(cause.message))
    return _by_words(found.message)


def resized(columns: int, rows: int) -> bytes:
    """Return the message with the size of a terminal."""
    size: Mapping[str, int] = {"Width": columns, "Height": rows}
    return bytes([RESIZE]) + msgspec.json.encode(size)


def _by_words(text: str) -> End:
    """Return an end by the runtime's words: not every runtime reports the code as such."""
    text = _PREFIX.sub("", text)
    if found := _CODE.search(text):
        return End(int(found[1]))
    if _MISSING.search(text):
        return End(NOT_FOUND, text)
    return End(NOT_ALLOWED if _REFUSED.search(text) else None, text)
