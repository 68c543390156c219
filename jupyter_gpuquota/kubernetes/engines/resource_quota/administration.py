"""Changes of projects in their ResourceQuotas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ....core.fields import FieldReader
from ....core.projects import check_revision, find
from ....errors import Unsupported
from ....model.messages.build import joined, message
from ....model.projects import ChangePreview, ProjectEffect, SessionEffect
from ....model.quota import Project
from ....model.resources import MILLI
from ....model.sessions import Session
from ... import labels
from ...api import Manifest
from ...faults import translated
from ...objects.cluster import ResourceQuota
from ...quantities import text
from ...resources import RESOURCE_QUOTAS
from ..extras import ANNOTATION, check_supported, written
from ..surroundings import Surroundings
from .quotas import REQUESTS, NamespaceQuota, find_quotas

Quotas = Mapping[str, NamespaceQuota]
NAME = "gpus"
"""The name of ResourceQuotas that are made here."""


class QuotaAdministration:
    """Writes the limits of namespaces, or tries to on the server without changing anything."""

    def __init__(self, around: Surroundings, quotas: Callable[[], Quotas]) -> None:
        self._around = around
        self._quotas = quotas

    async def try_change(self, put: Sequence[Project], gone: Sequence[str]) -> ChangePreview:
        """Return the effect of a change: a dry run on the server, then the numbers after it."""
        before, objects = self._quotas(), {}
        for project in put:
            found = await self._put(project, dry_run=True)
            objects[found.key] = found
        left = [q for each in before.values() for q in each.quotas if each.namespace not in gone]
        present = {q.key: q for q in left} | objects
        after = find_quotas(present.values(), self._around.settings.gpus)
        return self._effect(before, after)

    async def put_project(self, project: Project) -> Project:
        """Change or create the quota of a namespace; return the project as it then is.

        Raises Outdated, InvalidFields, Conflict, NotAllowed, Unavailable.
        """
        old = self._quotas().get(project.name)
        check_revision(project.name, old.revision if old else "", project.revision)
        found = await self._put(project, dry_run=False)
        others = old.quotas[1:] if old else ()
        return NamespaceQuota(project.name, (found, *others), self._around.settings.gpus).project()

    async def drain_project(self, name: str, revision: str) -> Project:
        """Refuse: a ResourceQuota that is gone limits nothing."""
        raise Unsupported(
            f"{name} cannot be drained: without its ResourceQuota it would have no limit.",
            hint="Set its quota to 0: what runs goes on, and nothing more starts.",
        )

    async def delete_project(self, name: str, revision: str) -> None:
        """Delete the ResourceQuotas that limit GPUs in a namespace; it is then not limited."""
        known = self._quotas()
        find(name, [each.project() for each in known.values()])
        check_revision(name, known[name].revision, revision or known[name].revision)
        with translated():
            for quota in known[name].quotas:
                meta = quota.metadata
                await self._around.api.delete(
                    RESOURCE_QUOTAS, meta.namespace, meta.name, uid=meta.uid
                )

    async def _put(self, project: Project, *, dry_run: bool) -> ResourceQuota:
        old = self._quotas().get(project.name)
        body = self._body(project, old)
        with translated():
            if old is None:
                return await self._around.api.create(
                    RESOURCE_QUOTAS, project.name, body, dry_run=dry_run
                )
            name = old.first.metadata.name
            return await self._around.api.patch(
                RESOURCE_QUOTAS, project.name, name, body, dry_run=dry_run
            )

    def _body(self, project: Project, old: NamespaceQuota | None) -> Manifest:
        """Return what to write. Raises InvalidFields."""
        gpus = self._around.settings.gpus
        names = old.names if old else (gpus.whole,)
        reader = FieldReader()
        check_supported(project, "ResourceQuota", reader)
        if project.limit not in {None, project.quota, old.quota if old else None}:
            reader.wrong("limit", "project.no_borrowing")
        if project.weight:
            reader.wrong("weight", "project.no_borrowing")
        if gpus.milli not in names and project.quota % MILLI:
            reader.wrong("quota", "project.whole")
        reader.finish()
        hard = {REQUESTS + name: text(amount) for name, amount in self._split(project, old).items()}
        metadata: dict[str, Any] = {"annotations": {ANNOTATION: written(project)}}
        if old is None:
            metadata |= {"name": NAME, "labels": {labels.MANAGED_BY: labels.MANAGER}}
        return {"metadata": metadata, "spec": {"hard": hard}}

    def _split(self, project: Project, old: NamespaceQuota | None) -> Mapping[str, int]:
        """Return the limit of each resource: whole GPUs first, the rest in thousandths.

        With both resources the limit of thousandths stays, as far as the quota reaches.
        """
        gpus = self._around.settings.gpus
        names = old.names if old else (gpus.whole,)
        if len(names) == 1:
            return {names[0]: project.quota // gpus.factor(names[0])}
        kept = min(old.hard(gpus.milli), project.quota) if old else 0
        whole = (project.quota - kept) // MILLI
        return {gpus.whole: whole, gpus.milli: project.quota - whole * MILLI}

    def _effect(self, before: Quotas, after: Quotas) -> ChangePreview:
        effects = list(self._started(before, after))
        count = len(effects)
        said = [message("change.count.starts", n=count)] if count else [message("change.none")]
        return ChangePreview(
            message=joined(*said),
            sentences=tuple(said),
            projects=tuple(_projects(before, after)),
            sessions=tuple(effects),
        )

    def _started(self, before: Quotas, after: Quotas) -> Iterable[SessionEffect]:
        """Iterate over the queued sessions that the quotas would no longer refuse."""
        claimed: dict[tuple[str, str], int] = {}
        for session in self._around.sessions():
            old, new = before.get(session.spec.project), after.get(session.spec.project)
            requested = self._around.request(session.spec).resources
            if session.state != "waiting" or old is None or not old.refusal(requested):
                continue
            earlier = {
                name: str(int(amount) + claimed.get((session.spec.project, name), 0))
                for name, amount in requested.items()
            }
            if new and new.refusal(earlier):
                continue
            for name, amount in earlier.items():
                claimed[session.spec.project, name] = int(amount)
            yield _starts(session)


def _starts(session: Session) -> SessionEffect:
    name, project = session.spec.name, session.spec.project
    said = message("change.session.admitted", session=name, project=project)
    return SessionEffect(
        session=session.id,
        name=name,
        project=project,
        effect="starts",
        message=said.text,
        sentences=(said,),
    )


def _projects(before: Quotas, after: Quotas) -> Iterable[ProjectEffect]:
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        present, then = (old.quota if old else 0), (new.quota if new else 0)
        held = old.used if old else 0
        yield ProjectEffect(
            name=name,
            quota_before=present,
            quota=then,
            fair_before=present,
            fair=then,
            allocated_before=held,
            allocated=held,
        )
