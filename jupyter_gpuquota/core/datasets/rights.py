"""What a caller may do with datasets, and sees of them, of cached versions, jobs and lakes.

======== ============================================================================
action   who may
======== ============================================================================
see      everybody with a role in its project, or in one of its readers or writers
cache    members and leads of these: fetch, clear, pin
write    members and leads of its project and of its writers: sync, tag
remove   its owner, leads of its project, admins: remove, change readers and writers
======== ============================================================================

An admin may do everything; a session acts for nobody but itself. `*` among readers or writers
stands for all projects, and lets everybody see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from ...errors import NotAllowed, NotFound
from ...model.datasets.caches import CachedVersion, Lease
from ...model.datasets.datasets import DATASET_ACTIONS, EVERYONE, Dataset, DatasetAction, Lake
from ...model.datasets.jobs import Job
from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.sessions import Progress, Session
from ..access import Rights

_WHO = {
    "cache": "members of {project} and of the projects that may read it",
    "write": "members of {project} and of the projects that may write it",
    "remove": "its owner {owner}, leads of {project} and admins",
}


def granted(dataset: Dataset, rights: Rights) -> tuple[DatasetAction, ...]:
    """Return what a caller may do with a dataset."""
    if rights.caller.session:
        return ()
    if rights.admin:
        return DATASET_ACTIONS
    roles = rights.roles
    reading = {dataset.project, *dataset.readers, *dataset.writers}
    writing = {dataset.project, *dataset.writers}
    leads = roles.get(dataset.project) == "lead"
    allowed = {
        "see": EVERYONE in reading or bool(reading & set(roles)),
        "cache": _launches(reading, rights),
        "write": _launches(writing, rights),
        "remove": leads or rights.caller.name == dataset.owner,
    }
    return tuple(action for action in DATASET_ACTIONS if allowed[action] and allowed["see"])


def _launches(projects: Iterable[str], rights: Rights) -> bool:
    """Return whether a caller is a member of one of these projects."""
    named = set(projects)
    wanted = set(rights.roles) if EVERYONE in named else named
    return any(rights.launches(project) for project in wanted)


def seen(datasets: Iterable[Dataset], rights: Rights) -> list[Dataset]:
    """Return the datasets that a caller may see."""
    return [dataset for dataset in datasets if "see" in granted(dataset, rights)]


def find(name: str, datasets: Iterable[Dataset], rights: Rights) -> Dataset:
    """Return a dataset that the caller may see. Raises NotFound."""
    visible = seen(datasets, rights)
    found = next((dataset for dataset in visible if dataset.name == name), None)
    if found:
        return found
    names = ", ".join(dataset.name for dataset in visible)
    hint = f"Datasets: {names}." if names else "No datasets yet: jupyter gpu data init NAME."
    raise NotFound(f"Dataset {name!r} not found.", hint=hint)


def check(action: DatasetAction, dataset: Dataset, rights: Rights, what: str) -> None:
    """Raise NotAllowed unless the caller may; `what` is the action as a verb: `tag`."""
    if action not in granted(dataset, rights):
        who = _WHO[action].format(project=dataset.project, owner=dataset.owner)
        raise NotAllowed(f"You may not {what} {dataset.name}.", hint=f"Only {who} may.")


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
