"""Limit the rate of unknown tokens from one address: it slows guessing and protects the Hub."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable

from ..errors import TooManyAttempts

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
