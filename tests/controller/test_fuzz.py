"""Random requests to a controller hosted by https: it always responds in the documented shape."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.model.routes.table import ROUTES
from jupyter_gpuquota.model.struct import Problem
from tests.builders import filled
from tests.controller.process import Process

SECRET = "s3cret-of-somebody"  # noqa: S105 (nobody's)

many = settings(
    max_examples=settings().max_examples // 8,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

# No line may end early: that would be another request.
header_bytes = st.binary(max_size=200).map(lambda sent: sent.translate(None, b"\r\n"))
words = st.sampled_from(
    [
        *(
            f.encode_name
            for row in ROUTES
            if row.request
            for f in msgspec.structs.fields(row.request)
        ),
        "x",
    ]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(words | st.text(max_size=9), inner, max_size=6),
    max_leaves=12,
)
bodies = st.one_of(
    st.binary(max_size=300),
    values.map(lambda value: json.dumps(value).encode()),
    st.dictionaries(words, values, max_size=8).map(lambda value: json.dumps(value).encode()),
)
names = st.text(max_size=30).map(lambda text: quote(text, safe="")) | st.sampled_from(
    ["team-a", "..", "%00", "%ff", "%2e%2e%2f"]
)
# The long poll is left out: it does what it is told, and waits.
rows = st.sampled_from([row for row in ROUTES if row.name != "changes.wait"])
queries = st.one_of(
    st.just(""),
    st.text(max_size=60).map(lambda text: "?" + quote(text, safe="=&;+")),
    st.dictionaries(
        st.sampled_from(
            ["limit", "cursor", "state", "revision", "since", "until", "step", "project"]
        ),
        st.text(max_size=20),
        max_size=4,
    ).map(lambda found: "?" + "&".join(f"{key}={quote(value)}" for key, value in found.items())),
)


class Target:
    """A live controller that receives raw bytes."""

    def __init__(self, process: Process, port: int) -> None:
        self.process = process
        self.port = port

    def send(
        self, line: bytes, authorization: bytes | None, body: bytes = b""
    ) -> tuple[int, bytes]:
        """Return the status and the body of the answer; 400 where it hung up on a malformed one."""
        connection = self.process.connection(self.port)
        connection.connect()
        sent = [line, b"Host: x", b"Connection: close", b"Content-Length: %d" % len(body)]
        if authorization is not None:
            sent.append(b"Authorization: " + authorization)
        try:
            connection.sock.sendall(b"\r\n".join(sent) + b"\r\n\r\n" + body)
            response = HTTPResponse(connection.sock)
            response.begin()
            return response.status, response.read()
        except (HTTPException, ConnectionError, ssl.SSLError):
            return 400, b""
        finally:
            connection.close()

    def check(self, status: int, body: bytes) -> None:
        """Check that a response satisfies what all responses must."""
        assert status != 500, body
        assert b"Traceback" not in body
        assert SECRET.encode() not in body
        for token in self.process.tokens.values():
            assert token.encode() not in body
        if status >= 400 and body:
            problem = msgspec.json.decode(body, type=Problem)
            assert problem.code != "Internal"
            assert problem.message


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Iterator[Target]:
    process = Process(tmp_path_factory.mktemp("fuzzed"))
    with process.running() as port:
        target = Target(process, port)
        yield target
        status, _ = target.send(b"GET /gpuquota/api/about HTTP/1.1", bearer(process.tokens["ana"]))
        assert status == 200
    log = process.log.read_text()
    assert "Traceback" not in log
    for secret in (SECRET, *process.tokens.values()):
        assert secret not in log


def bearer(token: str) -> bytes:
    return b"Bearer " + token.encode()


@many
@given(
    scheme=st.sampled_from([b"", b"Bearer ", b"token ", b"Basic ", b"bearer\t", b"BEARER  "]),
    sent=header_bytes,
)
def test_any_authorization(target, scheme, sent):
    status, body = target.send(
        b"GET /gpuquota/api/sessions HTTP/1.1", scheme + SECRET.encode() + sent
    )
    target.check(status, body)
    assert status in {400, 401, 429}


@many
@given(
    method=st.sampled_from(
        [b"GET", b"POST", b"PUT", b"DELETE", b"PATCH", b"HEAD", b"OPTIONS", b"X"]
    ),
    path=st.text(max_size=60).map(lambda text: quote(text, safe="/%?&=.;:@")),
    below=st.booleans(),
    known=st.booleans(),
)
def test_any_path(target, method, path, below, known):
    line = method + b" /" + (b"gpuquota/api/" if below else b"") + path.encode() + b" HTTP/1.1"
    authorization = bearer(target.process.tokens["ana"]) if known else None
    status, body = target.send(line, authorization)
    target.check(status, body)
    assert known or status in {400, 401, 405}


@many
@given(row=rows, name=names, query=queries, body=bodies, who=st.sampled_from(["ana", "root-admin"]))
def test_any_query_and_body(target, row, name, query, body, who):
    path = filled(row.path, name)
    line = f"{row.method} /gpuquota/api{path}{query} HTTP/1.1".encode()
    target.check(*target.send(line, bearer(target.process.tokens[who]), body))


@many
@given(asked=st.dictionaries(words, values, max_size=6), name=st.sampled_from(["a", "b", "c"]))
def test_any_session_is_made_or_refused_in_words(target, asked, name):
    body: dict[str, Any] = {"name": name, "gpu": 0.25, **asked}
    for who, path in (("ana", "/sessions/preview"), ("ana", "/sessions")):
        line = f"POST /gpuquota/api{path} HTTP/1.1".encode()
        sent = json.dumps(body).encode()
        status, answer = target.send(line, bearer(target.process.tokens[who]), sent)
        target.check(status, answer)
    if status == 201:
        session = json.loads(answer)["id"]
        line = f"POST /gpuquota/api/sessions/{session}/stop HTTP/1.1".encode()
        target.check(*target.send(line, bearer(target.process.tokens["ana"]), b"{}"))
