"""Naming a version or a snapshot by the beginning of its id."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import Ambiguous, NotFound
from ..model.datasets.versions import SHORTEST, SHOWN

_LISTED = 10


def with_beginning(ref: str, ids: Iterable[str], noun: str) -> str:
    """Return the id that begins with `ref`, empty if none does.

    Shorter ones than `SHORTEST` are refused even if only one id begins so: a mistyped tag would
    often name something else.

    :raises Ambiguous: several ids begin so.
    :raises NotFound: it is too short.
    """
    found = [each for each in dict.fromkeys(ids) if ref and each.startswith(ref)]
    if not found:
        return ""
    some = ", ".join(each[:SHOWN] for each in found[:_LISTED])
    some += ", …" if len(found) > _LISTED else ""
    if len(ref) < SHORTEST:
        what = f"{ref!r} is too short for the id of a {noun}."
        raise NotFound(what, hint=f"Write at least {SHORTEST} digits of one of these: {some}.")
    if len(found) > 1:
        raise Ambiguous(f"{ref} is the beginning of several {noun}s: {some}.", hint="Add digits.")
    return found[0]
