"""The manifests of sessions' objects, by what engine, shares and settings say now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...model.sessions import Session, SessionSpec
from ..api import Manifest
from ..reconcile.manifests import Child
from ..resources import CLAIM_TEMPLATES, NETWORK_POLICIES, SECRETS, SERVICES
from ..state.attached import Attached
from .claims import claim_template
from .defaults import Parts, PodDefaults
from .network import network_policy, service
from .secret import secret
from .workload import released_labels, workload


class SessionManifests:
    """Makes manifests; `parts_of` returns what is added to those of a request.

    `attached` returns the volumes that tie the pod of a user's request to nodes, as they are now.
    """

    def __init__(
        self,
        parts_of: Callable[[SessionSpec], Parts],
        defaults: PodDefaults,
        attached: Callable[[SessionSpec, str], Sequence[Attached]],
    ) -> None:
        self._parts_of = parts_of
        self._defaults = defaults
        self._attached = attached

    def workload(self, session: Session) -> Manifest:
        """Return the workload, without pods: at 0 replicas, or suspended. Raises InvalidFields."""
        attached = self._attached(session.spec, session.owner)
        parts = replace(self._parts_of(session.spec), attached=attached)
        return workload(session, parts)

    def released(self, session: Session) -> Mapping[str, str]:
        """Return the labels of a workload that may start, as its data is there."""
        return released_labels(session, self._parts_of(session.spec))

    def children(self, session: Session, token: str) -> Sequence[Child]:
        """Return the Secret first, then what else belongs to the session."""
        share = self._parts_of(session.spec).share
        claims = [(CLAIM_TEMPLATES, claim_template(session, share))] if share.devices else []
        return (
            (SECRETS, secret(session, token, self._defaults)),
            (SERVICES, service(session)),
            (NETWORK_POLICIES, network_policy(session, self._defaults)),
            *claims,
        )
