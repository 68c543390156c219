"""Validation of response heads, against response splitting and smuggling."""

from __future__ import annotations

from tornado.httputil import HTTPHeaders, ResponseStartLine

from ....errors import BadAnswer

_SWITCHED = 101

NOT_HTTP = "sent something other than an HTTP response"
TOO_LONG = "sent response headers longer than 64 KiB"


def bad_answer(fault: str) -> BadAnswer:
    """Return the error for a faulty program; `fault` completes "The program …"."""
    return BadAnswer(
        f"The program at this address {fault}.",
        hint="This is a bug or misconfiguration of the program; check its log.",
    )


def check_head(start: ResponseStartLine, headers: HTTPHeaders) -> None:
    """Raise BadAnswer for a final response head that could be parsed in two ways."""
    if start.code == _SWITCHED:
        raise bad_answer("switched to another protocol without a request")
    if start.code < 200:
        raise bad_answer(f"responded with the invalid status {start.code}")
    _check_lengths(headers)
    coding = headers.get("Transfer-Encoding", "chunked")
    if coding.lower() != "chunked":
        raise bad_answer(f"used the unsupported transfer encoding {coding!r}")


def announces_body(headers: HTTPHeaders) -> bool:
    """Return whether headers announce a body."""
    return "Transfer-Encoding" in headers or headers.get("Content-Length", "0") != "0"


def _check_lengths(headers: HTTPHeaders) -> None:
    """Normalise to at most one numeric Content-Length. Raises BadAnswer."""
    if "Content-Length" not in headers:
        return
    lengths = list(dict.fromkeys(part.strip() for part in headers["Content-Length"].split(",")))
    if len(lengths) > 1:
        raise bad_answer(f"sent a response with several lengths: {' and '.join(lengths)}")
    if not (lengths[0].isascii() and lengths[0].isdigit()):
        raise bad_answer(f"sent a response with an invalid length: {lengths[0]!r}")
    if "Transfer-Encoding" in headers:
        raise bad_answer("sent a response with both a length and a transfer encoding")
    headers["Content-Length"] = lengths[0]
