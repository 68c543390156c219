"""Which claims a session mounts, and where; those of a restored one."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from ...core.snapshots.volumes import copied, mounting
from ...model.sessions import SessionSpec
from ...model.volumes.mounts import Mount
from ..builders.defaults import PodDefaults
from ..builders.volumes import claim_of


def claims_of(
    spec: SessionSpec, owner: str, defaults: PodDefaults, wanted: Collection[str] | None = None
) -> dict[str, str]:
    """Return the path of each claim to copy: a session's home folder, and its volumes.

    `wanted` are the names of those that were chosen, None for all that it may write.
    """
    home = {claim_of(owner, defaults.home_claim): defaults.home} if defaults.home_claim else {}
    return home | {each.volume: each.path for each in copied(spec, wanted)}


def with_claims(spec: SessionSpec, made: Mapping[str, str], home: str, folder: str) -> SessionSpec:
    """Return a spec that mounts restored claims, by the names of their originals.

    The claim `home` is that of the owner's home folder, which all sessions share: what was restored
    of it is mounted at the path `folder`.
    """
    found = mounting(spec, made)
    if home not in made:
        return found
    return replace(found, volumes=(*found.volumes, Mount(volume=made[home], path=folder)))
