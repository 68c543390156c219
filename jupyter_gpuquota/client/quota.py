"""Quota: what projects may use, and what they use."""

from __future__ import annotations

from ..model.quota import ProjectUse
from ..model.quota import Quota as Answer
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
