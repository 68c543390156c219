"""Variables between two kernels: both ends, without a kernel."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.client.variables import near, pickles
from jupyter_gpuquota.errors import InvalidFields, Unavailable

sizes = st.lists(st.integers(0, 50), max_size=8)


class There:
    """The other end, in this process; `sent` are the messages to it."""

    piece = 1000

    def __init__(self, namespace: dict | None = None) -> None:
        self.namespace = namespace if namespace is not None else {}
        self.sent: list[tuple] = []
        self._answers: deque = deque()
        talk = pickles.Conversation(self.namespace, self._answer)
        self._hear = talk.hear

    def _answer(self, data, buffers=()):
        self._answers.append((data, [bytes(each) for each in buffers]))

    def send(self, data, buffers=()):
        self.sent.append((data["do"], sum(each.nbytes for each in buffers)))
        self._hear(data, buffers)

    def receive(self):
        if not self._answers:
            raise Unavailable("Nothing will come.")
        return self._answers.popleft()


def quiet(_text: str) -> None:
    """Show nothing."""


def array() -> np.ndarray:
    return np.arange(50_000, dtype="f8").reshape(100, 500)


def test_arrays_arrive_writable_and_equal_in_both_directions():
    there, sent = There(), {"a": array(), "t": array().T, "s": array()[:, ::2], "n": {"k": None}}
    assert near.put(there, sent, quiet)["a"] >= 400_000
    found, size = near.get(there, list(sent), quiet)
    for name in ("a", "t", "s"):
        assert np.array_equal(found[name], sent[name])
        found[name][0, 0] = -1  # its memory is its own
    assert found["n"] == {"k": None}
    assert size["a"] >= 400_000
    assert there.namespace["a"][0, 0] == 0


def test_no_message_is_larger_than_a_piece():
    there = There()
    near.put(there, {"a": array(), "b": "small", "c": array()}, quiet)
    found = [size for do, size in there.sent if do == "piece"]
    assert (found.count(1000), max(found)) == (800, 1000)


def test_how_far_a_large_transfer_is_is_shown_and_ends():
    notes: list[str] = []
    there = There()
    near.put(there, {"small": array()}, notes.append)
    assert notes == []
    there.piece = 32 << 20
    near.put(there, {"a": bytearray(65 << 20)}, notes.append)
    assert notes == ["a: 32 MiB of 65 MiB", "a: 64 MiB of 65 MiB", ""]
    near.get(there, ["a"], notes.append)
    assert notes[3:] == notes[:3]


@pytest.mark.parametrize("limit", [1000, 390_000])
def test_more_than_the_limit_is_refused_with_sizes_and_nothing_is_sent(limit):
    there = There()
    with pytest.raises(InvalidFields, match=r"a \(391 KiB\).*more than"):
        near.put(there, {"a": array()}, quiet, limit=limit)
    assert there.sent == []
    there.namespace["a"] = array()
    with pytest.raises(InvalidFields, match=r"out: .*a \(391 KiB\).*more than"):
        near.get(there, ["a"], quiet, limit=limit)
    assert [do for do, _ in there.sent] == ["get"]


def test_the_limit_counts_all_variables_and_what_is_inside_of_pickles():
    near.put(There(), {"a": b"x" * 600, "b": b"x" * 300}, quiet, limit=1000)
    with pytest.raises(InvalidFields, match="more than 1000 B"):
        near.put(There(), {"a": b"x" * 600, "b": b"x" * 600}, quiet, limit=1000)


class Fragile:
    """A value that cannot be read."""

    def __reduce__(self):
        return int, ("not a number",)


def test_all_problems_are_told_at_once_and_nothing_is_set():
    there = There()
    with pytest.raises(InvalidFields) as caught:
        near.put(there, {"g": (i for i in ()), "l": lambda: 0, "x": 1}, quiet)
    assert [each.message.split(":")[0] for each in caught.value.fields] == ["g", "l"]
    assert there.sent == []
    with pytest.raises(InvalidFields, match="in: f: ValueError"):
        near.put(there, {"x": 1, "f": Fragile()}, quiet)
    assert there.namespace == {}
    there.namespace |= {"f": Fragile(), "x": 1, "g": (i for i in ())}
    with pytest.raises(InvalidFields, match="out: f: ValueError"):
        near.get(there, ["x", "f"], quiet)
    with pytest.raises(InvalidFields) as caught:
        near.get(there, ["g", "x", "missing"], quiet)
    assert len(caught.value.fields) == 2


@given(sizes, st.integers(1, 60))
def test_pieces_make_up_their_bodies(lengths, most):
    bodies = [os.urandom(length) for length in lengths]
    arriving = pickles.Arriving((str(n), length) for n, length in enumerate(lengths))
    for piece in pickles.pieces(bodies, most):
        assert 0 < piece.nbytes <= most
        arriving.add([piece])
    assert (arriving.left, arriving.size) == (0, sum(lengths))
    assert [bytes(body) for _, body in arriving.bodies()] == bodies


def test_more_bytes_than_announced_are_refused():
    with pytest.raises(ValueError, match="more bytes"):
        pickles.Arriving([("x", 3)]).add([b"four"])


def test_variables_are_kept_in_a_file_and_taken_from_it_once(tmp_path: Path):
    path = pickles.kept_file(str(tmp_path))
    values = {"a": array(), "g": (i for i in ()), "x": 1}
    problems = pickles.write(values, ["a", "g", "no", "x"], path)
    assert problems == {
        "g": "generator cannot be pickled: cannot pickle 'generator' object.",
        "no": "There is no such variable.",
    }
    [file] = tmp_path.rglob("*.zip*")
    assert (str(file), file.stat().st_mode & 0o777) == (path, 0o600)
    found, unread = pickles.read(path)
    assert (list(found), unread) == (["a", "x"], {})
    namespace = {"y": 2}
    pickles.take(namespace, path)
    assert np.array_equal(namespace.pop("a"), array())
    assert namespace == {"x": 1, "y": 2}
    assert not file.exists()
    pickles.take(namespace, path)
    pickles.forget(path)


def test_what_cannot_be_read_stays_in_its_file_and_the_rest_is_taken(tmp_path: Path):
    path = pickles.kept_file(str(tmp_path))
    pickles.write({"f": Fragile(), "x": 1}, ["f", "x"], path)
    namespace: dict = {}
    pickles.take(namespace, path)
    assert namespace == {"x": 1}
    found, unread = pickles.read(path)
    assert (found, list(unread)) == ({"x": 1}, ["f"])


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path: Path, monkeypatch):
    path = pickles.kept_file(str(tmp_path))
    pickles.write({"x": 1}, ["x"], path)

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pickles.zipfile.ZipFile, "writestr", full)
    with pytest.raises(OSError, match="No space left"):
        pickles.write({"x": 2}, ["x"], path)
    assert [str(each) for each in tmp_path.rglob("*.zip*")] == [path]
    assert pickles.read(path)[0] == {"x": 1}


def test_a_request_that_fails_there_is_told():
    there = There()
    there.send = lambda *_: there._hear({"do": "put"})
    with pytest.raises(Unavailable, match="KeyError"):
        near.put(there, {"x": 1}, quiet)


def test_the_program_needs_nothing_of_ours():
    code = pickles.program("m['take']")
    assert "import jupyter_gpuquota" not in code
    assert "from ." not in code
    compile(code, "program", "eval")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1000, "1000 B"), (1536, "1.5 KiB"), (3 << 30, "3.0 GiB")]
)
def test_sizes_are_for_people(size, text):
    assert near.size_text(size) == text
