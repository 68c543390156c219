"""Tokens of JupyterHub: the Hub is asked whose they are."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import time
from collections.abc import Callable, Collection
from typing import Any

import msgspec
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from traitlets import TraitError, Unicode, default
from traitlets.config import Configurable

from ...core.access import Caller
from ...errors import Unavailable

KNOWN = 60.0
"""Seconds for which a token that the Hub knows is not asked about again."""
UNKNOWN = 5.0
"""The same for one that it does not know."""

_LIMIT = 4096
_CONNECT = 5.0
_TIMEOUT = 10.0

Clock = Callable[[], float]
"""Return seconds that never go back."""

log = logging.getLogger(__name__)


class HubUser(msgspec.Struct, frozen=True):
    """What the Hub says of whoever owns a token."""

    kind: str = ""
    name: str = ""
    groups: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


class HubAuthenticator(Configurable):
    """JupyterHub 2 or later, as `GET /user` of its REST API answers it."""

    api_url = Unicode(
        help="Address of the Hub's REST API. Default: JUPYTERHUB_API_URL, which a Hub sets for its "
        "services.",
    ).tag(config=True)

    service = Unicode(
        help="""Name of the Hub's service that this controller is: a token with the scope
        access:services!service=NAME is accepted, too. Default: JUPYTERHUB_SERVICE_NAME.""",
    ).tag(config=True)

    def __init__(self, clock: Clock = time.monotonic, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._clock = clock
        if not self.api_url.startswith(("http://", "https://")):
            raise TraitError(
                "HubAuthenticator.api_url must be the address of the Hub's REST API, such as "
                "http://127.0.0.1:8081/hub/api."
            )
        self._answers: dict[bytes, tuple[Caller | None, float]] = {}
        self._asking: dict[bytes, asyncio.Future[Caller | None]] = {}

    @default("api_url")
    def _default_api_url(self) -> str:
        return os.environ.get("JUPYTERHUB_API_URL", "")

    @default("service")
    def _default_service(self) -> str:
        return os.environ.get("JUPYTERHUB_SERVICE_NAME", "")

    async def authenticate(self, token: str) -> Caller | None:
        """Return whose token it is, from memory if the Hub was asked just now."""
        key = hashlib.sha256(token.encode()).digest()
        caller, until = self._answers.get(key, (None, 0.0))
        if self._clock() < until:
            return caller
        if key not in self._asking:
            self._asking[key] = asyncio.ensure_future(self._ask(token))
            self._asking[key].add_done_callback(lambda _: self._asking.pop(key, None))
        caller = await asyncio.shield(self._asking[key])
        self._answers.pop(key, None)
        self._answers[key] = caller, self._clock() + (KNOWN if caller else UNKNOWN)
        if len(self._answers) > _LIMIT:
            del self._answers[next(iter(self._answers))]
        return caller

    async def _ask(self, token: str) -> Caller | None:
        request = HTTPRequest(
            f"{self.api_url.rstrip('/')}/user",
            headers={"Authorization": f"token {token}"},
            connect_timeout=_CONNECT,
            request_timeout=_TIMEOUT,
            follow_redirects=False,  # the token is for nobody else
        )
        try:
            response = await AsyncHTTPClient().fetch(request, raise_error=False)
        except (OSError, HTTPClientError) as error:
            raise _unavailable(f"JupyterHub does not answer: {error}.") from None
        if response.code in {401, 403}:
            return None
        if response.code != 200:
            raise _unavailable(f"JupyterHub answers with HTTP {response.code}.")
        try:
            user = msgspec.json.decode(response.body, type=HubUser)
        except msgspec.MsgspecError as error:
            raise _unavailable(f"JupyterHub's answer cannot be understood: {error}.") from None
        return self._caller(user)

    def _caller(self, user: HubUser) -> Caller | None:
        if user.kind != "user" or not user.name:
            return None
        if not full(user.name, user.scopes, self.service):
            log.info("a token of %s is not for this service: see docs/hosting.md", user.name)
            return None
        return Caller(user.name, frozenset(user.groups), known="jupyterhub")


def full(name: str, scopes: Collection[str], service: str) -> bool:
    """Return whether a token may act for its owner here.

    It may open the owner's own server, as that server's token does, or this service. All others
    are for something else: whoever visits another's server, or a service, leaves a token there
    that says who came, and must not be acted for by whoever is visited.
    """
    accepted = {"access:servers", f"access:servers!user={name}", "access:services"}
    if service:
        accepted.add(f"access:services!service={service}")
    own = f"access:servers!server={name}/"
    return any(scope in accepted or scope.startswith(own) for scope in scopes)


def _unavailable(message: str) -> Unavailable:
    return Unavailable(message, hint="Try again; an admin finds more in the controller's log.")
