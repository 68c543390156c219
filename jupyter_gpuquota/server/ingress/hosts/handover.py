"""Logins at sessions' hosts, handed over from JupyterLab's origin and kept in memory only.

JupyterLab's cookie is valid for its own host alone. A user who is logged in there gets a code; the
session's host exchanges it, once and within seconds, for a key in a cookie of that host.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jupyter_server.auth.identity import User

from ....core.hosts import Place

_CODE_LASTS = 30.0
"""Seconds for which a code is valid; the browser posts it automatically."""

_DAY = 86400.0
_UNUSED = 3 * _DAY
_LONGEST = 30 * _DAY
"""The same as Jupyter's own login."""

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Login:
    """A user's login at one place; `lab` is the origin of the user's JupyterLab."""

    place: Place
    user: User
    lab: str


@dataclass(frozen=True, slots=True)
class Entrance:
    """A redeemed code: the key to a place, and the requested path."""

    key: str
    login: Login
    target: str


@dataclass(frozen=True, slots=True)
class _Offer:
    login: Login
    target: str
    until: float


@dataclass(slots=True)
class _StoredLogin:
    login: Login
    since: float
    used: float

    def has_expired(self, now: float) -> bool:
        return now - self.used > _UNUSED or now - self.since > _LONGEST


class Handovers:
    """Issued codes and the logins they were exchanged for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._offers: dict[str, _Offer] = {}
        self._logins: dict[str, _StoredLogin] = {}

    def offer(self, login: Login, target: str) -> str:
        """Return a code for a login; `target` is a path at the place's host."""
        now = self._clock()
        self._drop_expired(now)
        _drop_oldest(self._offers)
        code = secrets.token_urlsafe(32)
        self._offers[code] = _Offer(login, target, now + _CODE_LASTS)
        return code

    def redeem(self, code: str, place: Place) -> Entrance | None:
        """Return the entrance for a code; None if it is invalid here or has expired.

        A code is used up in any case.
        """
        offer, now = self._offers.pop(code, None), self._clock()
        if offer is None or offer.login.place != place or now > offer.until:
            return None
        self._logins = {
            key: kept for key, kept in self._logins.items() if not kept.has_expired(now)
        }
        _drop_oldest(self._logins)
        key = secrets.token_urlsafe(32)
        self._logins[key] = _StoredLogin(offer.login, since=now, used=now)
        return Entrance(key, offer.login, offer.target)

    def find(self, key: str, place: Place) -> Login | None:
        """Return the login of a key; None if it has expired or is for another place."""
        kept, now = self._logins.get(key), self._clock()
        if kept is None or kept.login.place != place or kept.has_expired(now):
            return None
        kept.used = now
        return kept.login

    def log_out(self, username: str) -> None:
        """End all logins of a user."""
        self._offers = {
            code: o for code, o in self._offers.items() if o.login.user.username != username
        }
        self._logins = {
            key: kept for key, kept in self._logins.items() if kept.login.user.username != username
        }

    def _drop_expired(self, now: float) -> None:
        """Drop expired codes."""
        # All are valid equally long, so the oldest come first and the rest need no check.
        while self._offers:
            code, offer = next(iter(self._offers.items()))
            if now <= offer.until:
                return
            del self._offers[code]


def _drop_oldest(entries: dict[str, Any]) -> None:
    """Drop the oldest entries above the limit."""
    while len(entries) >= _MOST:
        del entries[next(iter(entries))]
