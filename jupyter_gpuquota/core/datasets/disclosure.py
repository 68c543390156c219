"""What a caller sees of datasets, cached versions, jobs and lakes."""

from __future__ import annotations

from msgspec.structs import replace

from ...model.datasets.caches import CachedVersion, Lease
from ...model.datasets.datasets import Dataset
from ...model.datasets.jobs import Job
from ...model.datasets.lakes import Lake
from ..access import Rights
from .rights import granted


def dataset(found: Dataset, rights: Rights) -> Dataset:
    """Return a dataset with the actions that the caller may take."""
    return replace(found, actions=granted(found, rights))


def cached(found: CachedVersion, rights: Rights) -> CachedVersion:
    """Return a cached version without the names of sessions that the caller does not see."""
    return replace(found, leases=tuple(_lease(each, rights) for each in found.leases))


def job(found: Job, rights: Rights) -> Job:
    """Return a job; its folder, its process and its findings are its user's and admins' matter."""
    if rights.admin or found.user == rights.caller.name:
        return found
    return replace(found, folder="", host="", pid=0, problem=None, findings=())


def lake(found: Lake, rights: Rights) -> Lake:
    """Return a lake without the projects that may use it, which only admins see."""
    return found if rights.admin else replace(found, projects=())


def _lease(lease: Lease, rights: Rights) -> Lease:
    if rights.names(lease.project):
        return lease
    return replace(lease, session="", name=f"a session of {lease.project}")
