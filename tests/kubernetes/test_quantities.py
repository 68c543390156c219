"""Quantities as integers, compared with the official client's parser."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.kubernetes import quantities

ORDINARY = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]


@pytest.mark.parametrize(
    ("quantity", "units"),
    [
        ("0", 0),
        (4, 4),
        ("2k", 2000),
        ("2500", 2500),
        ("17k", 17_000),
        ("1500m", 2),
        ("1n", 1),
        ("0.5", 1),
        (".5k", 500),
        ("5.", 5),
        ("1e3", 1000),
        ("12E2", 1200),
        ("1E", 10**18),
        ("1Ki", 1024),
        ("-1500m", -2),
        ("+3", 3),
    ],
)
def test_units_are_rounded_up(quantity: str | int, units: int) -> None:
    assert quantities.units(quantity) == units


def test_thousandths_and_memory() -> None:
    assert quantities.thousandths("0.5") == 500
    assert quantities.thousandths("250m") == 250
    assert quantities.thousandths(2) == 2000
    assert quantities.mebibytes("8Gi") == 8192
    assert quantities.mebibytes("1") == 1
    assert quantities.mebibytes("10Ti") == 10 * 1024**2


@pytest.mark.parametrize("wrong", ["", "x", "1 Gi", "ki", "1ki", "1K", "1e", "NaN", "1_0", "--1"])
def test_what_is_not_a_quantity_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        quantities.exact(wrong)


def test_canonical_forms() -> None:
    assert [quantities.text(n) for n in (0, 2000, 2500, 17_000, 10**21)] == [
        "0",
        "2k",
        "2500",
        "17k",
        "1000E",
    ]
    assert [quantities.thousandths_text(n) for n in (500, 2000, 2500)] == ["500m", "2", "2500m"]
    assert [quantities.memory_text(n) for n in (0, 1, 8192, 1536)] == ["0", "1Mi", "8Gi", "1536Mi"]


@given(st.integers(min_value=0, max_value=10**15))
def test_what_is_written_is_read_back(amount: int) -> None:
    assert quantities.units(quantities.text(amount)) == amount
    assert quantities.thousandths(quantities.thousandths_text(amount)) == amount
    assert quantities.mebibytes(quantities.memory_text(amount)) == amount


@given(
    st.decimals(min_value=0, max_value=10**6, places=3, allow_nan=False),
    st.sampled_from(ORDINARY),
)
def test_the_official_parser_agrees(number: object, suffix: str) -> None:
    official = pytest.importorskip("kubernetes.utils.quantity")
    written = f"{number}{suffix}"
    assert quantities.exact(written) == Fraction(official.parse_quantity(written))
