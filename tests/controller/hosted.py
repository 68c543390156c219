"""A controller hosted by https in the test's own process, and clients of it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import trustme
from tornado.httpclient import AsyncHTTPClient, HTTPResponse

from jupyter_gpuquota.api.dispatch import Dispatcher
from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.controller import https_mount
from jupyter_gpuquota.controller.authentication import AttemptLimit, Authentication
from jupyter_gpuquota.controller.https_mount import Address, HttpsServer, Limits
from jupyter_gpuquota.controller.tls import Certificate
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import make_backend

TEAMS = (
    {"name": "team-a", "quota": "4", "members": ["ana", "group:ml"]},
    {"name": "team-b", "quota": "2", "members": ["bo"]},
)
TOKENS = {
    "ana-token": Caller("ana", known="token"),
    "li-token": Caller("li", frozenset({"ml"}), known="token"),
    "bo-token": Caller("bo", known="token"),
    "admin-token": Caller("root-admin", known="token"),
}


@dataclass
class Known:
    """An authenticator of a test's tokens; `away` makes it unavailable."""

    tokens: Mapping[str, Caller] = field(default_factory=lambda: dict(TOKENS))
    away: bool = False
    asked: list[str] = field(default_factory=list)

    async def authenticate(self, token: str) -> Caller | None:
        self.asked.append(token)
        if self.away:
            raise Unavailable("Nobody can tell now.")
        return self.tokens.get(token)


@dataclass
class Files:
    """A certificate for 127.0.0.1 and localhost, its key, and the authority that signed it."""

    folder: Path
    authority: trustme.CA = field(default_factory=trustme.CA)

    def __post_init__(self) -> None:
        self.certificate, self.key, self.ca = (
            self.folder / name for name in ("cert.pem", "key.pem", "ca.pem")
        )
        self.authority.cert_pem.write_to_path(self.ca)
        self.renew()

    def renew(self) -> None:
        issued = self.authority.issue_cert("127.0.0.1", "localhost")
        issued.cert_chain_pems[0].write_to_path(self.certificate)
        issued.private_key_pem.write_to_path(self.key)

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.ca)


@dataclass
class Hosted:
    """A controller, its address and its tokens."""

    backend: Backend
    known: Known
    files: Files
    server: HttpsServer
    port: int

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    async def ask(
        self,
        method: str,
        path: str,
        token: str = "",
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> HTTPResponse:
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        return await AsyncHTTPClient().fetch(
            self.url + path,
            method=method,
            headers=sent,
            body=body if isinstance(body, bytes | None) else msgspec.json.encode(body),
            ca_certs=str(self.files.ca),
            allow_nonstandard_methods=True,
            follow_redirects=False,
            raise_error=False,
        )

    async def api(self, method: str, path: str, token: str = "", body: Any = None) -> HTTPResponse:
        return await self.ask(method, f"/gpuquota/api{path}", token, body)

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a raw connection."""
        return await asyncio.open_connection("127.0.0.1", self.port, ssl=self.files.trusting())


def problem(response: HTTPResponse) -> tuple[int, str]:
    """Return status and code of an error, which has the shape of all errors."""
    found = msgspec.json.decode(response.body)
    assert set(found) == {"code", "message", "hint", "fields"}
    return response.code, found["code"]


@asynccontextmanager
async def hosted(
    folder: Path,
    *,
    limits: Limits | None = None,
    attempts: AttemptLimit | None = None,
    backend: Backend | None = None,
    dispatcher: Dispatcher | None = None,
) -> AsyncIterator[Hosted]:
    files, known = Files(folder), Known()
    backend = backend or make_backend(TEAMS, admins=("root-admin",))
    authentication = Authentication([known], backend.access, attempts or AttemptLimit())
    served = https_mount.application(dispatcher or InProcess(backend), authentication)
    context = Certificate(files.certificate, files.key).context
    server = https_mount.listen(served, Address("127.0.0.1", 0), context, limits)
    [listener] = server._sockets.values()
    try:
        yield Hosted(backend, known, files, server, listener.getsockname()[1])
    finally:
        server.stop()
        await server.close_all_connections()
