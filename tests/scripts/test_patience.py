"""How long tests wait in vain."""

from __future__ import annotations

import pytest

from tests.waiting import QUIET, patience, stretched


@pytest.mark.parametrize(
    ("share", "times"), [("0.00", 1), ("50.00", 2), ("75.00", 4), ("99.99", 4), ("100.00", 4)]
)
def test_a_busy_machine_gets_more_time(share: str, times: int) -> None:
    pressure = f"some avg10={share} avg60=3.10 avg300=34.50 total=9514417564\nfull avg10=0.00"
    assert stretched(pressure) == pytest.approx(times * QUIET, rel=0.01)


def test_it_is_between_the_two_on_this_machine() -> None:
    assert QUIET <= patience() <= 4 * QUIET
