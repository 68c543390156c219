"""Manifests: what is written is read, sorted, checked, and has an id by content alone."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib

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


def bomb(*pieces: bytes) -> bytes:
    """Return a compressed text of pieces, each of which is repeated."""
    deflate = zlib.compressobj(9, wbits=31)
    return b"".join([deflate.compress(piece) for piece in pieces]) + deflate.flush()


def test_a_line_without_end_is_refused_soon() -> None:
    endless = bomb(b'{"path":"', *[b"a" * (1 << 20)] * 64)
    with pytest.raises(Damaged, match=r"longer than 16 MiB|200 times"):
        list(manifest.decode([endless]))


def test_a_line_that_is_too_long_is_refused_however_well_it_is_compressed() -> None:
    noise = [os.urandom(1 << 19).hex().encode() for _ in range(17)]
    with pytest.raises(Damaged, match="longer than 16 MiB"):
        list(manifest.decode([bomb(b'{"path":"', *noise)]))


def test_a_file_of_a_tebibyte_has_a_long_line() -> None:
    parts = tuple(hashlib.sha256(b"%d" % number).hexdigest() for number in range(1 << 14))
    entry = Entry(path="all.bin", size=1 << 40, sha256=HASH)
    version, body = manifest.encode([(entry, Location(parts=parts))])
    assert [each.path for each, _ in manifest.decode([body], version)] == ["all.bin"]


@given(st.lists(st.text(alphabet="ab/", min_size=1, max_size=6), unique=True))
def test_nothing_lies_below_a_file(names: list[str]) -> None:
    names = sorted(name for name in names if not paths.problem(name))
    below = [name for name in names if any(name.startswith(f"{each}/") for each in names)]
    if below:
        with pytest.raises(Damaged, match="lies below"):
            list(manifest.decode(packed(*map(file, names))))
    else:
        assert len(list(manifest.decode(packed(*map(file, names))))) == len(names)


def test_many_paths_that_begin_alike_are_checked_in_time() -> None:
    chain = ["a" * length for length in range(1, 200)]
    paths_ = sorted(chain + [f"{'a' * 199}{number:06}" for number in range(20_000)])
    version, body = manifest.encode((Entry(path=each, sha256=HASH), NOWHERE) for each in paths_)
    assert len(list(manifest.decode([body], version))) == len(paths_)


@pytest.mark.parametrize(
    "line",
    [
        b'{"path":"a","mode":"100644","size":99999999999999999999999999,"sha256":"' + HASH.encode(),
        b'{"path":"a","mode":"100644","size":9007199254740993,"sha256":"' + HASH.encode(),
        b'{"path":"\xff","mode":"040000',
        b'{"path":"\\ud800","mode":"040000',
        b'{"path":"\xc3\xa9","raw":true,"mode":"040000',
        b'{"path":"a","raw":true,"mode":"040000',
        b"[" * 100_000,
        b'{"path":"a","x":' + b"[" * 100_000,
        b"",
        b"\0",
    ],
)
def test_every_malformed_line_is_damaged(line: bytes) -> None:
    with pytest.raises(Damaged):
        list(manifest.decode([gzip.compress(line + b'"}\n')]))


def test_a_text_that_inflates_much_is_refused() -> None:
    lines = b"".join(b'{"path":"%s/%07d"}\n' % (b"a" * 3000, number) for number in range(4_000))
    with pytest.raises(Damaged, match="200 times its compressed"):
        list(manifest.read(bomb(lines)))
