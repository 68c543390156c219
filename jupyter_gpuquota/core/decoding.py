"""Requests made of plain values, from JSON, a query string or YAML, with every error at once."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UnsetType

from ..model.struct import Request
from .fields import FieldReader

R = TypeVar("R", bound=Request)

_EXPECTED = re.compile(r"Expected `(.+?)`(?: (>=|<=) (\S+))?")
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_BOUNDS = {">=": "at least", "<=": "at most"}


def decode(
    plain: object,
    wanted: type[R],
    reader: FieldReader,
    *,
    strict: bool = True,
    hidden: Container[str] = (),
) -> R | None:
    """Return a request made of plain values; None if a field is missing or of a wrong type.

    An unknown field is an error, too, but leaves the rest to be checked further. If not `strict`,
    text is converted to numbers. Fields in `hidden` count as unknown.
    """
    if not isinstance(plain, Mapping):
        reader.untranslated("", f"Must be an object, not {name_of(plain)}.")
        return None
    decoder = _Decoder(strict=strict, hidden=hidden)
    request = decoder.request(plain, wanted, reader)
    return request if decoder.complete else None


class _Decoder:
    def __init__(self, *, strict: bool, hidden: Container[str]) -> None:
        self._strict = strict
        self._hidden = hidden
        self.complete = True

    def request(self, plain: Mapping[str, Any], wanted: type[R], reader: FieldReader) -> R:
        """Make a request, or one inside another."""
        fields = {
            field.encode_name: field
            for field in msgspec.structs.fields(wanted)
            if field.encode_name not in self._hidden
        }
        types = get_type_hints(wanted, include_extras=True)
        for name in plain:
            if name not in fields:
                _refuse_unknown(name, [*fields], reader)
        values: dict[str, Any] = {}
        for name, field in fields.items():
            if name in plain:
                values[field.name] = self._value(name, plain[name], types[field.name], reader)
            elif field.required:
                values[field.name], self.complete = None, False
                reader.wrong(name, "field.required")
        return wanted(**values)

    def _value(self, name: str, value: Any, wanted: Any, reader: FieldReader) -> Any:
        """Convert one value, or the elements of a list or object one by one."""
        wanted = _inside(wanted, value)
        if isinstance(wanted, type) and issubclass(wanted, Request) and isinstance(value, Mapping):
            return self.request(value, wanted, reader.under(f"{name}."))
        origin, inner = get_origin(wanted), get_args(wanted)
        if origin is tuple and inner[-1] is Ellipsis and isinstance(value, list):
            return tuple(
                self._value(f"{name}[{i}]", each, inner[0], reader) for i, each in enumerate(value)
            )
        if origin is dict and isinstance(value, Mapping):
            return {
                key: self._value(f"{name}.{key}", each, inner[1], reader)
                for key, each in value.items()
            }
        strict = self._strict and wanted is not float  # YAML keeps decimals as text
        try:
            return msgspec.convert(value, wanted, strict=strict)
        except msgspec.ValidationError as error:
            _refuse(name, value, wanted, str(error), reader)
            self.complete = False
            return None


def name_of(value: Any) -> str:
    """Return a value in the words of an error message."""
    if isinstance(value, str):
        return repr(value) if len(value) < 40 else "a longer text"
    if isinstance(value, bool | None):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return str(value)
    return "a list" if isinstance(value, list) else "an object"


def _inside(wanted: Any, value: Any) -> Any:
    """Return the type of a value that may be left out, for a value that is there."""
    if get_origin(wanted) not in (Union, UnionType):
        return wanted
    kinds = [kind for kind in get_args(wanted) if kind is not UnsetType]
    if value is not None and len(kinds) > 1:
        kinds = [kind for kind in kinds if kind is not NoneType]
    if isinstance(value, list | Mapping):
        shape = tuple if isinstance(value, list) else Request
        kinds = [kind for kind in kinds if _is_of(kind, shape)] or kinds
    return Union[tuple(kinds)]  # noqa: UP007 (the types are known only here)


def _is_of(kind: Any, shape: type) -> bool:
    kind = get_origin(kind) or kind
    return isinstance(kind, type) and issubclass(kind, shape)


def _refuse(name: str, value: Any, wanted: Any, said: str, reader: FieldReader) -> None:
    """Note that a value is not of the wanted type, in words of our own."""
    choices = [arg for arg in get_args(wanted) if isinstance(arg, str)]
    expected = _EXPECTED.search(said)
    if choices and isinstance(value, str):
        reader.choice(name, value, choices)
    elif expected is None:
        reader.untranslated(name, said.split(" - at")[0] + ".")
    else:
        kinds = expected[1].split(" | ")
        words = [_WORDS.get(kind, kind) for kind in kinds if kind != "int" or "float" not in kinds]
        bound = f" of {_BOUNDS[expected[2]]} {expected[3]}" if expected[2] else ""
        text = f"Must be {' or '.join(words)}{bound}, not {name_of(value)}."
        reader.untranslated(name, text)


def _refuse_unknown(name: str, known: list[str], reader: FieldReader) -> None:
    if close := get_close_matches(name, known, n=1):
        reader.wrong(name, "field.unknown", near=close[0])
    elif known:
        reader.wrong(name, "field.unknown.all", fields=",".join(known))
    else:
        reader.wrong(name, "field.unknown.none")
