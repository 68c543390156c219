"""HTTP to an API server, with credentials of every kind."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import trustme
import yaml
from aiohttp import WSMsgType, web
from kubernetes.aio.config import incluster_config

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.connecting import connect
from jupyter_gpuquota.kubernetes.connection.logins import Credentials, find
from jupyter_gpuquota.kubernetes.connection.rest import Rest
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, SECRETS
from tests.kubernetes.exec_plugin import plugin

pytestmark = pytest.mark.asyncio

TOKEN = "very-secret-token"  # noqa: S105 (of no server)
EMPTY = {"metadata": {"resourceVersion": "1", "name": "a"}, "items": []}


class Server:
    """An HTTP server that records requests and answers as a test wants."""

    def __init__(self) -> None:
        self.requests: list[web.Request] = []
        self.answer: Callable[[web.Request], Awaitable[web.StreamResponse]] = self.empty
        self.address = ""

    async def empty(self, request: web.Request) -> web.StreamResponse:
        return web.json_response(EMPTY)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        return await self.answer(request)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as made:
        yield made


@asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    made = Server()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    made.address = f"http{'s' if tls else ''}://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


def kubeconfig(folder: Path, server: str, user: dict[str, Any] | None = None, **context: str):
    path = folder / "config"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "main",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user or {"token": TOKEN}}],
        "contexts": [
            {"name": "main", "context": {"cluster": "c", "user": "u", **context}},
            {"name": "other", "context": {"cluster": "c", "user": "u", "namespace": "team-b"}},
        ],
    }
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return str(path)


async def test_requests_carry_our_name_and_the_token(server: Server, tmp_path: Path):
    api = await connect(kubeconfig(tmp_path, server.address, namespace="team-a"))
    assert (api.server, api.namespace) == (server.address, "team-a")
    assert await api.acting_as("alice", ["a", "b"]).list(SECRETS, "team-a") == []
    headers = server.requests[0].headers
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    assert headers["User-Agent"].startswith("jupyter_gpuquota/")
    assert headers["Impersonate-User"] == "alice"
    assert headers.getall("Impersonate-Group") == ["a", "b"]
    assert TOKEN not in str(server.requests[0].url)
    await api.close()


async def test_a_context_is_chosen(server: Server, tmp_path: Path):
    path = kubeconfig(tmp_path, server.address)
    api = await connect(path, "other")
    assert api.namespace == "team-b"
    await api.close()
    with pytest.raises(Fault) as caught:
        await connect(path, "nosuch")
    assert "nosuch" in caught.value.message


@pytest.mark.parametrize("named", [("one", "two"), ("", "two"), ("one", "")])
async def test_of_several_kubeconfigs_the_first_context_counts(
    server: Server, tmp_path: Path, named: tuple[str, str]
):
    paths = []
    for file, context in zip(("one", "two"), named, strict=True):
        folder = tmp_path / file
        folder.mkdir()
        path = Path(kubeconfig(folder, f"{server.address}/{file}"))
        text = path.read_text(encoding="utf-8").replace("name: main", f"name: {file}")
        text = text.replace("name: other", f"name: other-{file}").replace("main", context)
        for kind in ("c", "u"):
            text = text.replace(f"name: {kind}\n", f"name: {kind}-{file}\n")
        text = text.replace("cluster: c\n", f"cluster: c-{file}\n")
        path.write_text(text.replace("user: u\n", f"user: u-{file}\n"), encoding="utf-8")
        paths.append(str(path))
    api = await connect(os.pathsep.join(paths))
    assert api.server == f"{server.address}/{next(filter(None, named))}"
    await api.close()


async def test_who_acts_as_somebody_else_is_refused(server: Server, tmp_path: Path):
    path = kubeconfig(tmp_path, server.address, {"token": TOKEN, "as": "intern"})
    with pytest.raises(Fault, match="intern") as caught:
        await connect(path)
    assert caught.value.reason == "Credentials"
    assert server.requests == []


async def test_a_token_in_a_file_may_end_with_a_newline(server: Server, tmp_path: Path):
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    user = {"tokenFile": str(tmp_path / "token")}
    api = await connect(kubeconfig(tmp_path, server.address, user))
    await api.list(SECRETS, "team-a")
    assert server.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    await api.close()


async def test_a_broken_kubeconfig_is_not_quoted(tmp_path: Path):
    path = tmp_path / "config"
    path.write_text(f'users: [{{token: "{TOKEN}}}]', encoding="utf-8")
    with pytest.raises(Fault) as caught:
        await connect(str(path))
    assert TOKEN not in str(caught.value)
    assert caught.value.reason == "Credentials"


async def test_faults_do_not_quote_credentials(server: Server, tmp_path: Path):
    async def refuse(request: web.Request) -> web.StreamResponse:
        return web.json_response({"code": 403, "reason": "Forbidden", "message": "no"}, status=403)

    server.answer = refuse
    address = server.address.replace("//", "//user:hidden@")
    api = await connect(kubeconfig(tmp_path, address))
    with pytest.raises(Fault) as caught:
        await api.list(SECRETS)
    said = f"{caught.value!r} {caught.value.request}"
    assert TOKEN not in said
    assert "hidden" not in said
    await api.close()


async def test_no_server_is_a_fault(tmp_path: Path):
    api = await connect(kubeconfig(tmp_path, "http://127.0.0.1:1"))
    with pytest.raises(Fault) as caught:
        await api.list(SECRETS)
    assert (caught.value.status, caught.value.reason) == (0, "NoConnection")
    assert caught.value.message == "Connection refused"
    assert "127.0.0.1:1" in caught.value.request.server
    await api.close()


async def test_redirects_are_not_followed(server: Server, tmp_path: Path):
    async def away(request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound(f"{server.address}/elsewhere")

    server.answer = away
    api = await connect(kubeconfig(tmp_path, server.address))
    with pytest.raises(Fault) as caught:
        await api.list(SECRETS)
    assert caught.value.status == 302
    assert len(server.requests) == 1
    await api.close()


async def only(server: Server, *tokens: str) -> None:
    """Accept these tokens only."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.headers["Authorization"].split()[1] not in tokens:
            return web.json_response({"reason": "Unauthorized", "message": "no"}, status=401)
        if request.headers.get("Upgrade") == "websocket":
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            return socket
        return web.json_response(EMPTY)

    server.answer = answer


def used(server: Server) -> list[str]:
    """Return the tokens of all requests so far."""
    return [request.headers["Authorization"].split()[1] for request in server.requests]


async def test_a_plugin_is_not_run_for_each_call(server: Server, tmp_path: Path):
    past = "2020-01-01T00:00:00Z"
    tokens = [{"token": token, "expirationTimestamp": past} for token in ("one", "two")]
    user = plugin(tmp_path, tokens)
    await only(server, "one", "two")
    async with connected(kubeconfig(tmp_path, server.address, user)) as api:
        for _ in range(3):
            await api.list(SECRETS)
        # Credentials that are some seconds old are kept, whatever they say of themselves.
        assert used(server) == ["one"] * 3


@asynccontextmanager
async def connected(path: str) -> AsyncIterator[Rest]:
    api = await connect(path)
    try:
        yield api
    finally:
        await api.close()


async def _first(stream: AsyncGenerator[Any]) -> Any:
    async with aclosing(stream):
        return await anext(stream)


async def _websocket(api: Rest) -> None:
    await (await api.websocket("/exec", [], [])).close()


CALLS: dict[str, Callable[[Rest], Awaitable[Any]]] = {
    "a list": lambda api: api.list(SECRETS),
    "a watch": lambda api: _first(api.watch(SECRETS, version="1")),
    "a write": lambda api: api.create(NAMESPACES, "", {"metadata": {"name": "a"}}),
    "a review": lambda api: api.ask("/review", {}),
    "a path": lambda api: api.read("/visibility"),
    "a log": lambda api: _first(api.stream("/log")),
    "a terminal or port": _websocket,
    "impersonation": lambda api: api.acting_as("alice").list(SECRETS),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
async def test_every_kind_of_call_renews_credentials_that_have_ended(
    server: Server, tmp_path: Path, call: Callable[[Rest], Awaitable[Any]]
):
    user = plugin(tmp_path, [{"token": "one"}, {"token": "two"}])
    async with connected(kubeconfig(tmp_path, server.address, user)) as api:
        await only(server, "one")
        await call(api)
        await only(server, "two")
        await asyncio.gather(*[call(api) for _ in range(3)])
        assert used(server).count("two") == 3


async def test_credentials_that_are_never_accepted_are_not_loaded_over_and_over(
    server: Server, tmp_path: Path
):
    user = plugin(tmp_path, [{"token": str(number)} for number in range(9)])
    await only(server)
    async with connected(kubeconfig(tmp_path, server.address, user)) as api:
        for call in CALLS.values():
            with pytest.raises(Fault) as caught:
                await call(api)
            assert caught.value.status == 401
        assert set(used(server)) == {"0"}


async def test_a_stream_is_read_as_it_comes(server: Server, tmp_path: Path):
    more = asyncio.Event()

    async def log(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"one\n")
        await more.wait()
        await response.write(b"two\n")
        return response

    server.answer = log
    api = await connect(kubeconfig(tmp_path, server.address))
    stream = api.stream("/api/v1/namespaces/a/pods/b/log", {"follow": "true"})
    assert [await anext(stream), await anext(stream)] == [b"", b"one\n"]
    more.set()
    assert [piece async for piece in stream] == [b"two\n"]
    assert server.requests[0].query == {"follow": "true"}
    await api.close()


async def test_a_watch_survives_neither_silence_nor_a_lost_connection(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def silent(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        if request.query["labelSelector"] == "broken":
            assert request.transport is not None
            request.transport.abort()
        await asyncio.Event().wait()
        return response

    server.answer = silent
    monkeypatch.setattr("jupyter_gpuquota.kubernetes.connection.objects.SILENCE", 0.2)
    api = await connect(kubeconfig(tmp_path, server.address))
    for labels, reason in (("silent", "Timeout"), ("broken", "NoConnection")):
        watch = api.watch(SECRETS, labels=labels, version="1")
        with pytest.raises(Fault) as caught:
            _ = [change async for change in watch]
        assert (caught.value.status, caught.value.reason) == (0, reason)
    await api.close()


async def test_a_websocket_speaks_binary_and_ends(server: Server, tmp_path: Path):
    async def echo(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(protocols=["v5.channel.k8s.io"])
        await socket.prepare(request)
        message = await socket.receive()
        assert message.type is WSMsgType.BINARY
        await socket.send_bytes(message.data * 2)
        await socket.send_str("text")
        await socket.close()
        return socket

    server.answer = echo
    api = await connect(kubeconfig(tmp_path, server.address))
    query = [("command", "ls"), ("command", "-l")]
    socket = await api.websocket("/exec", query, ["v5.channel.k8s.io", "v4.channel.k8s.io"])
    assert socket.protocol == "v5.channel.k8s.io"
    await socket.send(b"ab")
    assert [await socket.receive() for _ in range(4)] == [b"abab", b"text", None, None]
    with pytest.raises(Fault) as caught:
        await socket.send(b"late")
    assert caught.value.status == 0
    await socket.close()
    await socket.close()
    assert server.requests[0].query.getall("command") == ["ls", "-l"]
    assert server.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    await api.close()


async def test_a_refused_websocket_says_why(server: Server, tmp_path: Path):
    async def refuse(request: web.Request) -> web.StreamResponse:
        return web.json_response({"reason": "Forbidden", "message": "not you"}, status=403)

    server.answer = refuse
    api = await connect(kubeconfig(tmp_path, server.address))
    with pytest.raises(Fault) as caught:
        await api.websocket("/exec", [], [])
    assert (caught.value.status, caught.value.message) == (403, "not you")
    await api.close()


async def test_a_pod_uses_its_service_account_and_reads_its_token_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    authority, tls = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    authority.cert_pem.write_to_path(tmp_path / "ca.crt")
    (tmp_path / "namespace").write_text("team-a\n", encoding="utf-8")
    (tmp_path / "token").write_text("one", encoding="utf-8")
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
    async with serving(tls) as server:
        host, port = server.address.removeprefix("https://").split(":")
        for name, value in (
            ("KUBECONFIG", ""),
            ("HOME", str(tmp_path)),
            ("KUBERNETES_SERVICE_HOST", host),
            ("KUBERNETES_SERVICE_PORT", port),
        ):
            monkeypatch.setenv(name, value)
        api = await connect()
        assert api.namespace == "team-a"
        await only(server, "one")
        await api.list(SECRETS)
        (tmp_path / "token").write_text("two", encoding="utf-8")
        await only(server, "two")
        for call in CALLS.values():
            await call(api)
        assert used(server) == ["one", "one", *["two"] * len(CALLS)]
        (tmp_path / "token").unlink()
        await only(server)
        with pytest.raises(Fault) as caught:
            await api.list(SECRETS)
        assert caught.value.reason == "Credentials"
        await api.close()


@pytest.mark.parametrize(
    ("given", "environ", "files", "expected"),
    [
        ("/a", {"KUBECONFIG": "/b"}, ["/a", "/b"], Credentials("/a", "x")),
        ("", {"KUBECONFIG": "/no:/b"}, ["/b"], Credentials("/no:/b", "x")),
        ("", {"HOME": "/h"}, ["/h/.kube/config"], Credentials("/h/.kube/config", "x")),
        ("", {"HOME": "/h", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}, [], Credentials()),
        ("", {"HOME": "/h"}, [], None),
        ("/a", {"HOME": "/h", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}, [], None),
    ],
)
async def test_credentials_are_found_as_kubectl_finds_them(
    given: str, environ: dict[str, str], files: list[str], expected: Credentials | None
):
    def found() -> Credentials:
        return find(given, "x", environ, lambda path: str(path) in files)

    if expected is None:
        with pytest.raises(Unavailable):
            found()
    else:
        assert found() == expected
