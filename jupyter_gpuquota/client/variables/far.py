"""The end of variables that a cell takes and gives, in the other kernel.

Its source runs there: it needs the standard library and IPython only. Variables are pickled with
protocol 5, their buffers apart, and come in pieces. Whoever reads a pickle runs its code, so only
one's own are read.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

TARGET = "jupyter_gpuquota.variables"
"""The comm target that serves variables."""
WINDOW = 8
"""Pieces that are sent for each request: what is not read yet stays in this kernel."""
_SMALL = 4096
"""Bytes of a buffer that is copied into its pickle: a part of its own would cost more."""


class TooLarge(ValueError):
    """The variables are larger than the limit."""


class _Bounded:
    """A file in memory that refuses to grow beyond a number of bytes."""

    def __init__(self, most: int) -> None:
        self.pieces: list[bytes] = []
        self.left = most

    def write(self, piece: Any) -> int:
        """Add bytes. Raises TooLarge."""
        self.take(len(piece))
        self.pieces.append(bytes(piece))
        return len(piece)

    def take(self, size: int) -> None:
        """Count bytes that are kept elsewhere. Raises TooLarge."""
        self.left -= size
        if self.left < 0:
            raise TooLarge


def pack(value: Any, most: int) -> list[memoryview]:
    """Return a variable as its pickle (protocol 5) and its buffers, which are not copied.

    Raises TooLarge for more than `most` bytes, and whatever its class raises.
    """
    file, buffers = _Bounded(most), []

    def aside(buffer: pickle.PickleBuffer) -> bool:
        try:
            raw = buffer.raw()
        except BufferError:  # not contiguous
            return True
        if raw.nbytes < _SMALL:
            return True
        file.take(raw.nbytes)
        buffers.append(raw)
        return False

    pickle.Pickler(file, 5, buffer_callback=aside).dump(value)
    return [memoryview(b"".join(file.pieces)), *buffers]


def unpack(parts: list[bytearray]) -> Any:
    """Return the variable of a pickle and its buffers, which become its memory."""
    return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 (one's own: see the module)


def pieces(parts: Iterable[memoryview], most: int) -> Iterator[list[memoryview]]:
    """Yield the bytes of all parts in order, in lists of at most `most` bytes."""
    group: list[memoryview] = []
    room = most
    for part in parts:
        at = 0
        while at < part.nbytes:
            piece = part[at : at + room]
            group.append(piece)
            at, room = at + piece.nbytes, room - piece.nbytes
            if not room:
                yield group
                group, room = [], most
    if group:
        yield group


class Filling:
    """Parts of known sizes, filled by the pieces of `pieces`."""

    def __init__(self, sizes: Iterable[int]) -> None:
        self.parts = [bytearray(size) for size in sizes]
        self.left = sum(map(len, self.parts))
        self._part = self._at = 0

    def add(self, group: Iterable[Any]) -> None:
        """Add pieces. Raises ValueError for more bytes than there are places."""
        for piece in group:
            rest = memoryview(piece).cast("B")
            if rest.nbytes > self.left:
                raise ValueError("more bytes than were announced")
            self.left -= rest.nbytes
            while rest.nbytes:
                part = self.parts[self._part]
                size = min(rest.nbytes, len(part) - self._at)
                part[self._at : self._at + size] = rest[:size]
                rest, self._at = rest[size:], self._at + size
                if self._at == len(part):
                    self._part, self._at = self._part + 1, 0


def size_of(value: Any) -> int:
    """Return the bytes of an array, else of the object itself."""
    try:
        return int(value.nbytes)
    except Exception:  # noqa: BLE001 (an attribute of any class)
        return sys.getsizeof(value, 0)


class Conversation:
    """Serves the requests of one comm on the variables of a kernel."""

    def __init__(self, namespace: dict[str, Any], send: Any) -> None:
        self._namespace = namespace
        self._send: Callable[..., None] = send
        self._filling: Filling | None = None
        self._items: list[tuple[str, int]] = []
        self._leaving: Any = iter(())

    def hear(self, data: dict[str, Any], buffers: Any = ()) -> None:
        """Answer one request: `put` and its `piece`s, `get` and `more` of its pieces."""
        try:
            answer = getattr(self, f"_{data['do']}")(data, buffers)
        except Exception as error:  # noqa: BLE001 (the other end reports it)
            answer = {"failed": f"{type(error).__name__}: {error}"}
        if answer:
            self._send(answer)

    def _put(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any] | None:
        self._items = [(name, len(sizes)) for name, sizes in data["items"]]
        self._filling = Filling([size for _, sizes in data["items"] for size in sizes])
        return None

    def _piece(self, _data: dict[str, Any], buffers: Any) -> dict[str, Any] | None:
        filling = self._filling
        assert filling  # noqa: S101 (`put` comes first)
        filling.add(buffers)
        if filling.left:
            return None
        self._filling, at, values, problems = None, 0, {}, {}
        for name, count in self._items:
            try:
                values[name] = unpack(filling.parts[at : at + count])
            except Exception as error:  # noqa: BLE001 (whatever a class raises when it is read)
                problems[name] = f"{type(error).__name__}: {error}"
            at += count
        if not problems:
            self._namespace.update(values)
        return {"names": list(values), "problems": problems}

    def _get(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any]:
        names, room = data["names"], data["limit"]
        problems = {
            name: "There is no such variable." for name in names if name not in self._namespace
        }
        items, parts = [], []
        for name in names:
            if name in problems:
                continue
            try:
                packed = pack(self._namespace[name], room)
            except TooLarge:
                there = (each for each in names if each not in problems)
                return {"large": name, "sizes": {n: size_of(self._namespace[n]) for n in there}}
            except Exception as error:  # noqa: BLE001 (whatever a class raises when it is pickled)
                problems[name] = f"{type(error).__name__}: {error}"
                continue
            room -= sum(part.nbytes for part in packed)
            items.append((name, [part.nbytes for part in packed]))
            parts += packed
        self._leaving = iter(()) if problems else pieces(parts, data["piece"])
        return {"items": items, "problems": problems}

    def _more(self, _data: dict[str, Any], _buffers: Any) -> None:
        for _, group in zip(range(WINDOW), self._leaving, strict=False):
            self._send({"piece": True}, group)


def serve(shell: Any) -> None:
    """Serve variables of IPython's shell at the comm target."""

    def opened(comm: Any, message: Any) -> None:
        talk = Conversation(
            shell.user_ns,
            lambda data, buffers=None: comm.send(data, buffers=buffers),
        )
        comm.on_msg(lambda m: talk.hear(m["content"]["data"], m.get("buffers", ())))
        talk.hear(message["content"]["data"], message.get("buffers", ()))

    shell.kernel.comm_manager.register_target(TARGET, opened)
