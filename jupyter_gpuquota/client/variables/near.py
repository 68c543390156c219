"""The end of variables in this process: what is asked of the other kernel, and refused before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...errors import FieldError, InvalidFields, Unavailable, refuse, refused
from . import far
from .far import Filling, TooLarge, pack, pieces, size_of, unpack
from .source import program as source

LIMIT = 1 << 30
"""The most bytes of variables that one cell carries in each direction."""

_LARGE = 64 << 20
"""Bytes of a transfer that takes long enough to show how far it is."""


class Talk(Protocol):
    """A comm with the other kernel. `piece` is the most bytes of a message."""

    piece: int

    def send(self, data: dict[str, Any], buffers: Sequence[Any] = ()) -> None:
        """Send one message."""

    def receive(self) -> tuple[dict[str, Any], Sequence[Any]]:
        """Return the next message. Raises Unavailable if none will come."""


Note = Callable[[str], None]
"""Shows how far a transfer is; an empty text ends it."""


def program() -> str:
    """Return the code that makes another kernel serve its variables at `far.TARGET`."""
    return source(far, 'm["serve"](get_ipython())')


def size_text(size: int) -> str:
    """Return a number of bytes for people, such as `12 MiB`."""
    value = float(size)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def put(talk: Talk, values: Mapping[str, Any], note: Note, *, limit: int = LIMIT) -> dict[str, int]:
    """Set variables in the other kernel, all or none; return the bytes of each.

    Raises InvalidFields for those that cannot be pickled, read there, or are too large; nothing has
    been sent then, except of those that the other kernel cannot read.
    """
    items, parts = _packed(values, limit)
    total = sum(part.nbytes for part in parts)
    talk.send({"do": "put", "items": items})
    sent = 0
    for group in pieces(parts, talk.piece):
        talk.send({"do": "piece"}, group)
        sent += sum(piece.nbytes for piece in group)
        _show(note, values, sent, total)
    answer = _answer(talk)
    _refuse("in", answer["problems"], "Import or define its class there too.")
    return _sizes(items)


def get(
    talk: Talk, names: Sequence[str], note: Note, *, limit: int = LIMIT
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return variables of the other kernel, and the bytes of each.

    Raises InvalidFields for those that it does not have, or that cannot be pickled there or read
    here, or are too large; nothing has been sent then, except of those that cannot be read.
    """
    talk.send({"do": "get", "names": list(names), "limit": limit, "piece": talk.piece})
    answer = _answer(talk)
    if "large" in answer:
        raise _too_large("out", names, answer["sizes"], limit)
    _refuse("out", answer["problems"], "Assign it in the cell.")
    filling = Filling([size for _, sizes in answer["items"] for size in sizes])
    total = filling.left
    awaited = 0
    while filling.left:
        if not awaited:
            talk.send({"do": "more"})
            awaited = far.WINDOW
        filling.add(talk.receive()[1])
        awaited -= 1
        _show(note, names, total - filling.left, total)
    return _unpacked(answer["items"], filling), _sizes(answer["items"])


def _packed(values: Mapping[str, Any], limit: int) -> tuple[list[Any], list[memoryview]]:
    items, parts, problems, room = [], [], {}, limit
    for name, value in values.items():
        try:
            packed = pack(value, room)
        except TooLarge:
            sizes = {each: size_of(values[each]) for each in values}
            raise _too_large("in", values, sizes, limit) from None
        except Exception as error:  # noqa: BLE001 (whatever a class raises when it is pickled)
            problems[name] = f"{type(error).__name__}: {error}"
            continue
        room -= sum(part.nbytes for part in packed)
        items.append((name, [part.nbytes for part in packed]))
        parts += packed
    _refuse("in", problems, "Make it in the cell, or carry what it is made of.")
    return items, parts


def _show(note: Note, names: Iterable[str], done: int, total: int) -> None:
    """Show how far a large transfer is."""
    if total >= _LARGE:
        left = done < total
        note(f"{', '.join(names)}: {size_text(done)} of {size_text(total)}" if left else "")


def _sizes(items: Iterable[tuple[str, Sequence[int]]]) -> dict[str, int]:
    return {name: sum(sizes) for name, sizes in items}


def _unpacked(items: Sequence[tuple[str, Sequence[int]]], filling: Filling) -> dict[str, Any]:
    values, problems, at = {}, {}, 0
    for name, sizes in items:
        try:
            values[name] = unpack(filling.parts[at : at + len(sizes)])
        except Exception as error:  # noqa: BLE001 (whatever a class raises when it is read)
            problems[name] = f"{type(error).__name__}: {error}"
        at += len(sizes)
    _refuse("out", problems, "Import or define its class here too.")
    return values


def _answer(talk: Talk) -> dict[str, Any]:
    answer, _ = talk.receive()
    if "failed" in answer:
        raise Unavailable(
            f"The other kernel could not do that: {answer['failed']}.", hint="Try again."
        )
    return answer


def _refuse(field: str, problems: Mapping[str, str], hint: str) -> None:
    refuse(FieldError(field, f"{name}: {why.rstrip('.')}.", hint) for name, why in problems.items())


def _too_large(
    field: str, names: Iterable[str], sizes: Mapping[str, int], limit: int
) -> InvalidFields:
    shown = ", ".join(f"{name} ({size_text(sizes[name])})" for name in names if name in sizes)
    text = f"{shown}: more than {size_text(limit)}, the most that a cell carries."
    hint = "Write a file that both see, or carry less."
    return refused(FieldError(field, text, hint))
