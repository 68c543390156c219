"""Writes that can be repeated, and waiting until what was written is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from ...api import Api, Fault
from ...objects.meta import Object
from ...objects.snapshots import GroupSnapshot, VolumeSnapshot
from ...resources import Resource
from ..order import NotTaken, Patience

T = TypeVar("T")
K = TypeVar("K", bound=Object)
S = TypeVar("S", VolumeSnapshot, GroupSnapshot)

NOT_FOUND = 404
FORBIDDEN = 403
_CONFLICT = 409


async def created(
    api: Api,
    kind: Resource[Any],
    metadata: Mapping[str, Any],
    spec: Mapping[str, Any],
) -> None:
    """Create an object, unless an earlier try has done it."""
    body = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": metadata,
        "spec": spec,
    }
    try:
        await api.create(kind, metadata["namespace"], body)
    except Fault as fault:
        if fault.status != _CONFLICT:
            raise


async def existing(api: Api, kind: Resource[K], namespace: str, name: str) -> K | None:
    """Return an object, None if it is gone."""
    try:
        return await api.get(kind, namespace, name)
    except Fault as fault:
        if fault.status != NOT_FOUND:
            raise
        return None


async def deleted(api: Api, kind: Resource[Any], namespace: str, name: str, uid: str = "") -> None:
    """Delete an object; one that is gone already is fine."""
    try:
        await api.delete(kind, namespace, name, uid=uid)
    except Fault as fault:
        if fault.status != NOT_FOUND:
            raise


def reported(seen: S) -> tuple[S | None, str]:
    """Return a snapshot, None until it is ready, and the error that its driver reports."""
    said = seen.status.error.message if seen.status.error else ""
    return (seen if seen.status.ready_to_use else None), said


async def ready(look: Callable[[], Awaitable[tuple[T | None, str]]], patience: Patience) -> T:
    """Return what `look` returns once it is ready.

    Before, it returns None and what the driver has reported, which may be nothing. Raises NotTaken
    when this stays an error, or after too long a time.
    """
    loop = asyncio.get_running_loop()
    deadline, failed = loop.time() + patience.ready, None
    while True:
        found, said = await look()
        if found is not None:
            return found
        now = loop.time()
        failed = (failed or now) if said else None
        if failed and now - failed >= patience.error:
            raise NotTaken(f"the driver reports: {said}")
        if now >= deadline:
            took = f"not ready after {patience.ready:.0f} s"
            raise NotTaken(f"{took}; {said}" if said else took)
        await asyncio.sleep(patience.pause)
