"""Texts that cannot be sent: names or arguments that are not UTF-8, or not in this locale."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from ...errors import FieldError, refused
from ...model.texts import broken_text

_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")
"""The variables that name the locale, the strongest first."""


@contextmanager
def travelling(*values: Any) -> Iterator[None]:
    """Raise InvalidFields that names each text among the values that cannot be encoded."""
    try:
        yield
    except UnicodeEncodeError:
        broken = [each for value in values for each in _broken(msgspec.to_builtins(value), "")]
        raise refused(*broken) from None


def utf8(text: str) -> str:
    """Return a text that the system has given, where the locale has read its UTF-8 otherwise."""
    if sys.getfilesystemencoding() == "utf-8":
        return text
    try:
        return os.fsencode(text).decode(errors="surrogateescape")
    except UnicodeEncodeError:  # it was not given by the system
        return text


def locale_fault(text: str, encoding: str, environ: Mapping[str, str]) -> str:
    """Return how the locale of a process broke a text that is UTF-8; empty if it did not."""
    if encoding == "utf-8":
        return ""
    try:
        name = text.encode(errors="surrogateescape").decode()
    except UnicodeError:
        return ""
    used = next((each for each in _LOCALE if environ.get(each)), "LANG")
    setting = f"{used}={environ.get(used, '')}"
    return f"{name} cannot be read in this program's locale ({setting}, {encoding})."


def _broken(value: Any, path: str) -> Iterator[FieldError]:
    if isinstance(value, str) and (said := broken_text(value)):
        if why := locale_fault(value, sys.getfilesystemencoding(), os.environ):
            yield FieldError(path, why, "Start it with LC_ALL=C.UTF-8 and without PYTHONUTF8=0.")
        else:
            yield FieldError(path, said, "Rename it, or choose another.")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _broken(key, path)
            yield from _broken(each, f"{path}.{ascii(key)[1:-1]}".lstrip("."))
    elif isinstance(value, list | tuple):
        for i, each in enumerate(value):
            yield from _broken(each, f"{path}[{i}]")
