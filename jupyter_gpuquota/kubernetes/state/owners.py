"""Which objects belong to a session's workload, by what owns them. Pure.

Labels do not decide this: anyone who may create pods can write any label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ..objects.meta import Object

T = TypeVar("T", bound=Object)
Owners = Mapping[str, Object]
"""The objects between workloads and pods, such as the Job of a launcher, by uid."""

_MOST = 4
"""Most objects between a pod and its workload."""


def owned(root: Object, found: Iterable[T], between: Owners) -> list[T]:
    """Return the objects that another one owns, directly or through objects between them.

    Owners are in the namespace of what they own.
    """
    return [each for each in found if _belongs(each, root, between, _MOST)]


def _belongs(item: Object, root: Object, between: Owners, left: int) -> bool:
    if item.metadata.namespace != root.metadata.namespace:
        return False
    uids = [owner.uid for owner in item.metadata.owner_references]
    if root.metadata.uid in uids:
        return True
    above = (between[uid] for uid in uids if uid in between)
    return left > 0 and any(_belongs(each, root, between, left - 1) for each in above)
