"""The manifests of claims: shared volumes, and those that are made with a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.sessions import Session
from ...model.volumes.mounts import Mount
from ...model.volumes.volumes import AccessMode, NewVolume
from ..builders.metadata import without_empty
from ..labels import DESCRIPTION, MANAGED_BY, MANAGER, OWNER, READ_ONLY, SESSION
from ..resources import CLAIMS
from .modes import LONG


def claim(wanted: NewVolume, labels: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the claim of a new volume. A clone has its source in the same namespace."""
    kind, _, name = wanted.source.partition(":")
    source = {"kind": CLAIMS.kind, "name": name} if kind == "volume" else {}
    annotations = {
        OWNER: wanted.owner,
        DESCRIPTION: wanted.description,
        READ_ONLY: "true" if wanted.read_only else "",
    }
    spec = {
        "accessModes": [LONG.get(wanted.mode, wanted.mode)],
        "storageClassName": wanted.storage_class,
        "resources": {"requests": {"storage": str(wanted.size)}},
        "volumeAttributesClassName": wanted.level,
        "dataSource": source,
    }
    return {
        "apiVersion": CLAIMS.api_version,
        "kind": CLAIMS.kind,
        "metadata": {
            "name": wanted.name,
            "namespace": wanted.project,
            "labels": {MANAGED_BY: MANAGER, **(labels or {})},
            "annotations": without_empty(annotations),
        },
        "spec": without_empty(spec),
    }


def session_claim(session: Session, mount: Mount, mode: AccessMode) -> dict[str, Any]:
    """Return a claim that is made with a session. Nothing owns it: it outlives the session."""
    wanted = NewVolume(
        name=mount.volume,
        project=session.spec.project,
        owner=session.owner,
        storage_class=mount.storage_class,
        size=mount.size,
        mode=mode,
    )
    return claim(wanted, {SESSION: session.id})
