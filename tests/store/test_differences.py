"""Two versions are compared path by path."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.store.entries import Difference, Entry, compare

VERSIONS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2))


@given(before=VERSIONS, after=VERSIONS)
def test_the_differences_lead_from_one_version_to_the_other(
    before: dict[str, int], after: dict[str, int]
) -> None:
    old = [Entry(path, size=size) for path, size in sorted(before.items())]
    new = [Entry(path, size=size) for path, size in sorted(after.items())]
    result = dict(before)
    for each in compare(old, new):
        if each.after:
            assert (each.change == "added") == (each.path not in before)
            result[each.path] = each.after.size
        else:
            assert each.change == "removed"
            del result[each.path]
    assert result == after


def test_equal_versions_do_not_differ() -> None:
    entries = [Entry("a", size=1), Entry("b", size=2)]
    assert list(compare(entries, entries)) == []
    assert list(compare([], entries[:1])) == [Difference(None, entries[0])]
