"""Changes of projects in their ResourceQuotas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ....core.fields import FieldReader
from ....core.projects import check_revision
from ....model.quota import Project
from ....model.resources import MILLI
from ...api import Manifest
from ...quantities import text
from ...resources import RESOURCE_QUOTAS
from ..extras import ANNOTATION, check_supported, manifest, written
from ..surroundings import Surroundings
from .quotas import REQUESTS, NamespaceQuota

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
