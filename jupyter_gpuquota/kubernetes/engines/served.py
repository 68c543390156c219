"""Which versions of an API a cluster serves."""

from __future__ import annotations

import msgspec

from ..api import Api, Fault
from ..namespaces import CLOSED
from ..objects.meta import Record


class _Version(Record, frozen=True, kw_only=True):
    version: str


class _Group(Record, frozen=True, kw_only=True):
    versions: tuple[_Version, ...] = ()


async def versions(api: Api, group: str) -> tuple[str, ...]:
    """Return the versions of a group of the API, none if it is not installed. Raises Fault."""
    try:
        body = await api.read(f"/apis/{group}")
    except Fault as fault:
        if fault.status not in CLOSED:
            raise
        return ()
    return tuple(each.version for each in msgspec.json.decode(body, type=_Group).versions)
