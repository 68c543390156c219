"""Malformed HTTP responses: the caller gets an error, and other requests are unaffected."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from jupyter_gpuquota.server.ingress.response import LARGE
from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.test_streaming import BLOCK, Program, head_of, listening, visiting
from tests.waiting import patience

OK = "HTTP/1.1 200 OK\r\n"


def saying(answer: str) -> Program:
    """Return a program that answers everything with the same bytes, and waits for more."""

    async def program(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await head_of(reader)
            writer.write(answer.encode("latin1"))
            await writer.drain()

    return program


async def problem(site: Site, start: str = "GET /", body: bytes = b"", **headers: Any) -> Any:
    """Send a request; return the status and the error."""
    if body:
        headers["Content_Length"] = len(body)
    async with visiting(site, start, **headers) as (reader, writer):
        writer.write(body)
        head = await asyncio.wait_for(head_of(reader), patience())
        length = next(
            line for line in head.splitlines() if line.lower().startswith("content-length")
        )
        text = await reader.readexactly(int(length.partition(":")[2]))
        return int(head.split()[1]), text.decode()


BAD = {
    "two lengths": (f"{OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc", "2 and 3"),
    "two in one": (f"{OK}Content-Length: 2, 3\r\n\r\nabc", "2 and 3"),
    "length and chunks": (
        f"{OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "both a length and a transfer encoding",
    ),
    "negative length": (f"{OK}Content-Length: -5\r\n\r\nabc", "'-5'"),
    "no number": (f"{OK}Content-Length: 0x5\r\n\r\nabcde", "'0x5'"),
    "unknown coding": (f"{OK}Transfer-Encoding: gzip\r\n\r\nabc", "'gzip'"),
    "no address": (
        "HTTP/1.1 302 Found\r\nLocation: http://[::x\r\nContent-Length: 0\r\n\r\n",
        "redirected to the invalid URL 'http://[::x'",
    ),
    "switched": (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
        "another protocol",
    ),
    "no HTTP": ("220 mail.example.org ESMTP\r\n\r\n", "other than an HTTP response"),
    "no header": (f"{OK}what is this\r\n\r\n", "other than an HTTP response"),
    "no status": ("HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n", "99"),
    "endless head": (f"{OK}X: {'x' * 70_000}\r\n\r\n", "64 KiB"),
}


@pytest.mark.parametrize(("answer", "said"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("body", [b"", b"hi", BLOCK[:LARGE]], ids=["GET", "POST", "large POST"])
async def test_a_bad_answer_is_reported_with_its_fault(
    site: Site, caplog: pytest.LogCaptureFixture, answer: str, said: str, body: bytes
) -> None:
    async with listening(site, saying(answer)):
        status, text = await problem(site, "POST /" if body else "GET /", body)
        assert status == 502
        told = json.loads(text)
        assert told["code"] == "BadAnswer"
        assert said in told["message"]
        assert "misconfiguration of the program" in told["hint"]
        # The next one is answered as if nothing had been.
        assert (await problem(site))[0] == 502
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_person_gets_a_page(site: Site) -> None:
    answer, said = BAD["negative length"]
    async with listening(site, saying(answer)):
        status, text = await problem(site, Accept="text/html")
    assert status == 502
    assert "<!doctype html>" in text
    assert said.strip("'") in text


async def test_one_length_said_twice_is_one_length(site: Site) -> None:
    async with listening(site, saying(f"{OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok")):
        assert await problem(site) == (200, "ok")


@pytest.mark.parametrize(
    "answer",
    [
        f"{OK}Content-Length: 0\r\n\r\n",
        "220 mail.example.org ESMTP\r\n\r\n",
    ],
)
async def test_a_websocket_that_is_answered_otherwise_is_refused(site: Site, answer: str) -> None:
    request = HTTPRequest(
        site.url("/", port=PORT, scheme="ws"), headers={"Authorization": f"token {site.token}"}
    )
    async with listening(site, saying(answer)):
        with pytest.raises(HTTPClientError, match="502"):
            await websocket_connect(request)


EVIL = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nEVIL!"
EXTRA = {
    "after its length": f"{OK}Content-Length: 2\r\n\r\nok{EVIL}",
    "after 204": f"HTTP/1.1 204 No Content\r\n\r\n{EVIL}",
    "with 204": f"HTTP/1.1 204 No Content\r\nContent-Length: {len(EVIL)}\r\n\r\n{EVIL}",
    "with 304": f"HTTP/1.1 304 Not Modified\r\nContent-Length: {len(EVIL)}\r\n\r\n{EVIL}",
    "to HEAD": f"{OK}Content-Length: {len(EVIL)}\r\n\r\n{EVIL}",
}


class TalkingTooMuch:
    """A program that sends more after its first response, at once or when the test says so."""

    def __init__(self, answer: str, at: int) -> None:
        self._parts = answer[:at].encode(), answer[at:].encode()
        self.go_on = asyncio.Event()
        self.went_on = asyncio.Event()
        self.asked = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = True
        while head := await head_of(reader):
            self.asked += 1
            if "Content-Length: 2" in head:
                await reader.readexactly(2)
            if not (first and self.asked == 1):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nGOOD")
                continue
            writer.write(self._parts[0])
            await self.go_on.wait()
            writer.write(self._parts[1])
            with suppress(ConnectionError):
                await writer.drain()
            self.went_on.set()


@pytest.mark.parametrize("later", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize(("what", "answer"), EXTRA.items(), ids=EXTRA)
async def test_what_one_answer_leaves_over_is_no_answer_to_the_next(
    site: Site,
    what: str,
    answer: str,
    later: bool,  # noqa: FBT001 (a case of the table)
) -> None:
    """A POST above all: it is not asked a second time."""
    program = TalkingTooMuch(answer, answer.index(EVIL) if later else len(answer))
    method = "HEAD" if what == "to HEAD" else "GET"
    async with listening(site, program):
        if not later:
            program.go_on.set()
        async with visiting(site, f"{method} /") as (reader, _):
            await head_of(reader)
        program.go_on.set()
        await program.went_on.wait()
        assert await problem(site, "POST /", b"hi") == (200, "GOOD")
    assert program.asked == 2
