"""Decode requests from JSON and query strings, and report every mistake at once."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

import msgspec

from ..core.decoding import decode, name_of
from ..core.fields import FieldReader
from ..errors import InvalidRequest, refused
from ..model.messages.build import field_error
from ..model.struct import Request

R = TypeVar("R", bound=Request)

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OTHERS = {
    "id": re.compile(rf"({_ID.pattern}~){{1,2}}{_ID.pattern}"),
    "project": re.compile(rf"{_ID.pattern}~{_ID.pattern}"),
    "version": _TAG,
    "tag": _TAG,
    "snapshot": re.compile(rf"(sha256:)?{_TAG.pattern}"),
}
_NOT_OURS = frozenset({"token", "no_track_activity", "_xsrf"})


class Empty(Request, frozen=True, kw_only=True):
    """The request of routes that take none."""


def is_id(text: str) -> bool:
    """Return whether a part of a path can be an id or a name; only those enter paths of files."""
    return _ID.fullmatch(text) is not None


def fits(argument: str, text: str) -> bool:
    """Return whether a part of a path can be an argument of that name.

    A session (`id`) may be named `project~name`, and a `project` begin with its cluster:
    `cloud~team-a`. A tag, by which a version or a snapshot is named, has dots; the digest of a
    snapshot begins with `sha256:`.
    """
    pattern = _OTHERS.get(argument)
    return is_id(text) or (pattern is not None and pattern.fullmatch(text) is not None)


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
            f"The body is not valid JSON: {error}.", hint="Send one JSON object."
        ) from error
    if not isinstance(found, dict):
        raise InvalidRequest(
            f"The body is {name_of(found)}, not an object.", hint="Send one JSON object."
        )
    return found


def decode_body(body: bytes, wanted: type[R]) -> R:
    """Return the request that a JSON body makes.

    Raises:
        InvalidRequest: it is no JSON object.
        InvalidFields: some of its fields are unknown, missing or of a wrong type.
    """
    return _convert(decode_object(body), wanted, strict=True)


def decode_query(query: str, wanted: type[R]) -> R:
    """Return the request that a query string makes; its values are converted from text.

    Raises InvalidFields.
    """
    pairs = parse_qsl(query, keep_blank_values=True)
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = sorted(name for name, count in names.items() if count > 1)
        raise refused(*(field_error(name, "field.twice") for name in twice))
    return _convert(found, wanted, strict=False)


def _convert(found: dict[str, Any], wanted: type[R], *, strict: bool) -> R:
    reader = FieldReader()
    made = decode(found, wanted, reader, strict=strict)
    if made is None or reader.errors:
        raise refused(*reader.errors)
    return made
