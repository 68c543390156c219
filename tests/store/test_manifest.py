"""Manifests: what is written is read, sorted, checked, and has an id by content alone."""

from __future__ import annotations

import gzip
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.store import manifest, paths
from jupyter_gpuquota.store.entries import (
    EMPTY,
    EXECUTABLE,
    FILE,
    FOLDER,
    LINK,
    NOWHERE,
    Entry,
    Location,
)

HASH = "ab" * 32
OTHER = "cd" * 32

NAMES = st.binary(min_size=1, max_size=20).filter(
    lambda raw: not set(raw) & {0, ord("/")} and raw not in {b".", b".."}
)
FILES = st.builds(
    Entry,
    path=NAMES.map(os.fsdecode),
    mode=st.sampled_from([FILE, EXECUTABLE]),
    size=st.integers(0, 2**50),
    sha256=st.binary(min_size=32, max_size=32).map(bytes.hex),
)
LINKS = st.builds(
    Entry, path=NAMES.map(os.fsdecode), mode=st.just(LINK), target=NAMES.map(os.fsdecode)
)
FOLDERS = st.builds(Entry, path=NAMES.map(os.fsdecode), mode=st.just(FOLDER))
TREES = st.lists(FILES | LINKS | FOLDERS, unique_by=lambda entry: entry.path).map(
    lambda entries: sorted(entries, key=lambda entry: paths.sort_key(entry.path))
)
LOCATIONS = st.one_of(
    st.just(NOWHERE),
    st.builds(Location, pack=st.just(HASH), offset=st.integers(0, 2**26)),
    st.builds(Location, parts=st.just((HASH, OTHER))),
)


def packed(*lines: object) -> list[bytes]:
    return [gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines))]


def file(path: str) -> dict[str, object]:
    return {"path": path, "mode": FILE, "size": 1, "sha256": HASH}


@given(tree=TREES, data=st.data(), size=st.integers(1, 50))
def test_what_is_written_is_read(tree: list[Entry], data: st.DataObject, size: int) -> None:
    located = [(each, data.draw(LOCATIONS) if each.is_file else NOWHERE) for each in tree]
    version, body = manifest.encode(located)
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    assert list(manifest.decode(chunks, version)) == located


@given(tree=TREES, data=st.data())
def test_the_id_depends_on_the_content_alone(tree: list[Entry], data: st.DataObject) -> None:
    bare, _ = manifest.encode((each, NOWHERE) for each in tree)
    located, _ = manifest.encode(
        (each, data.draw(LOCATIONS) if each.is_file else NOWHERE) for each in tree
    )
    assert located == bare


def test_a_manifest_is_lines_of_json() -> None:
    _, body = manifest.encode(
        [
            (Entry("a", EXECUTABLE, 3, HASH), Location(pack=OTHER, offset=7)),
            (Entry("b", LINK, target="a"), NOWHERE),
            (Entry(os.fsdecode(b"\xe9"), FOLDER), NOWHERE),
        ]
    )
    assert [json.loads(line) for line in gzip.decompress(body).splitlines()] == [
        {"path": "a", "mode": "100755", "size": 3, "sha256": HASH, "pack": OTHER, "offset": 7},
        {"path": "b", "mode": "120000", "target": "a"},
        {"path": "6Q==", "raw": True, "mode": "040000"},
    ]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([file("b"), file("a")], "not in order"),
        ([file("a"), file("a")], "twice"),
        ([file("a"), file("a/b")], "lies below"),
        ([file("a"), file("a-b"), file("a/c")], "lies below"),
        ([file("../a")], r"`\.\.`"),
        ([file("/a")], "absolute"),
        ([file("a//b")], "empty part"),
        ([file("")], "empty"),
        ([file("a\0")], "NUL"),
        ([file("x" * 256)], "longer than 255"),
        ([{**file("a"), "size": -1}], "size or hash"),
        ([{**file("a"), "sha256": "ABC"}], "size or hash"),
        ([{**file("a"), "pack": "../x"}], "location"),
        ([{**file("a"), "mode": "100777"}], "mode is unknown"),
        ([{**file("a"), "other": 1}], "malformed"),
        ([{**file("a"), "path": "!", "raw": True}], "malformed"),
        ([{"path": "a", "mode": LINK, "target": "/etc/passwd"}], "absolute"),
        ([{"path": "a", "mode": LINK, "target": ""}], "no target"),
        ([{"path": "a", "mode": LINK, "target": ".."}], "leaves"),
        ([{"path": "a/b", "mode": LINK, "target": "../../c"}], "leaves"),
        ([{"path": "a", "mode": LINK, "target": "b/../../c"}], "after a name"),
        ([5], "malformed"),
    ],
)
def test_a_manifest_that_breaks_a_rule_is_refused(lines: list[object], why: str) -> None:
    with pytest.raises(Damaged, match=why):
        list(manifest.decode(packed(*lines)))


def test_a_manifest_that_was_cut_or_changed_is_refused() -> None:
    version, body = manifest.encode([(Entry("a", FILE, 0, EMPTY), NOWHERE)])
    for chunks in ([body[:-9]], [b"text"], [], [body, b"more"], [body[:20] + b"??" + body[22:]]):
        with pytest.raises(Damaged):
            list(manifest.decode(chunks, version))
    with pytest.raises(Damaged, match="not that of version"):
        list(manifest.decode([body], HASH))


def test_links_inside_the_version_are_kept() -> None:
    for path, target in [("a", "b"), ("a/b", "../c"), ("a/b/c", "./../../d/e"), ("a", ".")]:
        assert not paths.link_problem(path, target)


def test_paths_that_differ_by_case_clash_elsewhere() -> None:
    assert list(paths.clashes(["A", "b", "a", "Straße", "STRASSE"])) == [
        ("A", "a"),
        ("Straße", "STRASSE"),
    ]
