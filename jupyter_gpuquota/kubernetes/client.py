"""HTTP to an API server: the only module that imports the Kubernetes client and aiohttp.

The official client reads kubeconfigs and keeps tokens fresh; requests are made with aiohttp itself,
as answers are decoded from raw JSON. Importing this takes a second: `connecting.py` does it late.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import aiohttp
from kubernetes.aio import config
from kubernetes.aio.client import Configuration
from kubernetes.aio.client.rest import RESTClientObject
from kubernetes.aio.config import incluster_config
from multidict import CIMultiDict
from yaml import YAMLError, safe_load
from yarl import URL

from .._version import __version__
from .api import Fault
from .connection.decoding import failure
from .connection.http import Answer, Call, sentence
from .connection.logins import Credentials, Logins

USER_AGENT = f"jupyter_gpuquota/{__version__}"
CONNECT = 10.0
"""Seconds within which a connection is made."""
ANSWER = 30.0
"""Seconds within which an ordinary answer is complete."""
_GOODBYE = 0.25
"""Seconds for encrypted connections to close, for which aiohttp does not wait:
https://docs.aiohttp.org/en/stable/client_advanced.html#graceful-shutdown"""
_UNAUTHORIZED, _SWITCHED = 401, 101


@dataclass(frozen=True, slots=True)
class _Login:
    """Loaded credentials, and until when they are valid."""

    server: str
    configuration: Any
    session: aiohttp.ClientSession
    tls: object
    namespace: str
    expires: datetime | None


class Client:
    """Carries calls to one API server, with credentials that it keeps valid."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self._logins = Logins(self._load)
        self._sessions: list[aiohttp.ClientSession] = []

    @property
    def server(self) -> str:
        """The address of the API server, without credentials."""
        return self._logins.held.server if self._logins.held else ""

    @property
    def namespace(self) -> str:
        """The namespace of the kubeconfig's context or of the pod, empty if none is named."""
        return self._logins.held.namespace if self._logins.held else ""

    async def open(self) -> None:
        """Load the credentials."""
        await self._logins.valid()

    async def close(self) -> None:
        """Close all connections."""
        for session in self._sessions:
            await session.close()
        await asyncio.sleep(_GOODBYE)

    async def request(self, call: Call) -> Answer:
        """Return the answer to a call, whatever its status but 401, which is a Fault."""
        with _faults(call):
            async with asyncio.timeout(ANSWER), await self._response(call) as response:
                return await _answer(response)

    async def stream(self, call: Call) -> AsyncGenerator[bytes]:
        """Yield nothing once a call is accepted, then the body of the answer as it comes."""
        with _faults(call):
            async with await self._response(call) as response:
                if response.status != 200:
                    raise failure(await _answer(response), call.about)
                yield b""
                async for piece in response.content.iter_any():
                    yield piece

    async def websocket(self, call: Call, protocols: Sequence[str]) -> _WebSocket:
        """Open a WebSocket. Raises the Fault of a refusal."""
        with _faults(call):
            async with asyncio.timeout(ANSWER):
                socket = await self._logins.use(partial(_connect, call=call, protocols=protocols))
        return _WebSocket(socket, call)

    async def _response(self, call: Call) -> aiohttp.ClientResponse:
        return await self._logins.use(partial(_send, call=call))

    async def _load(self, used: _Login | None) -> _Login:
        """Load credentials; the connections are kept unless certificates have changed."""
        configuration, namespace, expires = await _read(self._credentials)
        tls = _tls(configuration)
        session = used.session if used and used.tls == tls else _session(configuration)
        if session not in self._sessions:
            # Earlier ones stay open for the watches and terminals that use them.
            self._sessions.append(session)
        parts = urlsplit(configuration.host)
        server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        return _Login(server, configuration, session, tls, namespace, expires)


class _WebSocket:
    """A WebSocket of aiohttp."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, call: Call) -> None:
        self._socket = socket
        self._call = call

    @property
    def protocol(self) -> str:
        """The subprotocol that the server has chosen; empty if none."""
        return self._socket.protocol or ""

    async def send(self, message: bytes) -> None:
        """Send a binary message; returns when there is room for the next one."""
        with _faults(self._call):
            await self._socket.send_bytes(message)

    async def receive(self) -> bytes | None:
        """Return the next message, None once the connection is closed, however it was."""
        message = await self._socket.receive()
        if message.type is aiohttp.WSMsgType.TEXT:
            return str(message.data).encode()
        return message.data if message.type is aiohttp.WSMsgType.BINARY else None

    async def close(self) -> None:
        """Close the connection; may be called twice."""
        await self._socket.close()


_REFUSALS: ContextVar[list[Answer] | None] = ContextVar("_REFUSALS", default=None)
"""Where the answer that refuses a WebSocket is kept; aiohttp itself drops its text."""


async def _keep_refusal(_session: object, _context: object, ended: Any) -> None:
    refusals = _REFUSALS.get()
    if refusals is not None and ended.response.status != _SWITCHED:
        refusals.append(await _answer(ended.response))


async def _answer(response: aiohttp.ClientResponse) -> Answer:
    return Answer(response.status, await response.read(), dict(response.headers))


async def _send(login: _Login, call: Call) -> aiohttp.ClientResponse:
    """Return the response to a call. Raises the Fault of a 401."""
    response = await login.session.request(
        call.method,
        data=call.body,
        allow_redirects=False,
        timeout=aiohttp.ClientTimeout(sock_connect=CONNECT, sock_read=call.idle or None),
        **await _options(login, call),
    )
    if response.status == _UNAUTHORIZED:
        raise failure(await _answer(response), call.about)
    return response


async def _connect(
    login: _Login, call: Call, protocols: Sequence[str]
) -> aiohttp.ClientWebSocketResponse:
    """Return a WebSocket. Raises the Fault of a refusal."""
    refusal: list[Answer] = []
    trace = _REFUSALS.set(refusal)
    try:
        socket: aiohttp.ClientWebSocketResponse = await login.session.ws_connect(
            protocols=protocols, **await _options(login, call)
        )
    except aiohttp.WSServerHandshakeError as error:
        answer = refusal[0] if refusal else Answer(error.status, b"")
        raise failure(answer, call.about) from None
    finally:
        _REFUSALS.reset(trace)
    return socket


async def _options(login: _Login, call: Call) -> dict[str, Any]:
    """Return what requests and WebSockets have in common."""
    configuration = login.configuration
    headers = CIMultiDict(call.headers)
    headers["Accept"] = "application/json, */*"
    if call.body is not None:
        headers["Content-Type"] = call.content_type
    for setting in (await configuration.auth_settings()).values():
        headers[setting["key"]] = setting["value"].strip()  # a file usually ends with a newline
    query = f"?{urlencode(call.query)}" if call.query else ""
    return {
        "url": URL(login.server + call.path + query, encoded=True),
        "headers": headers,
        "server_hostname": configuration.tls_server_name or None,
        "proxy": configuration.proxy or None,
        "proxy_headers": configuration.proxy_headers or None,
    }


async def _read(credentials: Credentials) -> tuple[Any, str, datetime | None]:
    configuration = Configuration()
    try:
        if not credentials.kubeconfig:
            config.load_incluster_config(  # type: ignore[no-untyped-call]
                client_configuration=configuration
            )
            own = Path(incluster_config.SERVICE_TOKEN_FILENAME).with_name("namespace")
            return configuration, own.read_text(encoding="utf-8").strip(), None
        loader = await config.load_kube_config(  # type: ignore[no-untyped-call]
            config_file=credentials.kubeconfig,
            context=credentials.context or _current_context(credentials.kubeconfig),
            client_configuration=configuration,
            persist_config=False,
        )
        _refuse_impersonation(loader)
    except config.ConfigException as error:
        raise Fault(0, "Credentials", str(error)) from None
    except (OSError, ValueError, TypeError, AttributeError, YAMLError) as error:
        # The text of these may quote the file, that is, credentials.
        why = f"the kubeconfig is unreadable ({type(error).__name__})"
        raise Fault(0, "Credentials", why) from None
    context = loader.current_context["context"]
    return configuration, context.get("namespace", ""), getattr(loader, "exec_plugin_expiry", None)


def _current_context(paths: str) -> str | None:
    """Return the context that kubectl takes: of several files, the first one that names one.

    The official client takes the last one (kubernetes-client/python#2386).
    """
    for path in filter(None, paths.split(os.pathsep)):
        with suppress(FileNotFoundError):
            found = safe_load(Path(path).expanduser().read_text(encoding="utf-8"))
            if isinstance(found, dict) and found.get("current-context"):
                return str(found["current-context"])
    return None


def _refuse_impersonation(loader: Any) -> None:
    """Raise a Fault where a kubeconfig acts as somebody else: the official client ignores that.

    It would act with the user's own rights, which are usually greater.
    """
    user = loader._user  # noqa: SLF001 (the client shows it nowhere)
    if user is not None and user.safe_get("as"):
        why = (
            f"the kubeconfig acts as {user.safe_get('as')} (`as`), which is not supported: name "
            "credentials of that account instead"
        )
        raise Fault(0, "Credentials", why)


def _tls(configuration: Any) -> object:
    files = (configuration.ssl_ca_cert, configuration.cert_file, configuration.key_file)
    times = [Path(file).stat().st_mtime_ns if file else 0 for file in files]
    return files, times, configuration.verify_ssl, configuration.tls_server_name


def _session(configuration: Any) -> aiohttp.ClientSession:
    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(_keep_refusal)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=RESTClientObject(configuration).ssl_context, limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": USER_AGENT},
        timeout=aiohttp.ClientTimeout(sock_connect=CONNECT),
        trace_configs=[trace],
        read_bufsize=2**20,
    )


@contextmanager
def _faults(call: Call) -> Iterator[None]:
    """Raise Fault for what goes wrong between us and the server, without quoting a header."""
    try:
        yield
    except TimeoutError:
        raise Fault(0, "Timeout", "no answer in time", request=call.about) from None
    except aiohttp.ClientConnectorError as error:
        raise Fault(0, "NoConnection", sentence(error.os_error), request=call.about) from None
    except config.ConfigException as error:  # a token in a file, which is read again
        raise Fault(0, "Credentials", str(error), request=call.about) from None
    except (aiohttp.ClientError, OSError) as error:
        raise Fault(0, "NoConnection", sentence(error), request=call.about) from None
