"""Read what a request says, and report everything that is wrong with it at once."""

from __future__ import annotations

import re
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl, urlencode

import msgspec

from ..errors import FieldError, InvalidRequest, refused
from ..model.base import Request

R = TypeVar("R", bound=Request)

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_OURS = frozenset({"token", "no_track_activity", "_xsrf"})
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class Empty(Request, frozen=True, kw_only=True):
    """Ask for nothing in particular: what a route without a request or query is given."""


def is_id(text: str) -> bool:
    """Return whether a part of a path can be an id; it never becomes part of a file's path."""
    return _ID.fullmatch(text) is not None


def own_query(query: str) -> str:
    """Return a query string without what Jupyter's front ends add to any.

    That is a token, marks for the server, and the time of day against caches.
    """
    pairs = parse_qsl(query, keep_blank_values=True)
    kept = [(n, v) for n, v in pairs if n not in _NOT_OURS and not (n.isdigit() and not v)]
    return query if len(kept) == len(pairs) else urlencode(kept)


def decode_object(body: bytes) -> dict[str, Any]:
    """Return a JSON object; an empty body is an empty one. Raises InvalidRequest."""
    if not body.strip():
        return {}
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidRequest(
            f"The body is not JSON that can be read: {error}.", hint="Send one JSON object."
        ) from error
    if not isinstance(found, dict):
        raise InvalidRequest(
            f"The body is {_name_of(found)}, not an object.", hint="Send one JSON object."
        )
    return found


def decode_body(body: bytes, wanted: type[R]) -> R:
    """Return the request that a JSON body makes.

    Raises:
        InvalidRequest: it is no JSON object.
        InvalidFields: some of its fields are unknown, missing or of a wrong type.
    """
    return convert(decode_object(body), wanted, strict=True)


def decode_query(query: str, wanted: type[R]) -> R:
    """Return the request that a query string makes; its values are converted from text.

    Raises InvalidFields.
    """
    pairs = parse_qsl(query, keep_blank_values=True)
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = sorted({name for name, _ in pairs if [n for n, _ in pairs].count(name) > 1})
        raise refused(*(FieldError(name, "It is given more than once.") for name in twice))
    return convert(found, wanted, strict=False)


def convert(found: dict[str, Any], wanted: type[R], *, strict: bool) -> R:
    """Return `wanted` made from plain values. Raises InvalidFields with all that is wrong."""
    made, errors = _make("", found, wanted, strict=strict)
    if made is None:
        raise refused(*errors)
    return made


def _make(
    prefix: str, found: dict[str, Any], wanted: type[R], *, strict: bool
) -> tuple[R | None, list[FieldError]]:
    """Make a request, or one inside another, whose fields are then told of with a prefix."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(wanted)}
    types = get_type_hints(wanted)
    errors = [_unknown(prefix, name, list(fields)) for name in found if name not in fields]
    values: dict[str, Any] = {}
    for name, field in fields.items():
        where = prefix + name
        if name in found:
            value, wrong = _convert_one(where, found[name], types[field.name], strict=strict)
            values[field.name] = value
            errors += wrong
        elif field.required:
            errors.append(FieldError(where, "It is needed."))
    return (None, errors) if errors else (wanted(**values), [])


def _convert_one(
    name: str, value: Any, wanted: Any, *, strict: bool
) -> tuple[Any, list[FieldError]]:
    """Convert one value, or the elements of a list or object one by one."""
    wanted = _inside(wanted, value)
    if isinstance(wanted, type) and issubclass(wanted, Request) and isinstance(value, dict):
        return _make(f"{name}.", value, wanted, strict=strict)
    origin, inner = get_origin(wanted), get_args(wanted)
    parts: list[tuple[Any, str]] | None = None
    if origin is tuple and isinstance(value, list):
        parts = [(i, f"{name}[{i}]") for i in range(len(value))]
    elif origin is dict and isinstance(value, dict):
        parts = [(key, f"{name}.{key}") for key in value]
    if parts is None:
        try:
            return msgspec.convert(value, wanted, strict=strict), []
        except msgspec.ValidationError as error:
            return None, [_wrong(name, value, wanted, str(error))]
    element = inner[1] if origin is dict else inner[0]
    done = [_convert_one(where, value[key], element, strict=strict) for key, where in parts]
    errors = [error for _, wrong in done for error in wrong]
    if origin is dict:
        return {key: new for (key, _), (new, _) in zip(parts, done, strict=True)}, errors
    return tuple(new for new, _ in done), errors


def _inside(wanted: Any, value: Any) -> Any:
    """Return what a value that may be left out must be if it is there."""
    others = [kind for kind in get_args(wanted) if kind is not NoneType]
    is_union = get_origin(wanted) in (Union, UnionType)
    return others[0] if is_union and len(others) == 1 and value is not None else wanted


def _wrong(name: str, value: Any, wanted: Any, said: str) -> FieldError:
    choices = [arg for arg in get_args(wanted) if isinstance(arg, str)]
    if choices and isinstance(value, str):
        return FieldError(name, f"{value!r} is not possible.", f"Take {', '.join(choices)}.")
    expected = re.search(r"Expected `(.+?)`", said)
    if not expected:
        return FieldError(name, said.split(" - at")[0] + ".")
    kinds = expected[1].split(" | ")
    words = [_WORDS.get(kind, kind) for kind in kinds if kind != "int" or "float" not in kinds]
    return FieldError(name, f"It must be {' or '.join(words)}, not {_name_of(value)}.")


def _name_of(value: Any) -> str:
    if isinstance(value, str):
        return repr(value) if len(value) < 40 else "a longer text"
    if isinstance(value, bool | None):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return str(value)
    return "a list" if isinstance(value, list) else "an object"


def _unknown(prefix: str, name: str, known: list[str]) -> FieldError:
    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known) or 'none'}."
    return FieldError(prefix + name, "There is no such field.", hint)
