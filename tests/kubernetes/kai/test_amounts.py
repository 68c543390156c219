"""Numbers of KAI's queues, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.kubernetes.engines.kai.amounts import STEP, gpus_of, milli_of, seconds


@given(st.integers(0, 10_000).map(lambda hundredths: hundredths * STEP))
def test_what_is_written_is_read(milli: int) -> None:
    assert milli_of(gpus_of(milli)) == milli


def test_no_bound_is_minus_one() -> None:
    assert gpus_of(None) == -1
    assert milli_of(-1) is None


@given(st.lists(st.integers(1, 99), min_size=1, max_size=12))
def test_fractions_that_fill_a_quota_exactly_stay_within_it(hundredths: list[int]) -> None:
    total = sum(hundredths) * STEP
    held = 0.0
    for each in hundredths:
        held += each / 100  # as KAI adds them
    if total % 1000:
        assert held <= gpus_of(total) < (total + STEP) / 1000


def test_the_surplus_is_that_of_a_tenth_and_two_tenths() -> None:
    assert 0.1 + 0.2 > 0.3
    assert gpus_of(300) == 0.301
    assert gpus_of(4000) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1h30m", 5400), ("25s", 25), ("10m0s", 600), ("", 0), ("1.5h", 5400), ("soon", 0)],
)
def test_durations_of_go(text: str, expected: int) -> None:
    assert seconds(text) == expected
