"""The claims of a session that restored ones have replaced: kept until that is confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..api import Api
from ..faults import translated
from ..labels import KEPT, OWNER
from ..objects.storage import Claim
from ..resources import CLAIMS
from .copies.writing import deleted, existing


class KeptClaims:
    """Claims with a label that names their restore. Every method may raise what a Fault means."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def keep(
        self, namespace: str, names: Iterable[str], owner: str, restore: str
    ) -> list[str]:
        """Mark the claims of a user, and return their names. Those of others stay in any case."""
        kept = []
        with translated():
            for name in names:
                claim = await existing(self._api, CLAIMS, namespace, name)
                if claim and claim.metadata.annotations.get(OWNER) == owner:
                    await self._mark(claim, restore)
                    kept.append(name)
        return kept

    async def missing(self, namespace: str, names: Iterable[str]) -> list[str]:
        """Return the names of which there is no claim."""
        with translated():
            return [
                name for name in names if await existing(self._api, CLAIMS, namespace, name) is None
            ]

    async def release(self, namespace: str, restore: str) -> None:
        """Take the mark off the claims of a restore."""
        with translated():
            for claim in await self._of(namespace, restore):
                await self._mark(claim, None)

    async def remove(self, namespace: str, restore: str) -> None:
        """Delete the claims of a restore; what is gone already is fine."""
        with translated():
            for claim in await self._of(namespace, restore):
                await deleted(self._api, CLAIMS, *claim.key, uid=claim.metadata.uid)

    async def _of(self, namespace: str, restore: str) -> Sequence[Claim]:
        return await self._api.list(CLAIMS, namespace, f"{KEPT}={restore}")

    async def _mark(self, claim: Claim, restore: str | None) -> None:
        body = {"metadata": {"uid": claim.metadata.uid, "labels": {KEPT: restore}}}
        await self._api.patch(CLAIMS, *claim.key, body)
