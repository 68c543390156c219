"""Codes and logins, by the clock."""

from __future__ import annotations

import pytest
from jupyter_server.auth.identity import User

from jupyter_gpuquota.core.hosts import Place
from jupyter_gpuquota.server.ingress.hosts.handover import Handovers, Login

HERE = Place("sabcdefghi23")
LOGIN = Login(HERE, User("ana"), "https://lab.example.org")
DAY = 86400.0


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def handovers(clock: Clock) -> Handovers:
    return Handovers(clock)


def enter(handovers: Handovers, login: Login = LOGIN) -> str:
    entrance = handovers.redeem(handovers.offer(login, "/x?y"), login.place)
    assert entrance
    assert (entrance.login, entrance.target) == (login, "/x?y")
    return entrance.key


def test_a_code_counts_once(handovers: Handovers) -> None:
    code = handovers.offer(LOGIN, "/")
    assert handovers.redeem(code, HERE)
    assert handovers.redeem(code, HERE) is None


def test_a_code_is_no_key_and_a_key_no_code(handovers: Handovers) -> None:
    code = handovers.offer(LOGIN, "/")
    assert handovers.find(code, HERE) is None
    assert handovers.redeem(enter(handovers), HERE) is None


@pytest.mark.parametrize("other", [Place("szzzzzzzzzzz"), Place(HERE.session, 6006)])
def test_codes_and_keys_are_for_one_place(handovers: Handovers, other: Place) -> None:
    code, key = handovers.offer(LOGIN, "/"), enter(handovers)
    assert handovers.redeem(code, other) is None
    assert handovers.redeem(code, HERE) is None, "it was shown, so it is used up"
    assert handovers.find(key, other) is None
    assert handovers.find(key, HERE) == LOGIN


def test_a_code_is_good_for_seconds(handovers: Handovers, clock: Clock) -> None:
    in_time, late = handovers.offer(LOGIN, "/"), handovers.offer(LOGIN, "/")
    clock.now += 30
    assert handovers.redeem(in_time, HERE)
    clock.now += 1
    assert handovers.redeem(late, HERE) is None


def test_a_key_that_is_used_counts_for_a_month(handovers: Handovers, clock: Clock) -> None:
    key = enter(handovers)
    for _ in range(30):
        clock.now += DAY
        assert handovers.find(key, HERE) == LOGIN
    clock.now += DAY
    assert handovers.find(key, HERE) is None


def test_a_key_that_is_not_used_ends_sooner(handovers: Handovers, clock: Clock) -> None:
    key = enter(handovers)
    clock.now += 3 * DAY + 1
    assert handovers.find(key, HERE) is None


def test_logging_out_ends_only_the_users_own_logins(handovers: Handovers) -> None:
    other = Login(HERE, User("li"), "https://lab.example.org")
    key, code, others = enter(handovers), handovers.offer(LOGIN, "/"), enter(handovers, other)
    handovers.log_out("ana")
    assert handovers.find(key, HERE) is None
    assert handovers.redeem(code, HERE) is None
    assert handovers.find(others, HERE) == other


def test_expired_entries_take_no_room(handovers: Handovers, clock: Clock) -> None:
    first = handovers.offer(LOGIN, "/")
    for _ in range(10_000):
        handovers.offer(LOGIN, "/")
    assert handovers.redeem(first, HERE) is None
    assert handovers.redeem(handovers.offer(LOGIN, "/"), HERE)
