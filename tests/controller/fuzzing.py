"""Random requests, and what every response must satisfy."""

from __future__ import annotations

import json
import socket
import ssl
import string
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from random import Random
from typing import Any
from urllib.parse import quote

import msgspec

from jupyter_gpuquota.api.statuses import STATUSES
from jupyter_gpuquota.hosting.unix import API
from jupyter_gpuquota.model.routes.table import ROUTES, Route
from jupyter_gpuquota.model.struct import Problem
from tests.builders import filled

# The long poll would wait as long as requested.
ROWS = tuple(row for row in ROUTES if row.name != "changes.wait")
MAKING = tuple(row for row in ROWS if row.name in {"sessions.create", "sessions.resume"}) * 3
FIELDS = tuple(
    sorted(
        {
            found.encode_name
            for row in ROUTES
            for kind in (row.request, row.query)
            if kind
            for found in msgspec.structs.fields(kind)
        }
    )
)
DECLARED = {501, 503, 507}
"""Statuses of 500 and above that are correct responses, not faults."""

WORDS = (
    *("", "0", "-1", "010", "0.5", "1e308", "NaN", "1/3", "9" * 30, "1h", "-1h", "8Gi", "9" * 400),
    *("9" * 5000, "1e999999999", "1e-999999999", "٣", "²", "0x10", "1_0", "5%", "33%"),
    *("team-a", "..", "../../etc/passwd", "%00", "%ff", "%2e%2e%2f", "a b", "é", "\u202e", "\x00"),
    *("null", "true", "everyone", "project:team-a", "group:", "running,waiting", "<b>", "'--"),
    *("0001-01-01T00:00:00-23:59", "9999-12-31T23:59:59+23:59", "2026-03-29T02:30:00", "now"),
    *("interactive", "train", "suspend", "user", "1", "sha256:0", "$(id)", "a" * 5000),
)
NUMBERS = (0, -1, 1, 2**31, 2**63, 2**64, 10**30, 0.1, -0.0, 1e308, 5e-324, 65536, 99999999)


@dataclass(frozen=True)
class Sent:
    """A request.

    `whole` is false if its head is malformed, so that closing the connection is a valid response.
    """

    head: bytes
    body: bytes
    whole: bool = True


@dataclass
class Fuzzer:
    """Makes requests by chance; `known` are ids that exist, `tokens` what may be sent as one."""

    chance: Random
    tokens: Sequence[str] = ()
    known: list[str] = field(default_factory=list)

    def request(self) -> Sent:
        """Return the next request."""
        row = self.chance.choice((*ROWS, *MAKING))
        body = b"" if row.method == "GET" and self.chance.random() < 0.9 else self.body(row)
        method = row.method if self.chance.random() < 0.95 else self.chance.choice(ODD_METHODS)
        lines = [f"{method} {API}{self.path(row)}{self.query(row)} HTTP/1.1".encode()]
        known, whole = self.chance.random() < 0.98, self.chance.random() < 0.97
        lines += [b"Host: x", b"Connection: close", *self.headers(known=known)]
        if not whole:
            lines.append(self.chance.randbytes(self.chance.randrange(60)).replace(b"\n", b""))
        lines.append(b"Content-Length: %d" % len(body))
        return Sent(b"\r\n".join(lines) + b"\r\n\r\n", body, whole and known)

    def path(self, row: Route) -> str:
        if self.chance.random() < 0.05:
            return quote(self.text(), safe="/%?&=.;:@")
        name = quote(self.text(), safe="") if self.chance.random() < 0.4 else self.an_id()
        return filled(row.path, name)

    def an_id(self) -> str:
        return self.chance.choice(self.known) if self.known else "nobody"

    def query(self, row: Route) -> str:
        if self.chance.random() < (0.3 if row.query else 0.9):
            return ""
        names = [*self.names_of(row.query), "x", "limit", "_xsrf", "17"]
        safe = self.chance.choice(["", "%&="])
        count = self.chance.randrange(1, 5)
        pairs = (
            f"{self.chance.choice(names)}={quote(self.text(), safe=safe)}" for _ in range(count)
        )
        return "?" + "&".join(pairs)

    def headers(self, *, known: bool) -> Iterator[bytes]:
        if self.tokens:
            token = self.chance.choice(self.tokens) if known else "unknown"
            yield b"Authorization: Bearer " + token.encode()
        if self.chance.random() < 0.2:
            yield b"If-None-Match: " + quote(self.text()).encode()
        if self.chance.random() < 0.1:
            kinds = (b"text/html", b"multipart/form-data", b"application/json; charset=utf-16")
            yield b"Content-Type: " + self.chance.choice(kinds)
        if self.chance.random() < 0.1:
            yield b"X-Forwarded-For: " + quote(self.text()).encode()

    def body(self, row: Route) -> bytes:
        kind = self.chance.random()
        if kind < 0.1:
            return self.chance.randbytes(self.chance.randrange(300))
        if kind < 0.12:
            return b"[" * 20_000
        if kind < 0.14:
            return b'{"name": "' + b"x" * 1_100_000 + b'"}'
        asked = self.plausible(row) if kind < 0.6 else {}
        for _ in range(self.chance.randrange(4)):
            names = (*self.names_of(row.request), *FIELDS[:3], self.text())
            asked[self.chance.choice(names)] = self.value(3)
        return json.dumps(asked).encode()

    def plausible(self, row: Route) -> dict[str, Any]:
        """Return a nearly valid body, to reach the code after decoding."""
        name = "".join(self.chance.choices(string.ascii_lowercase, k=6))
        return {
            "sessions.create": {"name": name, "gpu": 0.01, "project": "team-a"},
            "sessions.preview": {"name": name, "gpu": self.chance.choice(NUMBERS)},
            "sessions.resize": {"gpu": self.chance.choice(["0.2", "1", 2])},
            "sessions.exec": {"command": ["true"]},
            "sessions.exec_stream": {"command": ["true"]},
            "projects.put": {"quota": self.chance.choice(NUMBERS)},
        }.get(row.name, {})

    def names_of(self, kind: Any) -> list[str]:
        return [each.encode_name for each in msgspec.structs.fields(kind)] if kind else []

    def text(self) -> str:
        if self.chance.random() < 0.7:
            return self.chance.choice(WORDS)
        letters = string.printable + "äß漢\u0000\u200b\U0001f600"
        return "".join(self.chance.choices(letters, k=self.chance.randrange(20)))

    def value(self, depth: int) -> Any:
        kind = self.chance.randrange(7 if depth else 5)
        if kind == 0:
            return self.chance.choice((None, True, False))
        if kind == 1:
            return self.chance.choice(NUMBERS)
        if kind < 5:
            return self.text()
        count = range(self.chance.randrange(4))
        if kind == 5:
            return [self.value(depth - 1) for _ in count]
        return {self.chance.choice((*FIELDS, "x")): self.value(depth - 1) for _ in count}


ODD_METHODS = ("HEAD", "OPTIONS", "PATCH", "TRACE", "X", "get", "DELETE", "PUT")


def exchange(connection: socket.socket, sent: Sent) -> tuple[int, bytes]:
    """Return status and body of the response; 0 if the connection was closed."""
    try:
        with suppress(ConnectionError, ssl.SSLError):  # refused before all of it was read
            connection.sendall(sent.head + sent.body)
        response = HTTPResponse(connection, method=sent.head.split()[0].decode())
        response.begin()
        return response.status, response.read()
    except (HTTPException, ConnectionError, ssl.SSLError):
        return 0, b""
    finally:
        connection.close()


def check(sent: Sent, status: int, body: bytes, secrets: Sequence[str]) -> None:
    """Check that a response satisfies what all responses must."""
    about = (sent.head, sent.body[:500], status, body[:2000])
    assert status or not sent.whole, about
    assert status < 500 or status in DECLARED, about
    assert not any(secret.encode() in body for secret in secrets), about
    if status >= 400 and body:
        problem = msgspec.json.decode(body, type=Problem)
        assert problem.message, about
        assert problem.code != "Internal", about
        assert status in {*STATUSES.values(), 405, 413}, about
    elif body:
        for line in body.splitlines():
            msgspec.json.decode(line)
