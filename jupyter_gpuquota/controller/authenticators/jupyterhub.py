"""Authenticate JupyterHub tokens by asking the Hub."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Collection
from typing import Any

import msgspec
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from traitlets import TraitError, Unicode, default
from traitlets.config import Configurable

from ...control.answers import Answers, Clock
from ...core.access import Caller
from ...errors import Unavailable

KNOWN = 60.0
"""Seconds for which a known token is cached."""
UNKNOWN = 5.0
"""Seconds for which an unknown token is cached."""

_CONNECT = 5.0
_TIMEOUT = 10.0

log = logging.getLogger(__name__)


class HubUser(msgspec.Struct, frozen=True):
    """The Hub's description of a token's owner."""

    kind: str = ""
    name: str = ""
    groups: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


class HubAuthenticator(Configurable):
    """Authenticates by `GET /user` of the REST API of JupyterHub 2 or later."""

    api_url = Unicode(
        help="Address of the Hub's REST API. Default: JUPYTERHUB_API_URL, which a Hub sets for its "
        "services.",
    ).tag(config=True)

    service = Unicode(
        help="""Name of this controller's service in the Hub: tokens with the scope
        access:services!service=NAME are accepted, too. Default: JUPYTERHUB_SERVICE_NAME.""",
    ).tag(config=True)

    def __init__(self, clock: Clock = time.monotonic, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._answers: Answers[bytes, Caller | None] = Answers(
            lambda caller: KNOWN if caller else UNKNOWN, clock=clock
        )
        if not self.api_url.startswith(("http://", "https://")):
            raise TraitError(
                "HubAuthenticator.api_url must be the address of the Hub's REST API, such as "
                "http://127.0.0.1:8081/hub/api."
            )

    @default("api_url")
    def _default_api_url(self) -> str:
        return os.environ.get("JUPYTERHUB_API_URL", "")

    @default("service")
    def _default_service(self) -> str:
        return os.environ.get("JUPYTERHUB_SERVICE_NAME", "")

    async def authenticate(self, token: str) -> Caller | None:
        """Return the owner of a token, from the cache or the Hub."""
        key = hashlib.sha256(token.encode()).digest()
        return await self._answers.get(key, lambda: self._ask(token))

    async def _ask(self, token: str) -> Caller | None:
        request = HTTPRequest(
            f"{self.api_url.rstrip('/')}/user",
            headers={"Authorization": f"token {token}"},
            connect_timeout=_CONNECT,
            request_timeout=_TIMEOUT,
            follow_redirects=False,  # the token must not be sent elsewhere
        )
        try:
            response = await AsyncHTTPClient().fetch(request, raise_error=False)
        except (OSError, HTTPClientError) as error:
            raise _unavailable(f"JupyterHub does not respond: {error}.") from None
        if response.code in {401, 403}:
            return None
        if response.code != 200:
            raise _unavailable(f"JupyterHub responds with HTTP {response.code}.")
        try:
            user = msgspec.json.decode(response.body, type=HubUser)
        except msgspec.MsgspecError as error:
            raise _unavailable(f"JupyterHub's response is invalid: {error}.") from None
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

    It must give access to the owner's own server, as that server's token does, or to this service.
    Other tokens have another purpose: visiting another user's server, or a service, leaves there a
    token that identifies the visitor, and the host must not be able to act for the visitor.
    """
    accepted = {"access:servers", f"access:servers!user={name}", "access:services"}
    if service:
        accepted.add(f"access:services!service={service}")
    own = f"access:servers!server={name}/"
    return any(scope in accepted or scope.startswith(own) for scope in scopes)


def _unavailable(message: str) -> Unavailable:
    return Unavailable(
        message, hint="Try again; administrators find details in the controller's log."
    )
