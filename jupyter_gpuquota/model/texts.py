"""Texts that cannot be sent: names of files or arguments that are not UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from ..errors import FieldError, refused


@contextmanager
def travelling(*values: Any) -> Iterator[None]:
    """Raise InvalidFields that names each text among the values that cannot be encoded."""
    try:
        yield
    except UnicodeEncodeError:
        broken = [each for value in values for each in _broken(msgspec.to_builtins(value), "")]
        raise refused(*broken) from None


def broken_text(text: str) -> str:
    """Return what is wrong with a text that is not UTF-8; empty for others."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"{text!a} is not UTF-8."
    return ""


def _broken(value: Any, path: str) -> Iterator[FieldError]:
    if isinstance(value, str) and (said := broken_text(value)):
        yield FieldError(path, said, "Rename it, or choose another.")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _broken(key, path)
            yield from _broken(each, f"{path}.{ascii(key)[1:-1]}".lstrip("."))
    elif isinstance(value, list | tuple):
        for i, each in enumerate(value):
            yield from _broken(each, f"{path}[{i}]")
