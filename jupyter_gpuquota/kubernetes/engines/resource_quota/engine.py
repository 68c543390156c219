"""The engine of clusters with plain ResourceQuotas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ....model.messages.build import joined, message, sentences_of
from ....model.messages.formats import share_arg
from ....model.previews import Preview, PreviewVerdict, QueuePosition
from ....model.quota import Department, Project
from ....model.reasons import Reason
from ....model.sessions import Kind, Session, SessionSpec
from ....model.struct import Message
from ....ports.backend import Differences
from ...labels import SESSION
from ...quantities import units
from ...resources import PODS, RESOURCE_QUOTAS
from ...shares.gpu_node import Division
from ..engine import Admission, EnginePatch, Gangs
from ..surroundings import Surroundings
from ..unknown import unknown
from .administration import QuotaAdministration
from .quotas import NamespaceQuota, find_quotas


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
