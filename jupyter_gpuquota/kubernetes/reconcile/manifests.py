"""The interface to the manifests of sessions' objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ...model.sessions import Session, SessionSpec
from ..api import Manifest
from ..resources import JOBS, STATEFUL_SETS, Resource

Child = tuple[Resource[Any], Manifest]
"""An object beside the workload, and its kind."""


class Manifests(Protocol):
    """Makes the manifests of sessions, without owner references and records."""

    def workload(self, session: Session) -> Manifest:
        """Return the workload, without pods: at 0 replicas, or suspended. Raises InvalidFields."""

    def released(self, session: Session) -> Mapping[str, str]:
        """Return the labels of a workload that may start, as its data is there."""

    def children(self, session: Session, token: str) -> Sequence[Child]:
        """Return the Secret first, then what else belongs to the session."""


def workload_resource(spec: SessionSpec) -> Resource[Any]:
    """Return the kind of a session's workload."""
    return JOBS if spec.kind == "train" else STATEFUL_SETS
