"""How much storage projects use: datasets, snapshots and volumes.

What a version or snapshot has added to its lake counts where it was added, so that contents which
several have in common count once. Where predecessors of the oldest one are gone, it keeps what they
had added, so all of it counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..model.datasets.datasets import Dataset
from ..model.datasets.versions import Version
from ..model.snapshots.snapshots import Snapshot
from ..model.volumes.storage import StorageBy, StorageKind, StorageUse
from ..model.volumes.volumes import Volume
from .access import Rights, leads


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that takes storage; `stored` is None where that is not known."""

    project: str
    kind: StorageKind
    owner: str
    size: int
    stored: int | None


def of_datasets(datasets: Iterable[tuple[Dataset, Sequence[Version]]]) -> Iterator[Item]:
    """Yield an item for each dataset; one in a member's own lake takes nothing of the team's."""
    for dataset, found in datasets:
        if dataset.own_lake:
            continue
        stored = 0
        ids = {each.id for each in found}
        for number, each in enumerate(sorted(found, key=lambda each: each.time)):
            lost = number == 0 and not ids.issuperset(each.parents)
            stored += each.size if lost else each.added
        size = sum(each.size for each in found)
        yield Item(dataset.project, "datasets", dataset.owner, size, stored)


def of_snapshots(snapshots: Iterable[Snapshot]) -> Iterator[Item]:
    """Yield an item for each snapshot."""
    found = sorted(snapshots, key=lambda each: each.created)
    ids = {each.id for each in found}
    sessions: set[tuple[str, str]] = set()
    for each in found:
        key = each.owner, each.session
        lost = key not in sessions and each.parent != "" and each.parent not in ids
        sessions.add(key)
        stored = each.size if lost and each.added is not None else each.added
        yield Item(each.project, "snapshots", each.owner, each.size, stored)


def of_volumes(volumes: Iterable[Volume]) -> Iterator[Item]:
    """Yield an item for each volume; a folder that a project has twice counts once."""
    folders: set[tuple[str, str]] = set()
    for each in volumes:
        key = each.project, each.folder
        stored = 0 if each.folder and key in folders else each.used
        folders.add(key)
        yield Item(each.project, "volumes", each.owner, each.size, stored)


def sum_up(items: Iterable[Item], rights: Rights, by: StorageBy) -> tuple[StorageUse, ...]:
    """Return what the caller may see of items, by project and kind, or by owner, too."""
    found: dict[tuple[str, StorageKind, str], list[Item]] = defaultdict(list)
    for item in items:
        if rights.names(item.project) and (by == "project" or _sees(item, rights)):
            owner = item.owner if by == "user" else ""
            found[item.project, item.kind, owner].append(item)
    return tuple(
        StorageUse(
            project=project,
            kind=kind,
            owner=owner,
            items=len(group),
            size=sum(item.size for item in group),
            stored=sum(item.stored or 0 for item in group),
            unknown=sum(item.stored is None for item in group),
        )
        for (project, kind, owner), group in sorted(found.items())
    )


def _sees(item: Item, rights: Rights) -> bool:
    """Return whether a caller may see what a user has."""
    return leads(rights, item.project) or item.owner == rights.caller.name
