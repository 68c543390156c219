"""Authenticate the cluster's tokens by its TokenReview (`authentication.k8s.io/v1`)."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from traitlets import List, Unicode
from traitlets.config import Configurable

from ...control.answers import Answers, Clock
from ...core.access import Caller
from ...errors import Unavailable
from ..api import Api, Fault
from ..config import KubernetesConfig
from ..connecting import connect

KNOWN = 60.0
"""Seconds for which a known token is cached."""
UNKNOWN = 5.0
"""Seconds for which an unknown token is cached."""

_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"

log = logging.getLogger(__name__)


class _User(msgspec.Struct, frozen=True):
    username: str = ""
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: dict[str, tuple[str, ...]] = {}


class _Status(msgspec.Struct, frozen=True):
    authenticated: bool = False
    user: _User = _User()
    audiences: tuple[str, ...] = ()
    error: str = ""


class _Review(msgspec.Struct, frozen=True):
    status: _Status = _Status()


class TokenReviewAuthenticator(Configurable):
    """Authenticates users and service accounts of the cluster in `c.KubernetesConfig`.

    A service account's name is `system:serviceaccount:NAMESPACE:NAME`.
    """

    audiences = List(
        Unicode(),
        help="""Audiences of which a token must have one, for example ["jupyter-gpuquota"]. Then a
        token that was made for this service is of no use elsewhere, and a token for the cluster is
        not accepted here. Empty: tokens for the cluster's API.""",
    ).tag(config=True)

    def __init__(
        self,
        open_api: Callable[[], Awaitable[Api]] | None = None,
        clock: Clock = time.monotonic,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._open = open_api or self._connect
        self._api: Api | None = None
        self._opening = asyncio.Lock()
        self._answers: Answers[bytes, Caller | None] = Answers(
            lambda caller: KNOWN if caller else UNKNOWN, clock=clock
        )

    async def authenticate(self, token: str) -> Caller | None:
        """Return the owner of a token, from the cache or the cluster. Raises Unavailable."""
        key = hashlib.sha256(token.encode()).digest()
        return await self._answers.get(key, lambda: self._ask(token))

    async def close(self) -> None:
        """Close the connection to the cluster."""
        if self._api:
            api, self._api = self._api, None
            await api.close()

    async def _connect(self) -> Api:
        config = KubernetesConfig(parent=self)
        return await connect(config.kubeconfig, config.context)

    async def _ask(self, token: str) -> Caller | None:
        spec: dict[str, Any] = {"token": token}
        if self.audiences:
            spec["audiences"] = self.audiences
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec}
        try:
            async with self._opening:
                self._api = self._api or await self._open()
            answer = await self._api.ask(_REVIEWS, body)
            status = msgspec.json.decode(answer, type=_Review).status
        except Fault as fault:
            raise _unavailable(f"{fault.reason or 'it does not respond'}") from None
        except msgspec.MsgspecError:
            raise _unavailable("its answer is invalid") from None
        return self._caller(status)

    def _caller(self, status: _Status) -> Caller | None:
        if not (status.authenticated and status.user.username):
            return None
        if self.audiences and not set(self.audiences).intersection(status.audiences):
            log.warning("the cluster does not check the audiences of tokens: all are refused")
            return None
        user = status.user
        return Caller(
            user.username,
            frozenset(user.groups),
            known="kubernetes",
            uid=user.uid,
            extra=tuple(sorted(user.extra.items())),
        )


def _unavailable(why: str) -> Unavailable:
    return Unavailable(
        f"The cluster cannot check tokens now: {why}.",
        hint="Try again; administrators find the controller's own rights in docs/kubernetes.md.",
    )
