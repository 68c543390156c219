"""What the snapshots of a lake need, whoever has taken them."""

from __future__ import annotations

import msgspec

from ...core.snapshots import identity
from ...errors import NotFound
from . import layout
from .objects import Objects


class _Tree(msgspec.Struct):
    version: str = ""


class _Volume(msgspec.Struct):
    tree: _Tree | None = None


class _Manifest(msgspec.Struct):
    """What is read of a manifest: as little as possible, so that newer ones are understood."""

    tree: _Tree | None = None
    volumes: tuple[_Volume, ...] = ()


async def trees(objects: Objects) -> set[str]:
    """Return the versions in a lake that are the trees of its snapshots.

    A manifest that cannot be read counts by the commit of its tree, which stays while it does.
    """
    keys = [each.key async for each in objects.list(identity.SNAPSHOTS)]
    found = set()
    for key in filter(identity.snapshot_of, keys):
        try:
            manifest = msgspec.json.decode(await objects.get(key), type=_Manifest)
        except (msgspec.DecodeError, NotFound):
            continue  # malformed, or removed meanwhile
        trees = (manifest.tree, *(each.tree for each in manifest.volumes))
        found |= {each.version for each in trees if each}
    there = {layout.version_of(each.key) async for each in objects.list(layout.MANIFESTS)}
    return found & there
