"""The engine of clusters with plain ResourceQuotas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ....core.fields import FieldReader
from ....core.projects import check_revision
from ....model.messages.build import joined, message, sentences_of
from ....model.messages.formats import share_arg
from ....model.previews import Preview, PreviewVerdict, QueuePosition
from ....model.quota import Department, Project
from ....model.reasons import Reason
from ....model.resources import MILLI
from ....model.sessions import Kind, Session, SessionSpec
from ....model.struct import Message
from ....ports.backend import Differences
from ...api import Manifest
from ...labels import SESSION
from ...quantities import text, units
from ...resources import PODS, RESOURCE_QUOTAS
from ...shares.gpu_node import Division
from ..engine import Admission, EnginePatch, Gangs, unknown
from ..extras import ANNOTATION, check_supported, manifest, written
from ..surroundings import Surroundings
from .quotas import REQUESTS, NamespaceQuota, find_quotas

Quotas = Mapping[str, NamespaceQuota]
NAME = "gpus"
"""The name of the ResourceQuota of a new project."""


class QuotaAdministration:
    """Writes the limits of namespaces."""

    def __init__(self, around: Surroundings, quotas: Callable[[], Quotas]) -> None:
        self._around = around
        self._quotas = quotas

    async def change_project(self, project: Project) -> Project:
        """Change the quota of a namespace; return the project as it then is.

        Raises Outdated, InvalidFields, Fault.
        """
        old = self._quotas()[project.name]
        check_revision(project.name, old.revision, project.revision)
        annotations = {ANNOTATION: written(project)}
        body = {
            "metadata": {"annotations": annotations},
            "spec": {"hard": self._hard(project, old)},
        }
        name = old.first.metadata.name
        found = await self._around.api.patch(RESOURCE_QUOTAS, project.name, name, body)
        quotas = (found, *old.quotas[1:])
        return NamespaceQuota(project.name, quotas, self._around.settings.gpus).project()

    async def objects_for(self, project: Project) -> Sequence[Manifest]:
        """Return the quota of a new project. Raises InvalidFields."""
        spec = {"hard": self._hard(project, None)}
        return [manifest(RESOURCE_QUOTAS, NAME, spec, project.name, keeps=project)]

    def deletion_of(self, name: str) -> Sequence[str]:
        """Return the command for the quotas of GPUs of a namespace; it is then not limited."""
        names = " ".join(each.metadata.name for each in self._quotas()[name].quotas)
        return [f"kubectl -n {name} delete resourcequota {names}"]

    def _hard(self, project: Project, old: NamespaceQuota | None) -> Mapping[str, str]:
        """Return the limits to write. Raises InvalidFields."""
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
        return {REQUESTS + name: text(amount) for name, amount in self._split(project, old).items()}

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


class ResourceQuotaEngine:
    """ResourceQuotas: a limit per namespace. The API server refuses pods beyond it.

    There is no queue: whoever asks first once GPUs are released gets them. Nothing is borrowed,
    reclaimed or preempted.
    """

    name = "resourcequota"
    gangs: Gangs = "counted"
    divides: Division = ""
    differences = Differences(
        withdraws_commands=False,
        names_reclaimer=False,
        knows_position=False,
        orders_within_a_second=False,
        lends=False,
    )

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._quotas = around.caches.cache(RESOURCE_QUOTAS)
        self._pods = around.caches.cache(PODS)
        self._ends: Sequence[Callable[[], None]] = ()
        self.administration = QuotaAdministration(around, self._found)

    async def start(self, changed: Callable[[], None]) -> None:
        """Follow the quotas; call `changed` after each change."""
        self._ends = [self._quotas.subscribe(lambda _: changed())]

    async def close(self) -> None:
        """Stop following."""
        for end in self._ends:
            end()
        self._ends = ()

    def warnings(self) -> Sequence[str]:
        """Return which GPUs the quotas do not limit."""
        return list(self._unlimited())

    def projects(self) -> Sequence[Project]:
        """Return the namespaces with a quota of GPUs."""
        return [found.project() for found in self._found().values()]

    def departments(self) -> Sequence[Department]:
        """Return that there are none: quotas of namespaces are not nested."""
        return ()

    def limits(self, project: str) -> bool:
        """Return whether the namespace has a quota of GPUs."""
        return project in self._found()

    def counts(self, project: str, kind: Kind, resource: str) -> bool:
        """Return whether the namespace's quota limits a resource."""
        found = self._found().get(project)
        return found is None or resource in found.names

    def patch(self, spec: SessionSpec) -> EnginePatch:
        """Return that nothing is to be added."""
        return EnginePatch()

    def admission(self, session: Session) -> Admission:
        """Return that a session is queued while its pod would be refused."""
        why = self._refusal(session)
        if why is None:
            return Admission()
        return Admission(admitted=False, queue=QueuePosition(session=session.id, reason=why))

    async def preview(self, spec: SessionSpec) -> Preview:
        """Return whether a pod would be accepted now, by the numbers of the quota."""
        found, requested = self._found().get(spec.project), self._requested(spec)
        cost = self._around.cost(spec)
        if found is None or not cost:
            return unknown(cost)
        if why := found.forbids(requested):
            return _told("forbidden", sentences_of(why), why)
        if why := found.refusal(requested):
            return _told("waits", sentences_of(why), why)
        sentences = (
            message("preview.admitted", share=share_arg(spec.share)),
            message("preview.uses", used=cost),
        )
        return _told("fits", sentences)

    async def position(self, session: Session) -> QueuePosition:
        """Return why a session is queued; there is no order among those that are."""
        why = self._refusal(session) if session.state == "waiting" else None
        return QueuePosition(session=session.id, reason=why or session.reason)

    def _found(self) -> Mapping[str, NamespaceQuota]:
        return find_quotas(self._quotas.values(), self._around.settings.gpus)

    def _refusal(self, session: Session) -> Reason | None:
        """Return why the quota refuses the pod of a session, None if it has one or may have."""
        found = self._found().get(session.spec.project)
        if found is None or self._has_pod(session):
            return None
        return found.refusal(self._requested(session.spec))

    def _requested(self, spec: SessionSpec) -> Mapping[str, str]:
        """Return what all pods of a request ask for: it waits until there is quota for all."""
        each = self._around.request(spec).resources
        if spec.processes == 1:
            return each
        return {name: str(units(amount) * spec.processes) for name, amount in each.items()}

    def _has_pod(self, session: Session) -> bool:
        pods = self._pods.values(session.spec.project)
        return any(pod.metadata.labels.get(SESSION) == session.id for pod in pods)

    def _unlimited(self) -> Iterator[str]:
        gpus = self._around.settings.gpus
        for name, found in self._found().items():
            if gpus.whole not in found.names:
                yield (
                    f"The ResourceQuota of {name} limits {gpus.milli} but not {gpus.whole}: whole "
                    "GPUs are not limited there."
                )


def _told(
    verdict: PreviewVerdict, sentences: Sequence[Message], why: Reason | None = None
) -> Preview:
    return Preview(
        verdict=verdict, message=joined(*sentences), sentences=tuple(sentences), reason=why
    )
