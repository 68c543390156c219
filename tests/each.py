"""Tests of many rows: one test, which names all rows that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import update_wrapper
from typing import TypeVar

import pytest

T = TypeVar("T")


def each(
    rows: Iterable[T], name: Callable[[T], object] = str
) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """Call a test function with each row; it fails with the names of those for which it fails."""

    def decorated(test: Callable[[T], None]) -> Callable[[], None]:
        def run() -> None:
            failed = []
            for row in rows:
                try:
                    test(row)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 (others are tried)
                    failed.append(f"{name(row)}: {type(error).__name__}: {error}")
            assert not failed, "\n".join(failed)

        update_wrapper(run, test)
        del run.__wrapped__  # pytest would look for fixtures by the names of its arguments
        return run

    return decorated
