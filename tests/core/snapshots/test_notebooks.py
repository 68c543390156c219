"""Which notebooks of a volume are stored, so that their cells can be compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.snapshots.notebooks import MOST, SIZE, TOO_LARGE, TOTAL, File, choose


def test_each_content_is_stored_once_and_other_files_are_passed_over() -> None:
    files = [
        ("b.ipynb", 2, "2"),
        ("a/b.ipynb", 1, "1"),
        ("a/copy.ipynb", 1, "1"),
        ("model.bin", 1, "3"),
        ("link.ipynb", 0, ""),
        (".ipynb_checkpoints/b-checkpoint.ipynb", 2, "4"),
        (".git/logs/refs/heads/x.ipynb", 2, "5"),
    ]
    assert choose(files) == ({"1": "a/b.ipynb", "2": "b.ipynb"}, {})


@pytest.mark.parametrize("path", [".ssh/a.ipynb", "x/.kube/a.ipynb", ".azure/a.ipynb"])
def test_credentials_are_left_out(path: str) -> None:
    stored, left = choose([(path, 1, "1")])
    assert stored == {}
    assert "credentials" in left[path]


def test_what_is_over_a_limit_is_named() -> None:
    assert choose([("a.ipynb", SIZE, "1"), ("b.ipynb", SIZE + 1, "2")]) == (
        {"1": "a.ipynb"},
        {"b.ipynb": TOO_LARGE},
    )
    most = TOTAL // SIZE
    stored, left = choose([(f"{n}.ipynb", SIZE, str(n)) for n in range(most + 1)])
    assert (len(stored), len(left)) == (most, 1)
    stored, left = choose([(f"{n:03}.ipynb", n, str(n)) for n in range(MOST + 2)])
    assert sorted(left) == [f"{n}.ipynb" for n in (MOST, MOST + 1)]


FILES = st.lists(
    st.tuples(
        st.text("ab/.", min_size=1, max_size=6).map(lambda name: f"{name}.ipynb"),
        st.integers(0, TOTAL),
        st.text("12", max_size=2),
    ),
    max_size=20,
    unique_by=lambda each: each[0],
)


@given(files=FILES, data=st.data())
def test_the_order_of_files_does_not_matter(files: list[File], data: st.DataObject) -> None:
    assert choose(data.draw(st.permutations(files))) == choose(files)
