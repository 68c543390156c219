"""Variables that a cell takes to another kernel and gives back: the end in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...errors import FieldError, InvalidFields, Unavailable, refuse, refused
from .pickles import WINDOW, Arriving, TooLarge, pickled, pieces, size_of, unpickled

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
    try:
        found = list(pickled(values, values, limit))
    except TooLarge:
        raise _too_large("in", {name: size_of(values[name]) for name in values}, limit) from None
    problems = {name: problem for name, _, problem in found if problem}
    _refuse("in", problems, "Make it in the cell, or carry what it is made of.")
    sizes = {name: len(body) for name, body, _ in found}
    total, sent = sum(sizes.values()), 0
    talk.send({"do": "put", "items": list(sizes.items())})
    for piece in pieces((body for _, body, _ in found), talk.piece):
        talk.send({"do": "piece"}, [piece])
        sent += piece.nbytes
        _show(note, values, sent, total)
    _refuse("in", _answer(talk)["problems"], "Import or define its class there too.")
    return sizes


def get(
    talk: Talk, names: Sequence[str], note: Note, *, limit: int = LIMIT
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return variables of the other kernel, and the bytes of each.

    Raises InvalidFields for those that it does not have, or that cannot be pickled there or read
    here, or are too large; nothing has been sent then, except of those that cannot be read.
    """
    talk.send({"do": "get", "names": list(names), "limit": limit, "piece": talk.piece})
    answer = _answer(talk)
    if "sizes" in answer:
        raise _too_large("out", answer["sizes"], limit)
    _refuse("out", answer["problems"], "Assign it in the cell.")
    arriving, awaited = Arriving(answer["items"]), 0
    while arriving.left:
        if not awaited:
            talk.send({"do": "more"})
            awaited = WINDOW
        arriving.add(talk.receive()[1])
        awaited -= 1
        _show(note, names, arriving.size - arriving.left, arriving.size)
    values, problems = unpickled(arriving.bodies())
    _refuse("out", problems, "Import or define its class here too.")
    return values, dict(answer["items"])


def _show(note: Note, names: Iterable[str], done: int, total: int) -> None:
    """Show how far a large transfer is."""
    if total >= _LARGE:
        left = done < total
        note(f"{', '.join(names)}: {size_text(done)} of {size_text(total)}" if left else "")


def _answer(talk: Talk) -> dict[str, Any]:
    answer, _ = talk.receive()
    if "failed" in answer:
        raise Unavailable(
            f"The other kernel could not do that: {answer['failed']}.", hint="Try again."
        )
    return answer


def _refuse(field: str, problems: Mapping[str, str], hint: str) -> None:
    refuse(FieldError(field, f"{name}: {why.rstrip('.')}.", hint) for name, why in problems.items())


def _too_large(field: str, sizes: Mapping[str, int], limit: int) -> InvalidFields:
    shown = ", ".join(f"{name} ({size_text(size)})" for name, size in sizes.items())
    text = f"{shown}: more than {size_text(limit)}, the most that a cell carries."
    hint = "Write a file that both see, or carry less."
    return refused(FieldError(field, text, hint))
