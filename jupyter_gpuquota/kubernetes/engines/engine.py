"""The interface of an engine: what grants GPUs to projects, and says why a session is queued."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ...model.messages.build import message
from ...model.previews import Preview, QueuePosition
from ...model.quota import Department, Project
from ...model.reasons import Reason
from ...model.sessions import Kind, Reclaim, Session, SessionSpec
from ...ports.backend import Differences
from ..api import Manifest
from ..shares.gpu_node import Division

Gangs = Literal["granted", "counted", ""]
"""How an engine starts several pods of one Job: all of them or none, one by one once the quota has
room for all, or without knowing of each other, which this program does not offer."""


@dataclass(frozen=True, slots=True)
class EnginePatch:
    """What an engine adds to a session's workload and pod.

    `labels` and `annotations` go on the workload, `pod_labels` and `pod_annotations` on its pods.
    `starts_jobs`: the engine starts a suspended Job once it admits it, and must not be forestalled.
    `held` are the labels of a Job that it must not admit yet, as its data is not there.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    pod_labels: Mapping[str, str] = field(default_factory=dict)
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    scheduler: str = ""
    priority_class: str = ""
    starts_jobs: bool = False


@dataclass(frozen=True, slots=True)
class Admission:
    """What the engine says about one session.

    `admitted` is true once it holds its quota. `queue` says why it is queued. `reclaim` and
    `reason` are set while it is being evicted, or was last evicted and has not been admitted since.
    """

    admitted: bool = True
    queue: QueuePosition | None = None
    reclaim: Reclaim | None = None
    reason: Reason | None = None


class EngineAdministration(Protocol):
    """Changes projects in an engine's own objects, and tells how they are made and deleted."""

    async def change_project(self, project: Project) -> Project:
        """Change a project that exists; return it as it then is.

        Raises Outdated, InvalidFields, Conflict, Fault.
        """

    async def objects_for(self, project: Project) -> Sequence[Manifest]:
        """Return the objects of a new project, besides its namespace.

        Raises InvalidFields, Conflict, Fault.
        """

    def deletion_of(self, name: str) -> Sequence[str]:
        """Return the kubectl commands that delete a project's objects, not its namespace.

        Raises Conflict.
        """


class Engine(Protocol):
    """Reads and writes an engine's own objects. Plain methods answer at once, from memory."""

    name: str
    """Its name in the configuration and on screens: `kueue`, `kai`, `resourcequota`, `none`."""

    divides: Division
    """How its own scheduler divides GPUs that nodes give out whole."""

    gangs: Gangs
    """How the pods of one Job start."""

    differences: Differences
    """What distinguishes it, for the contract tests."""

    @property
    def administration(self) -> EngineAdministration:
        """Changes of projects."""

    async def start(self, changed: Callable[[], None]) -> None:
        """Follow its objects; call `changed` after each change. Raises Fault."""

    async def close(self) -> None:
        """Stop following."""

    def warnings(self) -> Sequence[str]:
        """Return warnings for administrators, such as that its state is out of date."""

    def projects(self) -> Sequence[Project]:
        """Return the projects with their quotas."""

    def departments(self) -> Sequence[Department]:
        """Return what it has above projects, without what is in use; empty for none."""

    def limits(self, project: str) -> bool:
        """Return whether a project's quota is known, and not merely what the cluster has."""

    def counts(self, project: str, kind: Kind, resource: str) -> bool:
        """Return whether a project's quota counts a resource of GPUs.

        Pods that request another one are not admitted, or bypass the quota.
        """

    def patch(self, spec: SessionSpec) -> EnginePatch:
        """Return what to add to a session's workload."""

    def admission(self, session: Session) -> Admission:
        """Return what the engine says about a session."""

    async def preview(self, spec: SessionSpec) -> Preview:
        """Return what would happen to a checked request. Raises Fault."""

    async def position(self, session: Session) -> QueuePosition:
        """Return why a session is queued, and its position if the engine knows it."""


def unknown(milli: int) -> Preview:
    """Return the preview of a request of which only the cluster decides; `milli` is its cost."""
    sentence = message("preview.unknown" if milli else "preview.no_gpu")
    return Preview(verdict="fits", message=sentence.text, sentences=(sentence,))
