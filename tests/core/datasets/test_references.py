"""References to versions mean one version, or an error that says which there are."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core.datasets.references import check_tag, resolve
from jupyter_gpuquota.errors import Ambiguous, InvalidFields, NotFound

IDS = ["aaaa1", "aaaa2", "bbbb3"]
TAGS = {"good": "aaaa1", "lost": "gone"}


@pytest.mark.parametrize(
    ("ref", "wanted"),
    [
        ("", "bbbb3"),
        ("latest", "bbbb3"),
        ("good", "aaaa1"),
        ("aaaa2", "aaaa2"),
        ("bbbb", "bbbb3"),
    ],
)
def test_a_reference_names_one_version(ref: str, wanted: str) -> None:
    assert resolve("d", ref, IDS, TAGS) == wanted


def test_the_beginning_of_several_versions_is_refused_with_their_ids() -> None:
    with pytest.raises(Ambiguous, match="several versions: aaaa1, aaaa2"):
        resolve("d", "aaaa", IDS, TAGS)


@pytest.mark.parametrize(("ref", "listed"), [("bbb", "bbbb3"), ("a", "aaaa1, aaaa2")])
def test_a_beginning_that_is_too_short_says_what_begins_so(ref: str, listed: str) -> None:
    with pytest.raises(NotFound, match="too short") as caught:
        resolve("d", ref, IDS, TAGS)
    assert caught.value.hint == f"Write at least 4 digits of one of these: {listed}."


def test_a_version_that_was_committed_twice_is_one_version() -> None:
    assert resolve("d", "aaaa1", ["aaaa1", "bbbb3", "aaaa1"], {}) == "aaaa1"
    assert resolve("d", "latest", ["aaaa1", "bbbb3", "aaaa1"], {}) == "aaaa1"


@pytest.mark.parametrize("ref", ["lost", "zzzz", "ccc"])
def test_what_no_version_has_is_refused_with_the_tags(ref: str) -> None:
    with pytest.raises(NotFound, match="no version") as caught:
        resolve("d", ref, IDS, TAGS)
    assert "good" in caught.value.hint


def test_a_dataset_without_versions_says_how_to_make_one() -> None:
    with pytest.raises(NotFound, match="no versions yet") as caught:
        resolve("d", "latest", [], {})
    assert "data sync d" in caught.value.hint


@pytest.mark.parametrize("tag", ["good", "v1.0", "2026-01", "abc"])
def test_tags(tag: str) -> None:
    check_tag(tag)


@pytest.mark.parametrize("tag", ["", "-x", "a b", "a/b", "latest", "abcd", "0123", "x" * 64, "\n"])
def test_tags_that_mean_something_else_or_cannot_be_keys_are_refused(tag: str) -> None:
    with pytest.raises(InvalidFields):
        check_tag(tag)
