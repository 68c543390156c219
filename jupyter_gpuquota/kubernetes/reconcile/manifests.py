"""The interface to the manifests of sessions' objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ...model.sessions import Session
from ..api import Manifest
from ..resources import Resource

Child = tuple[Resource[Any], Manifest]
"""An object of a session, and its kind."""


class Manifests(Protocol):
    """Makes the manifests of sessions, without owner references and records."""

    async def workload(self, session: Session) -> Child:
        """Return the workload and its kind, without pods: at 0 replicas, or suspended.

        Raises InvalidFields.
        """

    def released(self, session: Session) -> Mapping[str, str]:
        """Return the labels of a workload that may start, as its data is there."""

    def children(self, session: Session, token: str, kind: Resource[Any]) -> Sequence[Child]:
        """Return the Secret first, then what else a session with such a workload has."""
