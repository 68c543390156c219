"""All formats that are read, the most particular first."""

from __future__ import annotations

from ...errors import FieldError, refused
from . import dvc, huggingface, lakefs, prefix
from .state import Format

FORMATS: tuple[Format, ...] = (
    dvc.FORMAT,
    huggingface.FORMAT,
    lakefs.FORMAT,
    prefix.FORMAT,
)


def find(place: str, name: str = "") -> Format:
    """Return the format of a name, or the first one that a place looks like.

    :raises InvalidFields: there is none.
    """
    known = {each.name: each for each in FORMATS}
    if name and name not in known:
        raise refused(FieldError("format", f"Formats are {', '.join(known)}."))
    if name:
        return known[name]
    for each in FORMATS:
        if each.matches(place):
            return each
    raise refused(
        FieldError(
            "source",
            f"{place} has no format that can be imported.",
            f"Name one: {', '.join(known)}. A plain folder is synced: data sync.",
        )
    )
