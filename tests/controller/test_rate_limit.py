"""The rate limit of unknown tokens from one address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.controller.authentication import AttemptLimit, network_of
from jupyter_gpuquota.errors import TooManyAttempts


class Clock:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def allowed(attempts: AttemptLimit, address: str, times: int) -> int:
    """Return how many of so many attempts are allowed."""
    count = 0
    for _ in range(times):
        try:
            attempts.spend(address)
        except TooManyAttempts:
            continue
        count += 1
    return count


def test_a_burst_then_a_trickle():
    clock = Clock()
    attempts = AttemptLimit(burst=5, per_second=0.5, clock=clock)
    assert allowed(attempts, "192.0.2.1", 10) == 5
    with pytest.raises(TooManyAttempts) as caught:
        attempts.spend("192.0.2.1")
    assert caught.value.wait == 2.0
    clock.now += 2
    assert allowed(attempts, "192.0.2.1", 10) == 1
    clock.now += 1000
    assert allowed(attempts, "192.0.2.1", 10) == 5


def test_addresses_do_not_share():
    attempts = AttemptLimit(burst=1, clock=Clock())
    assert [allowed(attempts, f"192.0.2.{n}", 2) for n in range(3)] == [1, 1, 1]


def test_what_was_known_is_given_back():
    attempts = AttemptLimit(burst=1, clock=Clock())
    for _ in range(5):
        attempts.spend("192.0.2.1")
        attempts.refund("192.0.2.1")
    assert allowed(attempts, "192.0.2.1", 2) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("", "", True),
    ],
)
def test_one_machine_has_many_addresses_of_ipv6(one, other, same):
    assert (network_of(one) == network_of(other)) is same


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.floats(0, 5))))
def test_no_more_than_the_rate_is_ever_allowed(steps):
    """Whatever comes when: never more than the burst and what time has added."""
    clock = Clock()
    attempts = AttemptLimit(burst=3, per_second=1, addresses=1000, clock=clock)
    begun, count = clock.now, {}
    for address, _, pause in steps:
        clock.now += pause
        count[address] = count.get(address, 0) + allowed(attempts, f"192.0.2.{address}", 1)
        assert count[address] <= 3 + (clock.now - begun) + 1e-6


def test_addresses_without_end_are_forgotten():
    attempts = AttemptLimit(burst=2, addresses=100, clock=Clock())
    for number in range(1000):
        attempts.spend(f"10.0.{number // 250}.{number % 250}")
    assert len(attempts._spent) == 100
