"""Quota: what projects may use, what they use, and what they store."""

from __future__ import annotations

from ..model.quota import ProjectUse
from ..model.quota import Quota as Answer
from ..model.volumes.storage import StorageBy, StorageList, StorageQuery, StorageUse
from .connection.context import Context
from .listing import Listing, Table
from .namespace import Namespace


class Quota(Namespace):
    """What projects may use, and what they use."""

    def get(self) -> Listing[ProjectUse, Answer]:
        """Return the use of each project, with the totals of the machine or cluster."""
        answer: Answer = self._context.call("quota.get")
        return Listing(answer, answer.projects, table_of(answer))


def table_of(answer: Answer) -> Table[ProjectUse]:
    """Return the columns of quota: amounts in GPUs, `running` and `waiting` count sessions."""
    return Table(
        columns={
            "project": lambda use: use.name,
            "quota": lambda use: use.quota / 1000,
            "allocated": lambda use: use.allocated / 1000,
            "in_quota": lambda use: (use.allocated - use.over) / 1000,
            "over": lambda use: use.over / 1000,
            "fair": lambda use: use.fair / 1000,
            "requested": lambda use: use.requested / 1000,
            "weight": lambda use: use.weight / 1000,
            "limit": lambda use: None if use.limit is None else use.limit / 1000,
            "priority": lambda use: use.priority,
            "running": lambda use: use.running,
            "waiting": lambda use: use.waiting,
            "mine": lambda use: use.name in answer.mine,
            "simulated": lambda _: answer.simulated,
        },
        shown=("project", "quota", "allocated", "over", "running", "waiting"),
        empty="No projects.",
    )


STORAGE = Table[StorageUse](
    columns={
        "project": lambda each: each.project,
        "kind": lambda each: each.kind,
        "owner": lambda each: each.owner,
        "items": lambda each: each.items,
        "size": lambda each: each.size,
        "stored": lambda each: each.stored,
        "unknown": lambda each: each.unknown,
    },
    shown=("project", "kind", "owner", "items", "size", "stored"),
    empty="Nothing is stored.",
)
"""`size` and `stored` are in bytes."""


def storage(context: Context, project: str, by: StorageBy) -> Listing[StorageUse, StorageList]:
    """Return what projects store, by kind."""
    query = StorageQuery(project=project, by=by)
    answer: StorageList = context.call("quota.storage", query=query)
    return Listing(answer, answer.items, STORAGE)
