"""What a caller sees of datasets, cached versions, jobs and lakes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from ...model.datasets.caches import CachedVersion, Lease
from ...model.datasets.datasets import Dataset
from ...model.datasets.jobs import Job
from ...model.datasets.lakes import Lake
from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.sessions import Progress, Session
from ..access import Rights
from .rights import granted, seen


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


def session(found: Session, datasets: Iterable[Dataset], rights: Rights) -> Session:
    """Return a session without the names of datasets that the caller does not see.

    The session itself, its owner and admins see what it uses.
    """
    spec = found.spec
    itself = rights.caller.session == found.id
    if not spec.data or itself or rights.owns(found) or rights.admin:
        return found
    known = {each.name for each in seen(datasets, rights)}
    hidden = {mount.dataset for mount in spec.data} - known
    if not hidden:
        return found
    why = found.reason
    return replace(
        found,
        spec=replace(spec, data=tuple(each for each in spec.data if each.dataset in known)),
        reason=reason("DataPending", "data.hidden") if why and _names(why, hidden) else why,
        progress=tuple(step for step in found.progress if not _names(step, hidden)),
    )


def _names(said: Reason | Progress, datasets: Collection[str]) -> bool:
    """Return whether a message names one of these datasets."""
    return str(said.args.get("data", "")).partition("@")[0] in datasets


def _lease(lease: Lease, rights: Rights) -> Lease:
    if rights.names(lease.project):
        return lease
    return replace(lease, session="", name=f"a session of {lease.project}")
