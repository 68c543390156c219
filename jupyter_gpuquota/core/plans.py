"""What a scheduling round looks at, and what it decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ..model.quota import USUAL_RULES, Project, Rules
from ..model.reasons import Reason
from ..model.resources import Holding, Node, Placement
from ..model.sessions import Reclaim, Session


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a round looks at; `holdings` are workloads that are not sessions of ours."""

    sessions: Sequence[Session]
    projects: Sequence[Project]
    nodes: Sequence[Node]
    now: datetime
    rules: Rules = USUAL_RULES
    holdings: Sequence[Holding] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """Be what becomes of one waiting session: a placement, or the reason why it waits.

    `ahead` counts the sessions of its project that stand before it.
    """

    session: str
    outcome: Placement | Reason
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Eviction:
    """Be one session that has to give its GPUs back, and for whom."""

    session: str
    reclaim: Reclaim
    reason: Reason


@dataclass(frozen=True, slots=True)
class Plan:
    """Be what one round decides.

    `decisions` stand in the order of the projects' lines. `fair` are the projects' fair shares
    in milli-GPU. `again` is when another round could decide more although nothing has happened,
    None for never.
    """

    decisions: tuple[Decision, ...]
    evictions: tuple[Eviction, ...]
    fair: Mapping[str, int] = field(default_factory=dict)
    again: datetime | None = None
