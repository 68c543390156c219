"""Claims that are no volumes: home folders, cached datasets, copies, and those of pods and Jobs."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..labels import COPY
from ..objects.storage import Claim


@dataclass(frozen=True, slots=True)
class Hidden:
    """Which claims are not listed.

    `homes` is the pattern of the claims of home folders, `cache` the name of those with cached
    datasets; both may be empty.
    """

    homes: str = ""
    cache: str = ""

    def hides(self, claim: Claim) -> bool:
        """Return whether a claim is not listed. One that a pod or a Job owns ends with it."""
        name = claim.metadata.name
        return (
            bool(self.cache and name == self.cache)
            or bool(self.homes and fnmatchcase(name, self.homes))
            or COPY in claim.metadata.labels
            or any(owner.kind in {"Pod", "Job"} for owner in claim.metadata.owner_references)
        )
