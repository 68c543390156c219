"""The manifests of sessions' objects, by what engine, shares and settings say now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ...control.new_session import new_session
from ...model.sessions import Session, SessionSpec
from ...model.struct import Message
from ..reconcile.kinds import Child, Made, WorkloadKinds, plain_kind
from ..resources import (
    CLAIM_TEMPLATES,
    MPI_JOBS,
    NETWORK_POLICIES,
    SECRETS,
    SERVICES,
    TRAIN_JOBS,
    Resource,
)
from ..state.attached import Attached
from .container import network_policy, service
from .defaults import Parts, PodDefaults
from .train_job import unfit
from .volumes import claim_template, secret
from .workload import released_labels, workload


class SessionManifests:
    """Makes manifests; `parts_of` returns what is added to those of a request.

    `attached` returns the volumes that tie the pod of a user's request to nodes, as they are now.
    `kinds` says of which kind workloads are.
    """

    def __init__(
        self,
        parts_of: Callable[[SessionSpec], Parts],
        defaults: PodDefaults,
        attached: Callable[[SessionSpec, str], Sequence[Attached]],
        kinds: WorkloadKinds,
    ) -> None:
        self._parts_of = parts_of
        self._defaults = defaults
        self._attached = attached
        self._kinds = kinds

    async def told(self, spec: SessionSpec, owner: str) -> Sequence[Message]:
        """Return why a user's request will have another kind of workload than elsewhere."""
        if spec.processes == 1:
            return ()
        session = new_session(spec, owner, datetime.now(UTC))
        _, why = await self._kind_of(session, self._parts_of(spec))
        return (why,) if why else ()

    async def workload(self, session: Session) -> Child:
        """Return the workload and its kind, without pods: at 0 replicas, or suspended.

        Raises InvalidFields.
        """
        attached = self._attached(session.spec, session.owner)
        parts = replace(self._parts_of(session.spec), attached=attached)
        kind, _ = await self._kind_of(session, parts)
        return kind, workload(session, parts, kind)

    async def _kind_of(self, session: Session, parts: Parts) -> Made:
        """Return the kind of a session's workload, and why it is a plainer one."""
        kind, why = await self._kinds.made_for(session.spec)
        if kind is TRAIN_JOBS and (why := unfit(session, parts, self._kinds.runtime())):
            kind = plain_kind(session.spec)
        return kind, why

    def released(self, session: Session) -> Mapping[str, str]:
        """Return the labels of a workload that may start, as its data is there."""
        return released_labels(session, self._parts_of(session.spec))

    def children(self, session: Session, token: str, kind: Resource[Any]) -> Sequence[Child]:
        """Return the Secret first, then what else a session with such a workload has.

        The operators of MPIJobs and TrainJobs make a Service of the same name themselves.
        """
        share = self._parts_of(session.spec).share
        claims = [(CLAIM_TEMPLATES, claim_template(session, share))] if share.devices else []
        return (
            (SECRETS, secret(session, token, self._defaults)),
            *([] if kind in (MPI_JOBS, TRAIN_JOBS) else [(SERVICES, service(session))]),
            (NETWORK_POLICIES, network_policy(session, self._defaults)),
            *claims,
        )
