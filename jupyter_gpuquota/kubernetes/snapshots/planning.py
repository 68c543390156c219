"""What a restore into claims would make, and what stands against it."""

from __future__ import annotations

import itertools

from msgspec.structs import replace

from ...core.requests.quantities import size_quantity
from ...core.snapshots.restore import Found
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import RestoreRequest
from .replacing import Replacing
from .restoring import Restorer, Wanted, claim_name

_NO_FOLDER = "On a cluster a snapshot is restored into new volumes, not into a folder."
_ENDED = "Files outside of volumes are not in the snapshot: they ended with the pod."
_NO_VARIABLES = "Variables are restored into a new session only."


class RestorePlanning:
    """Plans restores; nothing is made. Whatever asks the cluster raises Unavailable, NotAllowed."""

    def __init__(self, restorer: Restorer, replacing: Replacing) -> None:
        self._restorer = restorer
        self._replacing = replacing

    async def found(self, manifest: Manifest, request: RestoreRequest, name: str) -> Found:
        """Return what is there."""
        problems = {"folder": _NO_FOLDER} if request.folder else {}
        if request.replace:
            problems |= self._no_replacement(manifest, request)
        wanted = await self.wanted(manifest, name, in_place=request.replace)
        refused = await self._restorer.problems(wanted, manifest.project)
        problems |= {f"volumes.{origin}": f"{origin}: {why}." for origin, why in refused.items()}
        warnings = [
            f"{origin}: the new volume has {size_quantity(size)}, as its copy needs that."
            for origin, size in (await self._restorer.larger(wanted)).items()
        ]
        if manifest.tree is None:
            warnings.append(_ENDED)
        return Found(
            folder=manifest.spec.folder,
            claims={each.origin: each.name for each in wanted},
            problems=problems,
            warnings=tuple(warnings),
        )

    async def wanted(self, manifest: Manifest, name: str, *, in_place: bool) -> list[Wanted]:
        """Return the claims to make: for a session `name`, or for the original session.

        That one may have restored claims of the same snapshot already, so theirs are numbered.
        """
        if not in_place:
            return wanted_of(manifest, name)
        own = self._replacing.volumes(manifest)
        parts = tuple(each for each in manifest.volumes if each.volume in own)
        only, taken = replace(manifest, volumes=parts), await self._restorer.names(manifest.project)
        tries = (wanted_of(only, f"{manifest.name}-{number}") for number in itertools.count(1))
        return next(each for each in tries if taken.isdisjoint(claim.name for claim in each))

    def _no_replacement(self, manifest: Manifest, request: RestoreRequest) -> dict[str, str]:
        """Return by field why the original session cannot mount the restored claims."""
        found = {"variables": _NO_VARIABLES} if request.variables else {}
        obstacle = self._replacing.obstacle(manifest)
        return {**found, "replace": obstacle} if obstacle else found


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
