"""The jobs that the controller knows, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...core.datasets.jobs import Known
from ...errors import NotFound
from ...model.datasets.jobs import Job


class JobStore:
    """Jobs by id; replaced as a whole, so that readers need no lock."""

    def __init__(self) -> None:
        self.known: Mapping[str, Known] = MappingProxyType({})

    def all(self) -> tuple[Job, ...]:
        """Return all jobs, the newest first."""
        found = sorted(self.known.values(), key=lambda known: known.number, reverse=True)
        return tuple(known.job for known in found)

    def find(self, job: str) -> Known:
        """Return one job. Raises NotFound."""
        if job not in self.known:
            raise NotFound(f"Job {job!r} not found.", hint="jupyter gpu data jobs lists them.")
        return self.known[job]

    def put(self, known: Known) -> None:
        """Add or replace a job."""
        self.known = MappingProxyType({**self.known, known.job.id: known})

    def forget(self, jobs: list[str]) -> None:
        """Remove jobs."""
        rest = {name: known for name, known in self.known.items() if name not in jobs}
        self.known = MappingProxyType(rest)
