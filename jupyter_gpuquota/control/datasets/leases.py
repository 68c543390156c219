"""Leases: the sessions that use versions, or wait for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from ...model.datasets.caches import Lease
from ...model.sessions import Session

Copy = tuple[str, str]
"""A version by its dataset and its id."""

Leases = Callable[[], Mapping[Copy, tuple[Lease, ...]]]
"""Returns the leases of now."""

_OVER = frozenset({"suspended", "stopped", "done", "failed"})


def leases_of(sessions: Iterable[Session]) -> dict[Copy, tuple[Lease, ...]]:
    """Return the leases of sessions that are queued or live."""
    found: dict[Copy, list[Lease]] = defaultdict(list)
    for session in sessions:
        if session.state in _OVER:
            continue
        lease = Lease(
            session=session.id,
            name=session.spec.name,
            project=session.spec.project,
            since=session.since,
        )
        for copy in dict.fromkeys((each.dataset, each.version) for each in session.spec.data):
            found[copy].append(lease)
    return {copy: tuple(leases) for copy, leases in found.items()}
