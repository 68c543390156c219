"""Who callers are to the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...core.access import Caller

_RESERVED = "system:"
"""What the cluster's own users and groups begin with."""


def as_user(caller: Caller, prefixes: Mapping[str, str]) -> Caller:
    """Return a caller with the name and groups that the cluster's rules are about.

    Names that the cluster reserves are accepted from the cluster alone: from elsewhere, such a
    group is left out, and a caller with such a name has no rights. So are `uid` and `extra`.
    """
    prefix = prefixes.get(caller.known, f"{caller.known or 'other'}:")
    name, groups = prefix + caller.name, {prefix + group for group in caller.groups}
    if caller.known != "kubernetes":
        groups = {group for group in groups if not group.startswith(_RESERVED)}
        name = "" if name.startswith(_RESERVED) else name
        caller = replace(caller, uid="", extra=())
    return replace(caller, name=name, groups=frozenset(groups))
