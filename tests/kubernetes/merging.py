"""JSON merge patches (RFC 7386), and the part of server-side apply that tests need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def merged(
    old: Mapping[str, Any], patch: Mapping[str, Any], *, keep_null: bool = False
) -> dict[str, Any]:
    """Return an object with a merge patch; `keep_null` merges two patches into one."""
    new = dict(old)
    for key, value in patch.items():
        if value is None and not keep_null:
            new.pop(key, None)
        elif isinstance(value, Mapping):
            inner = new.get(key)
            base = inner if isinstance(inner, Mapping) else {}
            new[key] = merged(base, value, keep_null=keep_null)
        else:
            new[key] = value
    return new


def removals(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the patch that removes what was applied before and no longer is."""
    patch: dict[str, Any] = {}
    for key, value in before.items():
        if key not in after:
            patch[key] = None
        elif isinstance(value, Mapping) and isinstance(after[key], Mapping):
            patch[key] = removals(value, after[key])
    return patch
