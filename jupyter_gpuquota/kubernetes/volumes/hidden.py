"""Claims that are no volumes: home folders, cached datasets, copies, and those of pods and Jobs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..labels import COPY
from ..objects.storage import Claim

_NEAR = re.compile(r"gpuquota-.*-[0-9a-f]{16}")
"""The claims by which copies of datasets on nodes are mounted."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Which claims are not listed.

    `homes` is the pattern of the claims of home folders, `cache` the name of those with cached
    datasets; both may be empty. `near`: nodes have copies of datasets.
    """

    homes: str = ""
    cache: str = ""
    near: bool = False

    def hides(self, claim: Claim) -> bool:
        """Return whether a claim is not listed. One that a pod or a Job owns ends with it."""
        name = claim.metadata.name
        return (
            bool(self.cache and name == self.cache)
            or bool(self.homes and fnmatchcase(name, self.homes))
            or bool(self.near and _NEAR.fullmatch(name))
            or COPY in claim.metadata.labels
            or any(owner.kind in {"Pod", "Job"} for owner in claim.metadata.owner_references)
        )
