"""The last measurements of sessions."""

from __future__ import annotations

from jupyter_gpuquota.control.recorder import RECENT, recent


def test_the_newest_is_last_and_the_oldest_goes() -> None:
    known = {"s1": tuple(range(RECENT))}
    assert recent(known, {"s1": 99})["s1"] == (*range(1, RECENT), 99)


def test_what_is_not_measured_any_more_is_left_out() -> None:
    assert recent({"s1": (1,), "s2": (2,)}, {"s2": 3, "s3": 4}) == {"s2": (2, 3), "s3": (4,)}
