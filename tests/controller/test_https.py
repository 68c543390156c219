"""The controller for many users: TLS, tokens, limits."""

from __future__ import annotations

import asyncio
import logging
import re
import ssl

import msgspec
import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.api.handlers import BODY_LIMIT
from jupyter_gpuquota.controller.authentication import AttemptLimit
from jupyter_gpuquota.controller.connections import Most
from jupyter_gpuquota.controller.https_mount import Limits, check, parse_address
from jupyter_gpuquota.controller.tls import Certificate
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import Unsupported
from jupyter_gpuquota.model.routes.table import ROUTES
from tests.builders import filled
from tests.controller.hosted import Files, Hosted, hosted, problem
from tests.waiting import patience

pytestmark = pytest.mark.asyncio

SESSION = {"name": "exp-1", "project": "team-a", "gpu": 0.5, "env": {"KEY": "value"}}


async def test_whoever_sends_a_token_is_known_by_it(tmp_path):
    async with hosted(tmp_path) as controller:
        for token, name in (("ana-token", "ana"), ("li-token", "li")):
            about = msgspec.json.decode((await controller.api("GET", "/about", token)).body)
            assert about["user"] == name


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "token", "Token"])
async def test_both_schemes_count(tmp_path, scheme):
    async with hosted(tmp_path) as controller:
        headers = {"Authorization": f"{scheme} ana-token"}
        assert (await controller.ask("GET", "/gpuquota/api/about", headers=headers)).code == 200


@pytest.mark.parametrize("path", ["/gpuquota/api/about", "/gpuquota/api/none", "/", "/gpuquota/x"])
async def test_nobody_is_answered_without_a_token(tmp_path, path):
    async with hosted(tmp_path) as controller:
        response = await controller.ask("GET", path)
        assert problem(response) == (401, "NotAuthenticated")
        assert response.headers["WWW-Authenticate"].startswith("Bearer ")
        assert "Server" not in response.headers


@pytest.mark.parametrize(
    "header", ["ana-token", "Basic ana-token", "Bearer", "Bearer  ", "Bearer a b", "Bearer é", ""]
)
async def test_a_header_that_cannot_be_read_is_refused_unread(tmp_path, header):
    async with hosted(tmp_path) as controller:
        response = await controller.ask(
            "GET", "/gpuquota/api/about", headers={"Authorization": header}
        )
        assert problem(response) == (401, "NotAuthenticated")
        assert controller.known.asked == []
        assert b"ana-token" not in response.body


async def test_two_headers_are_refused(tmp_path):
    async with hosted(tmp_path) as controller:
        reader, writer = await controller.open()
        head = "GET /gpuquota/api/about HTTP/1.1\r\nHost: x\r\n"
        tokens = "Authorization: Bearer ana-token\r\nAuthorization: Bearer li-token\r\n"
        writer.write(f"{head}{tokens}\r\n".encode())
        assert b" 401 " in await reader.readline()
        writer.close()


async def test_a_stranger_is_not_told_what_was_wrong_with_the_token(tmp_path):
    async with hosted(tmp_path) as controller:
        response = await controller.api("GET", "/about", "somebody-elses-token")
        assert problem(response) == (401, "NotAuthenticated")
        assert b"somebody-elses-token" not in response.body


async def test_where_nobody_can_tell_the_answer_is_503(tmp_path):
    async with hosted(tmp_path) as controller:
        controller.known.away = True
        assert problem(await controller.api("GET", "/about", "ana-token")) == (503, "Unavailable")


async def test_every_route_is_there_but_nobody_makes_it_leave(tmp_path):
    async with hosted(tmp_path) as controller:
        for row in ROUTES:
            path = filled(row.path)
            query = "?timeout=0" if row.name == "changes.wait" else ""
            response = await controller.api(row.method, path + query, "ana-token", b"")
            nowhere = b"This address does not exist" in response.body
            assert not nowhere, row.name
        retire = await controller.ask("POST", "/gpuquota/retire", "admin-token", b"{}")
        assert problem(retire) == (404, "NotFound")


async def test_the_interface_describes_itself(tmp_path):
    async with hosted(tmp_path) as controller:
        found = await controller.ask("GET", "/gpuquota/api/openapi.json")
        assert problem(found) == (401, "NotAuthenticated")
        found = await controller.api("GET", "/openapi.json", "ana-token")
        described = msgspec.json.decode(found.body)
        assert described["servers"] == [{"url": "/gpuquota/api"}]
        assert "/sessions/{id}" in described["paths"]


async def test_rights_are_those_of_the_tokens_owner(tmp_path):
    async with hosted(tmp_path) as controller:
        made = await controller.api("POST", "/sessions", "ana-token", SESSION)
        assert made.code == 201, made.body
        session = msgspec.json.decode(made.body)
        path = f"/sessions/{session['id']}"
        assert session["owner"] == "ana"
        assert (await controller.api("GET", path, "li-token")).code == 200
        assert problem(await controller.api("POST", f"{path}/stop", "li-token", b"{}")) == (
            403,
            "NotAllowed",
        )
        assert problem(await controller.api("GET", path, "bo-token")) == (404, "NotFound")
        assert (await controller.api("POST", f"{path}/stop", "admin-token", b"{}")).code == 200


@pytest.mark.parametrize("known", ["socket", "session"])
async def test_no_authenticator_makes_a_caller_the_controllers_own_account(tmp_path, known):
    async with hosted(tmp_path) as controller:
        stranger = Caller("root", known=known, session="s1", inside="s1")
        controller.known.tokens = {"odd-token": stranger}
        refused = await controller.api("PUT", "/rules", "odd-token", {"revision": "1"})
        assert problem(refused) == (403, "NotAllowed")
        assert b"not an administrator" in refused.body


async def test_a_sessions_token_sees_that_session_only(tmp_path):
    async with hosted(tmp_path) as controller:
        for name in ("exp-1", "exp-2"):
            await controller.api("POST", "/sessions", "ana-token", {**SESSION, "name": name})
        mine, other = controller.backend.sessions.all()
        token = controller.backend.access.token_of(mine)
        assert controller.known.asked.count(token) == 0
        listed = msgspec.json.decode((await controller.api("GET", "/sessions", token)).body)
        assert [item["id"] for item in listed["items"]] == [mine.id]
        assert (await controller.api("GET", f"/sessions/{mine.id}", token)).code == 200
        found = await controller.api("GET", f"/sessions/{other.id}", token)
        assert problem(found) == (404, "NotFound")
        for method, path, body in (
            ("POST", "/sessions", SESSION),
            ("DELETE", f"/sessions/{mine.id}", None),
            ("PUT", "/rules", {"revision": "1"}),
        ):
            refused = await controller.api(method, path, token, body)
            assert problem(refused) == (403, "NotAllowed"), path
        assert token not in controller.known.asked
        assert (await controller.api("POST", f"/sessions/{mine.id}/stop", token, b"{}")).code == 200


async def test_a_sessions_programs_act_for_its_owner_but_never_as_an_administrator(tmp_path):
    async with hosted(tmp_path) as controller:
        await controller.api("POST", "/sessions", "root-admin-token", SESSION)
        await controller.api("POST", "/sessions", "admin-token", SESSION)
        [mine] = controller.backend.sessions.all()
        token = f"owner:{controller.backend.access.token_of(mine)}"
        launched = await controller.api(
            "POST", "/sessions", token, {**SESSION, "project": "team-b"}
        )
        assert (launched.code, problem(launched)) == (422, (422, "InvalidFields"))
        assert msgspec.json.decode((await controller.api("GET", "/about", token)).body)["user"] == (
            "root-admin"
        )
        refused = await controller.api("PUT", "/rules", token, {"revision": "1"})
        assert problem(refused) == (403, "NotAllowed")
        assert b"may not act as an administrator" in refused.body
        for wrong in ("owner:", f"owner:{token}", f"{token}x", f"x{token}"):
            assert problem(await controller.api("GET", "/about", wrong)) == (
                401,
                "NotAuthenticated",
            )
        assert token not in controller.known.asked


async def test_the_token_of_a_session_that_has_ended_is_nobodys(tmp_path):
    async with hosted(tmp_path) as controller:
        await controller.api("POST", "/sessions", "ana-token", SESSION)
        [session] = controller.backend.sessions.all()
        token = controller.backend.access.token_of(session)
        await controller.api("POST", f"/sessions/{session.id}/stop", "ana-token", b"{}")
        response = await controller.api("GET", f"/sessions/{session.id}", token)
        assert problem(response) == (401, "NotAuthenticated")


async def test_guessing_is_slowed_down_and_known_tokens_are_not(tmp_path):
    attempts = AttemptLimit(burst=3, per_second=0.001)
    async with hosted(tmp_path, attempts=attempts) as controller:
        assert (await controller.api("GET", "/about", "ana-token")).code == 200
        statuses = [(await controller.api("GET", "/about", f"guess-{n}")).code for n in range(5)]
        assert statuses == [401, 401, 401, 429, 429]
        response = await controller.api("GET", "/about", "guess")
        assert problem(response) == (429, "TooManyAttempts")
        assert int(response.headers["Retry-After"]) >= 1
        assert len(controller.known.asked) == 4
        assert (await controller.api("GET", "/about", "ana-token")).code == 200
        assert (await controller.api("GET", "/about", "li-token")).code == 429


async def test_a_known_token_that_is_revoked_is_an_attempt_like_others(tmp_path):
    async with hosted(tmp_path, attempts=AttemptLimit(burst=1, per_second=0.001)) as controller:
        assert (await controller.api("GET", "/about", "ana-token")).code == 200
        controller.known.tokens.clear()
        statuses = [(await controller.api("GET", "/about", "ana-token")).code for _ in range(3)]
        assert statuses == [401, 401, 429]


@pytest.mark.parametrize("size", [BODY_LIMIT + 1, 8 * BODY_LIMIT])
async def test_a_large_body_is_refused_in_words(tmp_path, size):
    async with hosted(tmp_path) as controller:
        response = await controller.api("POST", "/sessions", "ana-token", b" " * size)
        assert problem(response) == (413, "InvalidRequest")


async def test_a_body_without_end_is_cut_off(tmp_path):
    limits = Limits(bodies=2 * BODY_LIMIT)
    async with hosted(tmp_path, limits=limits) as controller:
        _, writer = await controller.open()
        head = "POST /gpuquota/api/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
        writer.write(f"{head}Authorization: Bearer ana-token\r\n\r\n".encode())
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        with pytest.raises((ConnectionError, ssl.SSLError)):
            await pour(writer, chunk, 64)
        writer.close()
        assert (await controller.api("GET", "/about", "ana-token")).code == 200


async def test_headers_without_end_are_cut_off(tmp_path):
    async with hosted(tmp_path) as controller:
        _, writer = await controller.open()
        head = b"GET / HTTP/1.1\r\nHost: x\r\nX: "
        with pytest.raises((ConnectionError, ssl.SSLError)):
            await pour(writer, head + b"x" * 0x100000, 64)
        writer.close()


@pytest.mark.parametrize("size", [Limits().headers, 4 * Limits().headers, 250_000])
async def test_headers_that_are_too_large_are_refused_in_words(tmp_path, size):
    async with hosted(tmp_path) as controller:
        response = await controller.ask("GET", "/", "ana-token", headers={"X": "x" * size})
        assert problem(response) == (431, "InvalidRequest")
        assert response.headers["Connection"] == "close"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /gpuquota/api/about HTTP/1.1\r\nHost:",
        b"POST /gpuquota/api/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
        b"Authorization: Bearer ana-token\r\n\r\n{",
    ],
)
async def test_a_slow_client_is_dropped(tmp_path, sent):
    async with hosted(tmp_path, limits=Limits(idle=0.2, body=0.2)) as controller:
        reader, writer = await controller.open()
        writer.write(sent)
        assert await ended(reader) == b""
        writer.close()


async def test_a_client_that_does_not_even_begin_tls_is_dropped(tmp_path):
    async with hosted(tmp_path, limits=Limits(idle=0.2)) as controller:
        reader, writer = await asyncio.open_connection("127.0.0.1", controller.port)
        assert await ended(reader) == b""
        writer.close()


@pytest.mark.parametrize("most", [Most(connections=2), Most(strangers=2)])
async def test_idle_strangers_lock_nobody_out(tmp_path, most):
    async with hosted(tmp_path, limits=Limits(most=most)) as controller:
        idle = [await controller.open() for _ in range(2)]
        assert (await controller.api("GET", "/about", "ana-token")).code == 200
        [first, *_] = idle
        assert await ended(first[0]) == b""
        for _, writer in idle:
            writer.close()


async def test_nobody_with_a_token_is_hung_up_on_for_others(tmp_path):
    async with hosted(tmp_path, limits=Limits(most=Most(connections=2))) as controller:
        kept = [await controller.open() for _ in range(2)]
        for pair in kept:
            assert await answered(*pair, "ana-token") == b"HTTP/1.1 200 OK\r\n"
        with pytest.raises((ConnectionError, ssl.SSLError)):
            await controller.open()
        for pair in kept:
            assert await answered(*pair, "ana-token") == b"HTTP/1.1 200 OK\r\n"
            pair[1].close()
            await pair[1].wait_closed()
        await eventually_open(controller)


async def test_one_caller_has_so_many_connections(tmp_path):
    async with hosted(tmp_path, limits=Limits(most=Most(of_caller=2))) as controller:
        kept = [await controller.open() for _ in range(3)]
        said = [await answered(*pair, "ana-token") for pair in kept]
        assert said[:2] == [b"HTTP/1.1 200 OK\r\n"] * 2
        assert said[2].startswith(b"HTTP/1.1 429 ")
        assert (await controller.api("GET", "/about", "li-token")).code == 200
        kept[0][1].close()
        await kept[0][1].wait_closed()
        await eventually_open(controller)
        assert (await controller.api("GET", "/about", "ana-token")).code == 200
        for _, writer in kept:
            writer.close()


class Endless:
    """Work that never ends by itself."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        raise AssertionError


async def test_work_that_only_its_caller_wants_ends_when_the_caller_leaves(tmp_path):
    work = Endless()
    async with hosted(tmp_path, dispatcher=work) as controller:
        _, writer = await controller.open()
        path = f"/gpuquota/api/datasets/faces/versions/{'0' * 64}"
        head = f"PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
        writer.write(f"{head}Authorization: Bearer ana-token\r\n\r\n".encode())
        async with asyncio.timeout(patience()):
            await work.begun.wait()
            writer.close()
            await work.ended.wait()


async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> bytes:
    """Return the first line of the answer on a connection that stays open."""
    writer.write(
        b"GET /gpuquota/api/about HTTP/1.1\r\nHost: x\r\n"
        + f"Authorization: Bearer {token}\r\n\r\n".encode()
    )
    async with asyncio.timeout(patience()):
        head = await reader.readuntil(b"\r\n\r\n")
        [size] = re.findall(rb"Content-Length: (\d+)", head)
        await reader.readexactly(int(size))
    return head.splitlines(keepends=True)[0]


async def test_plain_http_gets_no_answer(tmp_path):
    async with hosted(tmp_path) as controller:
        reader, writer = await asyncio.open_connection("127.0.0.1", controller.port)
        writer.write(b"GET /gpuquota/api/about HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"HTTP" not in await ended(reader)
        writer.close()


async def test_tls_is_1_2_or_newer(tmp_path):
    async with hosted(tmp_path) as controller:
        context = controller.files.trusting()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        _, writer = await asyncio.open_connection("127.0.0.1", controller.port, ssl=context)
        assert writer.get_extra_info("ssl_object").version() == "TLSv1.2"
        writer.close()
        assert Certificate(
            controller.files.certificate, controller.files.key
        ).context.minimum_version == (ssl.TLSVersion.TLSv1_2)


async def test_a_renewed_certificate_is_used_for_the_next_client(tmp_path, caplog):
    async def seen(controller) -> bytes:
        _, writer = await controller.open()
        found = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        writer.close()
        return found

    async with hosted(tmp_path) as controller:
        first = await seen(controller)
        assert await seen(controller) == first
        controller.files.renew()
        second = await seen(controller)
        assert second != first
        with caplog.at_level(logging.WARNING):
            controller.files.key.write_text("half")
            assert await seen(controller) == second
        assert "is unusable" in caplog.text


@pytest.mark.parametrize("broken", ["certificate", "key"])
async def test_a_certificate_that_cannot_be_used_is_said(tmp_path, broken):
    files = Files(tmp_path)
    getattr(files, broken).write_text("no")
    with pytest.raises(Unsupported, match="is unusable"):
        Certificate(files.certificate, files.key)
    getattr(files, broken).unlink()
    with pytest.raises(Unsupported, match="is unusable"):
        Certificate(files.certificate, files.key)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:8443", "127.0.0.1", 8443),
        ("[::1]:1", "::1", 1),
        ("gpu.example:0", "gpu.example", 0),
    ],
)
async def test_addresses(text, host, port):
    found = parse_address(text)
    assert (found.host, found.port, str(found)) == (host, port, text)


@pytest.mark.parametrize("text", ["", "8443", "host", "host:", "host:65536", "::1:80", "a:b:1"])
async def test_what_is_no_address_is_refused(text):
    with pytest.raises(Unsupported, match="not an address"):
        parse_address(text)


@pytest.mark.parametrize("host", ["198.51.100.1", "192.0.2.1", "gpu.example", "[::]"])
async def test_plain_http_is_for_this_machine_only(host):
    address = parse_address(f"{host}:80")
    check(address, encrypted=True)
    with pytest.raises(Unsupported, match="without encryption"):
        check(address, encrypted=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "127.8.8.8"])
async def test_plain_http_behind_a_proxy_of_this_machine(host):
    check(parse_address(f"{host}:80"), encrypted=False)


async def pour(writer: asyncio.StreamWriter, chunk: bytes, times: int) -> None:
    for _ in range(times):
        writer.write(chunk)
        await writer.drain()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Return what is received before the controller closes the connection."""
    async with asyncio.timeout(patience()):
        try:
            return await reader.read()
        except (ConnectionError, ssl.SSLError):
            return b""


async def eventually_open(controller: Hosted) -> None:
    """Wait until the controller has noticed that others have disconnected."""
    async with asyncio.timeout(patience()):
        while True:
            try:
                _, writer = await controller.open()
            except (ConnectionError, ssl.SSLError):
                await asyncio.sleep(0.01)
            else:
                writer.close()
                return
