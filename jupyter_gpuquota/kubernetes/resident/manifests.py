"""The manifests of sessions on this cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...model.sessions import Session
from ..api import Manifest
from ..builders.defaults import Parts, PodDefaults
from ..builders.network import network_policy, service
from ..builders.secret import secret
from ..builders.workload import workload
from ..engines.engine import Engine
from ..inventory import KubernetesInventory
from ..reconcile.manifests import Child
from ..resources import NETWORK_POLICIES, SECRETS, SERVICES


class ClusterManifests:
    """Puts together what the administrator, the engine and the share's provider add.

    `grace` returns the seconds that a session has to end.
    """

    def __init__(
        self,
        engine: Engine,
        inventory: KubernetesInventory,
        defaults: PodDefaults,
        grace: Callable[[], int],
    ) -> None:
        self._engine = engine
        self._inventory = inventory
        self._defaults = defaults
        self._grace = grace

    def workload(self, session: Session) -> Manifest:
        """Return the workload, without pods. Raises InvalidFields."""
        return workload(session, self._parts(session))

    def children(self, session: Session, token: str) -> Sequence[Child]:
        """Return the Secret first, then what else belongs to the session."""
        return [
            (SECRETS, secret(session, token)),
            (SERVICES, service(session)),
            (NETWORK_POLICIES, network_policy(session, self._defaults)),
        ]

    def _parts(self, session: Session) -> Parts:
        """Return what is added; a session that requests no node group has its project's."""
        spec = session.spec
        project = next((p for p in self._inventory.projects() if p.name == spec.project), None)
        affinity = project.node_affinity if project else None
        groups = (
            ()
            if affinity is None
            else (affinity.train if spec.kind == "train" else affinity.interactive)
        )
        return Parts(
            engine=self._engine.patch(spec),
            share=self._inventory.choice(spec).patch(),
            defaults=self._defaults,
            node_types=groups,
            grace=self._grace(),
        )
