"""What a scheduling cycle reads, and what it decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from ...model.quota import USUAL_RULES, Project, Rules
from ...model.reasons import Reason
from ...model.resources import Holding, Node, Placement
from ...model.sessions import Reclaim, Session


@dataclass(frozen=True, slots=True)
class ClusterSnapshot:
    """Everything that a cycle reads; `holdings` are workloads that are not our sessions.

    `held` are queued sessions that cannot start yet, whatever is free, and why: they hold and
    reserve nothing, and no other session waits behind them.
    """

    sessions: Sequence[Session]
    projects: Sequence[Project]
    nodes: Sequence[Node]
    now: datetime
    rules: Rules = USUAL_RULES
    holdings: Sequence[Holding] = ()
    held: Mapping[str, Reason] = field(default_factory=dict)


class Decision(msgspec.Struct, frozen=True):
    """The outcome of one queued session: a placement, or the reason why it stays queued.

    `ahead` counts the queued sessions of its project before it.
    """

    session: str
    outcome: Placement | Reason
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Eviction:
    """A session that must release its GPUs, and for which session."""

    session: str
    reclaim: Reclaim
    reason: Reason


@dataclass(frozen=True, slots=True)
class Plan:
    """What one cycle decides.

    `decisions` are in the order of the projects' queues. `fair` are the fair shares of projects in
    milli-GPU. `again` is when another cycle could decide more without any event, None for never.
    """

    decisions: tuple[Decision, ...]
    evictions: tuple[Eviction, ...]
    fair: Mapping[str, int] = field(default_factory=dict)
    again: datetime | None = None
