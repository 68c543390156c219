"""Make messages, reasons and field errors from the catalog.

Each carries its key and arguments beside the English text, so that a reader can translate it. The
arguments are those of the text and no others, so they disclose nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ...errors import FieldError
from ..reasons import Reason, ReasonCode
from ..struct import Message
from .catalog import CATALOG
from .formats import Arg
from .templates import Text, render


def message(key: str, /, **args: Arg) -> Message:
    """Return a sentence."""
    return Message(key=key, args=args, text=render(_entry(key, args).message, args))


def reason(code: ReasonCode, key: str, /, *, raw: str = "", **args: Arg) -> Reason:
    """Return a reason; `raw` is what an engine or a log said, which is never translated."""
    return reason_of(code, key, args, raw)


def reason_of(code: ReasonCode, key: str, args: Mapping[str, Arg], raw: str = "") -> Reason:
    """Return a reason with its arguments by name."""
    return _reason(code, key, tuple(args.items()), raw)


@lru_cache(maxsize=1024)  # thousands of sessions are queued for the same few reasons
def _reason(code: ReasonCode, key: str, items: tuple[tuple[str, Arg], ...], raw: str) -> Reason:
    args = dict(items)
    entry = _entry(key, args)
    return Reason(
        code=code,
        key=key,
        args=args,
        message=render(entry.message, args),
        hint=render(entry.hint, args),
        raw=raw,
    )


def field_error(field: str, key: str, /, **args: Arg) -> FieldError:
    """Return what is wrong with a field."""
    entry = _entry(key, args)
    return FieldError(
        field, render(entry.message, args), render(entry.hint, args), key=key, args=args
    )


def joined(*messages: Message) -> str:
    """Return sentences as one text."""
    return " ".join(each.text for each in messages)


def sentences_of(found: Reason) -> tuple[Message, ...]:
    """Return the sentences of a reason's message, without its hint."""
    rest = "".join(f" {each.text}" for each in found.more)
    first = Message(key=found.key, args=found.args, text=found.message.removesuffix(rest))
    return (first, *found.more)


def _entry(key: str, args: Mapping[str, Arg]) -> Text:
    """Return an entry of the catalog.

    Raises KeyError for an unknown key and TypeError for arguments other than those of the text.
    """
    entry = CATALOG[key]
    if args.keys() != entry.names:
        raise TypeError(f"{key} takes {sorted(entry.names)}, not {sorted(args)}")
    return entry
