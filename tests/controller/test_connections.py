"""Which connection goes when there are too many."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.controller.connections import LOOPBACK, Connections, Most, networks
from jupyter_gpuquota.errors import TooManyAttempts, Unsupported


class Opened:
    """Connections that are numbered, and those that were closed."""

    def __init__(self, most: Most, *proxies: str) -> None:
        self.closed: list[int] = []
        self.all = Connections(most, [*networks(proxies), *LOOPBACK])

    def add(self, number: int, address: str) -> bool:
        return self.all.add(number, address, lambda: self.closed.append(number))


def test_an_address_without_tokens_closes_its_own_oldest_ones() -> None:
    opened = Opened(Most(strangers=2))
    for number, address in enumerate(["1.1.1.1", "2.2.2.2", "1.1.1.1", "1.1.1.1"]):
        assert opened.add(number, address)
    assert opened.closed == [0]


def test_one_machine_is_one_address() -> None:
    opened = Opened(Most(strangers=1))
    opened.add(0, "2001:db8::1")
    opened.add(1, "2001:db8::2")
    assert opened.closed == [0]


def test_those_with_a_token_stay() -> None:
    opened = Opened(Most(connections=2, strangers=1))
    opened.add(0, "1.1.1.1")
    opened.all.identify(0, "ana")
    opened.add(1, "1.1.1.1")
    assert opened.add(2, "2.2.2.2")
    assert opened.closed == [1]
    opened.all.identify(2, "li")
    assert not opened.add(3, "3.3.3.3")
    opened.all.remove(2)
    assert opened.add(4, "3.3.3.3")


@pytest.mark.parametrize("address", ["10.0.0.7", "10.1.2.3", "127.0.0.1", "::1", "", "0"])
def test_a_proxy_has_no_limit_for_its_address(address: str) -> None:
    opened = Opened(Most(connections=3, strangers=1), "10.0.0.7", "10.1.0.0/16")
    assert all(opened.add(number, address) for number in range(3))
    assert opened.closed == []
    opened.add(3, "1.1.1.1")
    assert opened.closed == [0]
    opened.add(4, address)
    assert opened.closed == [0, 3]


def test_of_a_proxy_requests_count_for_the_caller() -> None:
    opened = Opened(Most(of_caller=1))
    opened.add(0, "127.0.0.1")
    opened.add(1, "127.0.0.1")
    opened.all.identify(0, "ana")
    with pytest.raises(TooManyAttempts, match="ana has 1 connections"):
        opened.all.identify(1, "ana")
    opened.all.answered(0)
    opened.all.identify(1, "ana")


def test_a_caller_is_counted_for_what_is_open() -> None:
    opened = Opened(Most(of_caller=1))
    for number in range(3):
        opened.add(number, "1.1.1.1")
        opened.all.identify(number, "ana")
        opened.all.identify(number, "ana")
        opened.all.answered(number)
        opened.all.remove(number)
        opened.all.remove(number)
    opened.all.identify(9, "ana")


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"proxies: 'proxy\.example'"):
        networks(["proxy.example"])
