"""Credentials that are loaded anew when they end: the one place for all calls."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ... import accounts
from ...errors import Unavailable
from ..api import Fault

IN_CLUSTER = "KUBERNETES_SERVICE_HOST"
"""In the environment of every pod."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where credentials come from.

    `kubeconfig` is a path, or several as in `KUBECONFIG`; empty means the service account.
    `context` is empty for the current one.
    """

    kubeconfig: str = ""
    context: str = ""


def find(
    kubeconfig: str,
    context: str,
    environ: Mapping[str, str],
    exists: Callable[[Path], bool] = Path.exists,
) -> Credentials:
    """Return the credentials to use: configured, else of `KUBECONFIG`, the home folder, the pod.

    This is the order of kubectl. Raises Unavailable if there are none.
    """
    home = str(Path(environ.get("HOME", "/")) / ".kube" / "config")
    given = kubeconfig or environ.get("KUBECONFIG", "")
    for paths in (given,) if given else (home,):
        if any(exists(accounts.expanded(path)) for path in paths.split(os.pathsep) if path):
            return Credentials(paths, context)
    if given:
        raise Unavailable(
            f"The kubeconfig {given} does not exist.",
            hint="Correct `c.KubernetesConfig.kubeconfig`, or the variable KUBECONFIG.",
        )
    if environ.get(IN_CLUSTER):
        return Credentials()
    raise Unavailable(
        "No Kubernetes cluster is configured.",
        hint="Create ~/.kube/config, or set `c.KubernetesConfig.kubeconfig`.",
    )


RENEW_BEFORE = timedelta(minutes=1)
"""How long before credentials expire they are renewed."""
RENEW_AFTER = 10.0
"""Seconds after which credentials that the server never accepted are loaded once more."""
_UNAUTHORIZED = 401


class Login(Protocol):
    """Loaded credentials."""

    @property
    def expires(self) -> datetime | None:
        """When they end, None if that is unknown."""


L = TypeVar("L", bound=Login)
R = TypeVar("R")


class Logins(Generic[L]):
    """The credentials in use. `load` returns new ones, given the last ones; it may raise Fault."""

    def __init__(
        self,
        load: Callable[[L | None], Awaitable[L]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load = load
        self._clock = clock
        self._loading = asyncio.Lock()
        self._loads = 0
        self._since = 0.0
        self._accepted: L | None = None
        self.held: L | None = None
        """The last credentials, None before the first are loaded."""

    async def valid(self) -> L:
        """Return credentials that have not expired as far as is known. Raises Fault."""
        held = self.held
        if held and not (_is_ending(held) and self._may_load):
            return held
        return await self._again(self._loads)

    async def use(self, call: Callable[[L], Awaitable[R]]) -> R:
        """Return the result of a call, made once more with new credentials after a 401.

        Credentials may end before they expire: a token is revoked, or a file has a newer one.
        Raises Fault.
        """
        login, loads = await self.valid(), self._loads
        try:
            result = await call(login)
        except Fault as fault:
            begun = self._loads != loads
            worth = begun or login is self._accepted or self._may_load
            if fault.status != _UNAUTHORIZED or not worth:
                raise
        else:
            if login is self.held:
                self._accepted = login
            return result
        return await call(await self._again(loads))

    @property
    def _may_load(self) -> bool:
        """Whether the last attempt to load was long enough ago: it may run a program."""
        return self._clock() - self._since >= RENEW_AFTER

    async def _again(self, loads: int) -> L:
        """Load credentials, unless somebody has since there were so many loads."""
        async with self._loading:
            if self._loads == loads or self.held is None:
                self._loads, self._since, self._accepted = self._loads + 1, self._clock(), None
                self.held = await self._load(self.held)
            return self.held


def _is_ending(login: Login) -> bool:
    return login.expires is not None and login.expires - RENEW_BEFORE <= datetime.now(UTC)
