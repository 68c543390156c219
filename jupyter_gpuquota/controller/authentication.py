"""Authenticate callers by bearer tokens."""

from __future__ import annotations

import hashlib
import ipaddress
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

from tornado.httputil import HTTPHeaders
from traitlets.config import Configurable

from ..core.access import FOR_OWNER, Caller
from ..errors import NotAuthenticated, TooManyAttempts, Unavailable, Unsupported
from ..ports.access import Access

_TRUSTED = 10_000
_OWN_WORDS = {"socket", "session"}
"""How only the controller itself identifies callers."""


class Authentication:
    """Identifies the callers on a network address.

    A token that was valid last time is checked again, but does not use an attempt: so guessing
    cannot lock out other users behind the same address.
    """

    def __init__(
        self, authenticators: Sequence[Authenticator], access: Access, attempts: AttemptLimit
    ) -> None:
        self._authenticators = authenticators
        self._access = access
        self._attempts = attempts
        self._trusted: dict[bytes, None] = {}

    async def caller_of(self, address: str, headers: HTTPHeaders) -> Caller:
        """Return the caller of a request from a client's address.

        Raises NotAuthenticated, TooManyAttempts, and Unavailable if tokens cannot be checked.
        """
        token = token_in(headers)
        digest = hashlib.sha256(token.encode()).digest()
        known = digest in self._trusted
        if not known:
            self._attempts.spend(address)
        caller = await self._identify(token)
        self._trusted.pop(digest, None)
        if caller is None:
            raise unknown_token()
        if not known:
            self._attempts.refund(address)
        self._trusted[digest] = None
        if len(self._trusted) > _TRUSTED:
            del self._trusted[next(iter(self._trusted))]
        return caller

    async def _identify(self, token: str) -> Caller | None:
        """Return the owner of a token. Sessions first: authenticators never see their tokens."""
        if session := await session_caller(self._access, token):
            return session
        unavailable: Unavailable | None = None
        for authenticator in self._authenticators:
            try:
                if found := await authenticator.authenticate(token):
                    return _outside(found)
            except Unavailable as error:
                unavailable = error
        if unavailable:
            raise unavailable
        return None


def _outside(caller: Caller) -> Caller:
    """Return a caller without what no authenticator can know: account and session of a process."""
    known = "" if caller.known in _OWN_WORDS else caller.known
    return replace(caller, known=known, session="", inside="")


AUTHORIZATION = "Authorization"

_CREDENTIALS = re.compile(r"(?:bearer|token)[ \t]+([!-~]{1,4096})[ \t]*", re.IGNORECASE)


def token_in(headers: HTTPHeaders) -> str:
    """Return the token of a request. Raises NotAuthenticated; no error shows what was sent."""
    found = headers.get_list(AUTHORIZATION)
    if not found:
        raise NotAuthenticated(
            "Not authenticated.", hint="Send a token as `Authorization: Bearer TOKEN`."
        )
    match = _CREDENTIALS.fullmatch(found[0])
    if match is None or len(found) > 1:
        raise NotAuthenticated(
            "The header Authorization is malformed.",
            hint="Send it once, as `Authorization: Bearer TOKEN`.",
        )
    return match[1]


async def session_caller(access: Access, token: str) -> Caller | None:
    """Return the session to which a token was issued, as a caller; None for any other token.

    With `FOR_OWNER` before it, the token acts for the owner, as programs in the session do on a
    socket. This is no second secret: who has the token can run programs in the session anyway.
    Raises Unavailable if it cannot be checked.
    """
    own = token.removeprefix(FOR_OWNER)
    session = await access.session_of(own)
    if session is None:
        return None
    if own != token:
        return Caller(session.owner, known="session", inside=session.id)
    return Caller(session.owner, known="session", session=session.id)


def unknown_token() -> NotAuthenticated:
    """Return the error for an unknown token."""
    return NotAuthenticated(
        "Unknown token.",
        hint="It may have expired, been revoked, or belong to another service. Get a new one.",
    )


Clock = Callable[[], float]
"""Returns monotonic seconds."""


class AttemptLimit:
    """A token bucket of attempts for each address: `burst` at once, then `per_second`.

    `addresses` limits the number of buckets; full buckets are dropped.
    """

    def __init__(
        self,
        burst: int = 50,
        per_second: float = 1.0,
        addresses: int = 10_000,
        clock: Clock = time.monotonic,
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._addresses = addresses
        self._clock = clock
        self._spent: dict[str, tuple[float, float]] = {}

    def spend(self, address: str) -> None:
        """Use an attempt. Raises TooManyAttempts, with the seconds to wait, if none is left."""
        network = network_of(address)
        spent = self._now_spent(network)
        if spent + 1 > self._burst:
            error = TooManyAttempts(
                "Too many unknown tokens came from this address.", hint="Wait, then try again."
            )
            error.wait = (spent + 1 - self._burst) / self._per_second
            raise error
        self._keep(network, spent + 1)

    def refund(self, address: str) -> None:
        """Return an attempt, because the token was known."""
        network = network_of(address)
        self._keep(network, self._now_spent(network) - 1)

    def _now_spent(self, network: str) -> float:
        spent, since = self._spent.get(network, (0.0, 0.0))
        return max(0.0, spent - (self._clock() - since) * self._per_second)

    def _keep(self, network: str, spent: float) -> None:
        self._spent.pop(network, None)
        if spent > 0:
            self._spent[network] = spent, self._clock()
        if len(self._spent) > self._addresses:
            del self._spent[next(iter(self._spent))]  # the least recently used one


def network_of(address: str) -> str:
    """Return the network from which one machine can choose addresses: /32 of IPv4, /64 of IPv6."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:  # a unix socket of a proxy
        return address
    if isinstance(found, ipaddress.IPv6Address) and not found.ipv4_mapped:
        return str(ipaddress.ip_network((int(found), 64), strict=False))
    return str(found)


GROUP = "jupyter_gpuquota.authenticators"
"""Entry point group; each entry is the class of an authenticator, a traitlets Configurable."""


class Authenticator(Protocol):
    """Identifies the owners of bearer tokens."""

    async def authenticate(self, token: str) -> Caller | None:
        """Return the owner of a token, None for an unknown one.

        Raises Unavailable if it cannot be checked. Neither errors nor logs may show the token.
        """


@runtime_checkable
class Closing(Protocol):
    """An authenticator that keeps a connection."""

    async def close(self) -> None:
        """Close it."""


async def close(authenticators: Iterable[Authenticator]) -> None:
    """Close the connections of authenticators."""
    for each in authenticators:
        if isinstance(each, Closing):
            await each.close()


def load(names: Sequence[str], parent: Configurable) -> list[Authenticator]:
    """Return the authenticators with these names, configured.

    Raises Unsupported for a name that is not installed, TraitError for invalid settings.
    """
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name in names:
        if name not in found:
            raise Unsupported(
                f"Authenticator {name!r} is not installed.",
                hint=f"Installed: {', '.join(sorted(found))}.",
            )
    return [found[name].load()(parent=parent) for name in names]
