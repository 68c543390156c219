"""Numbers of KAI's queues, both ways."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.kubernetes.engines.kai.objects import STEP, gpus_of, milli_of, seconds


@given(st.integers(0, 10_000).map(lambda hundredths: hundredths * STEP))
def test_what_is_written_is_read(milli: int) -> None:
    assert milli_of(gpus_of(milli)) == milli


def test_no_bound_is_minus_one() -> None:
    assert gpus_of(None) == -1
    assert milli_of(-1) is None


@given(st.lists(st.integers(1, 100), min_size=1, max_size=2000))
@example([20, 40, 30, 10])
@example([10, 20])
def test_fractions_that_fill_a_quota_exactly_stay_within_it(hundredths: list[int]) -> None:
    held = 0.0
    for each in hundredths:
        held += each / 100  # as KAI adds them
    bound = gpus_of(sum(hundredths) * STEP)
    assert held <= bound
    assert held + 0.01 > bound


def test_without_a_surplus_they_would_not() -> None:
    assert 0.1 + 0.2 > 0.3
    assert 0.2 + 0.4 + 0.3 + 0.1 > 1


def test_what_allows_nothing_allows_nothing() -> None:
    assert gpus_of(0) == 0


@given(st.lists(st.integers(1, 64), min_size=2, max_size=10))
@example([64] * 10)
@example([1] * 10)
def test_the_surplus_of_ten_queues_is_within_what_kai_tolerates(quotas: list[int]) -> None:
    total = sum(quotas) + 8
    left = float(total)
    for each in quotas:
        left -= gpus_of(each * 1000)
    assert 8 - 1e-9 <= left <= 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1h30m", 5400), ("25s", 25), ("10m0s", 600), ("", 0), ("1.5h", 5400), ("soon", 0)],
)
def test_durations_of_go(text: str, expected: int) -> None:
    assert seconds(text) == expected
