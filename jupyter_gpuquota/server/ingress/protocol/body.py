"""How a request's body is delimited on its way to the session."""

from __future__ import annotations

from dataclasses import dataclass

from tornado.httputil import HTTPHeaders

from ....errors import InvalidRequest

_BREAKS = frozenset("\r\n\0")


@dataclass(frozen=True, slots=True)
class Body:
    """The framing of a body: `size` bytes, or an unknown number (`chunked`)."""

    size: int = 0
    chunked: bool = False

    def __bool__(self) -> bool:
        """Whether there is a body at all."""
        return self.chunked or self.size > 0

    def delimit(self, headers: HTTPHeaders) -> None:
        """Set the headers that delimit the body; a length beside chunks is not trusted."""
        if self.chunked:
            headers.pop("Content-Length", None)
            headers["Transfer-Encoding"] = "chunked"

    def frame(self, part: bytes) -> bytes:
        """Return a part as sent on the wire."""
        return b"%x\r\n%b\r\n" % (len(part), part) if self.chunked else part

    @property
    def end(self) -> bytes:
        """The bytes sent after the last part."""
        return b"0\r\n\r\n" if self.chunked else b""


def body_of(headers: HTTPHeaders) -> Body:
    """Return the framing that a request's headers announce.

    Raises InvalidRequest for a length that the session might parse differently.
    """
    if "chunked" in headers.get("Transfer-Encoding", "").lower():
        return Body(chunked=True)
    length = headers.get("Content-Length", "0")
    if not (length.isascii() and length.isdigit()):
        raise InvalidRequest(f"Content-Length is not a number: {length!r}.")
    return Body(size=int(length))


def head(first: str, headers: HTTPHeaders) -> bytes:
    """Return the head of a message: its first line and its headers.

    Raises InvalidRequest for line breaks, which would allow header injection (RFC 9112, 11.1).
    """
    lines = [first, *(f"{name}: {value}" for name, value in headers.get_all())]
    if any(_BREAKS & set(line) for line in lines):
        raise InvalidRequest("A header contains a line break.")
    return "\r\n".join([*lines, "", ""]).encode("latin1")
