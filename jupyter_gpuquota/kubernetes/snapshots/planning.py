"""What a restore into claims would make, and what stands against it. Nothing is made."""

from __future__ import annotations

from ...core.requests.quantities import size_quantity
from ...core.snapshots.restore import Found
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import RestoreRequest
from .restoring import Restorer, Wanted, claim_name

_NO_FOLDER = "On a cluster a snapshot is restored into new volumes, not into a folder."
_ENDED = "Files outside of volumes are not in the snapshot: they ended with the pod."


async def found(
    restorer: Restorer, manifest: Manifest, request: RestoreRequest, name: str
) -> Found:
    """Return what is there for a session `name`. Raises Unavailable, NotAllowed."""
    wanted = wanted_of(manifest, name)
    refused = await restorer.problems(wanted, manifest.project)
    problems = {"folder": _NO_FOLDER} if request.folder else {}
    problems |= {f"volumes.{origin}": f"{origin}: {why}." for origin, why in refused.items()}
    warnings = [
        f"{origin}: the new volume has {size_quantity(size)}, as its copy needs that."
        for origin, size in (await restorer.larger(wanted)).items()
    ]
    if manifest.tree is None:
        warnings.append(_ENDED)
    return Found(
        folder=manifest.spec.folder,
        claims={each.origin: each.name for each in wanted},
        problems=problems,
        warnings=tuple(warnings),
    )


def wanted_of(manifest: Manifest, name: str) -> list[Wanted]:
    """Return the claims of a snapshot that a session `name` would get."""
    found = []
    for part in manifest.volumes:
        namespace, _, snapshot = part.handle.partition("/")
        if not snapshot:
            continue
        found.append(
            Wanted(
                namespace=namespace,
                snapshot=snapshot,
                name=claim_name(name, part.volume),
                origin=part.volume,
                storage_class=part.storage_class,
                size=part.size,
                modes=part.modes or ("ReadWriteOnce",),
                provider=part.provider,
            )
        )
    return found
