"""Who is connected to a network address, and which connection goes when there are too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from ..errors import TooManyAttempts, Unsupported
from .authentication import network_of

Close = Callable[[], None]
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Most:
    """The most connections: in all, of one address without a valid token, and of one caller."""

    connections: int = 1024
    strangers: int = 256
    of_caller: int = 128


@dataclass(slots=True, eq=False)
class _Connection:
    """A connection; `network` is empty for that of a proxy, `caller` until one is known."""

    close: Close
    network: str
    caller: str = ""


class Connections:
    """The open connections. One whose token is valid is never closed for others.

    `proxies` are networks whose addresses stand for many clients: of these, only requests count.
    """

    def __init__(self, most: Most, proxies: Iterable[Network] = ()) -> None:
        self._most = most
        self._proxies = tuple(proxies)
        self._all: dict[Hashable, _Connection] = {}
        self._callers: Counter[str] = Counter()

    def add(self, key: Hashable, address: str, close: Close) -> bool:
        """Note a connection, and return whether it may stay.

        Where there are too many, the oldest one without a valid token is closed: first of the same
        address, then of all, those of proxies last.
        """
        network = "" if self._is_proxy(address) else network_of(address)
        strangers = [each for each in self._all.items() if not each[1].caller]
        same = [each for each in strangers if network and each[1].network == network]
        if len(same) >= self._most.strangers:
            self._close(*same[0])
        elif len(self._all) >= self._most.connections:
            if not strangers:
                return False
            self._close(*min(strangers, key=lambda each: not each[1].network))
        self._all[key] = _Connection(close, network)
        return True

    def identify(self, key: Hashable, caller: str) -> None:
        """Note whose token a connection has sent. Raises TooManyAttempts."""
        found = self._all.get(key)
        if found is None or found.caller == caller:
            return
        if self._callers[caller] >= self._most.of_caller:
            raise TooManyAttempts(
                f"{caller} has {self._most.of_caller} connections already.",
                hint="Close some of them, then try again.",
            )
        self._release(found)
        found.caller = caller
        self._callers[caller] += 1

    def answered(self, key: Hashable) -> None:
        """Note the end of a request: the next one on a proxy's connection is anybody's."""
        found = self._all.get(key)
        if found and not found.network:
            self._release(found)

    def remove(self, key: Hashable) -> None:
        """Forget a connection that was closed."""
        if found := self._all.pop(key, None):
            self._release(found)

    def _close(self, key: Hashable, found: _Connection) -> None:
        self.remove(key)
        found.close()

    def _release(self, found: _Connection) -> None:
        if found.caller:
            self._callers.subtract([found.caller])
            self._callers = +self._callers
            found.caller = ""

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:  # a unix socket of a proxy
            return True
        return any(found in network for network in self._proxies)


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return addresses and networks. Raises Unsupported."""
    try:
        return tuple(ip_network(text, strict=False) for text in texts)
    except ValueError as error:
        raise Unsupported(
            f"Controller.proxies: {error}.", hint="Write 10.0.0.7, or 10.0.0.0/24 for a network."
        ) from error


LOOPBACK = networks(["127.0.0.0/8", "::1/128"])
