"""Projects and their usage of the quota."""

from __future__ import annotations

from typing import Annotated

from .sessions import Kind
from .struct import ADDED, UNCHANGED, Model, Open

PREEMPTIBLE: tuple[Kind, ...] = ("interactive-spot", "train")
"""The kinds of sessions that our own scheduler may preempt: interactive ones never borrow."""

GROUP = "group:"
"""The prefix of entries of `members`, `leads` or `viewers` that are groups of accounts."""


class Affinity(Model, frozen=True, kw_only=True):
    """The node groups that a project's sessions may use; empty means any.

    `interactive` is for both interactive kinds.
    """

    interactive: tuple[str, ...] = ()
    train: tuple[str, ...] = ()

    def groups(self, kind: Kind) -> tuple[str, ...]:
        """Return the groups for a kind of session."""
        return self.train if kind == "train" else self.interactive


class Project(Model, frozen=True, kw_only=True):
    """One team.

    Amounts are milli-GPU: `quota` is guaranteed, `limit` is the most it may use (None: no limit).
    `weight` is its share of spare GPUs (None: as its quota; 0: it never borrows), `priority` its
    order in borrowing. `members` may launch in it and see its sessions; empty means everyone.
    `viewers` see them and do not launch. `leads` see their details, and may stop, suspend and keep
    them alive. All three are accounts, or groups of accounts as `group:NAME`.
    `interactive_duration` (seconds, 0: none) is the maximum run time of interactive sessions,
    `min_runtime` (seconds) how long its sessions are protected from reclaims. A `draining` project
    starts no sessions and is deleted when the last one has ended. `preemptible` are the kinds of
    sessions that may be preempted, as the engine has it. `revision` changes with every change of
    it. `people_shown` is False where the caller may not see its people: all three lists
    are then empty. `department` is the one that it is directly in, named in lists of projects where
    the engine has any.
    """

    name: str
    quota: int
    weight: int | None = None
    limit: int | None = None
    priority: int = 100
    members: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()
    node_affinity: Affinity = Affinity()
    interactive_duration: int = 0
    min_runtime: int = 0
    draining: bool = False
    preemptible: Annotated[tuple[Open[Kind], ...], ADDED] = PREEMPTIBLE
    revision: str = UNCHANGED
    people_shown: bool = True
    department: Annotated[str, ADDED] = ""

    @property
    def weighs(self) -> int:
        """Return its weight over quota."""
        return self.quota if self.weight is None else self.weight

    def ceiling(self, unlimited: int) -> int:
        """Return the most it may use, in milli-GPU; `unlimited` where nothing limits it."""
        most = unlimited if self.limit is None else self.limit
        return most if self.weighs else min(most, self.quota)


class Rules(Model, frozen=True, kw_only=True):
    """The rules for all projects.

    `grace` and `min_runtime` are seconds: the time that a reclaimed session has to exit, and how
    long every session is protected from reclaims. With `consolidate`, preemptible sessions are
    moved where only fragments of GPUs are free. `revision` changes with every change.
    """

    grace: int = 60
    min_runtime: int = 0
    consolidate: bool = False
    revision: str = UNCHANGED


USUAL_RULES = Rules()
"""The default rules."""


class UserUse(Model, frozen=True, kw_only=True):
    """What one user holds of a project, in milli-GPU, and has queued."""

    user: str
    allocated: int
    waiting: int


class ProjectUse(Model, frozen=True, kw_only=True):
    """What a project may use, holds and has queued.

    `quota`, `allocated`, `kept`, `over`, `requested` and `fair` are milli-GPU: guaranteed, held,
    held by sessions that cannot be preempted, held above the quota, held plus queued, and its fair
    share of the whole. `limit`, `weight` and `priority`
    and `preemptible` are the project's own (see `Project`). `running` and `waiting` count sessions.
    """

    name: str
    quota: int
    allocated: int
    over: int
    requested: int
    fair: int = 0
    weight: int = 0
    limit: int | None = None
    priority: int = 100
    running: int = 0
    waiting: int = 0
    users: tuple[UserUse, ...] = ()
    preemptible: Annotated[tuple[Open[Kind], ...], ADDED] = PREEMPTIBLE
    kept: Annotated[int, ADDED] = 0


class Department(Model, frozen=True, kw_only=True):
    """Several projects with a quota of their own above theirs, where a cluster's engine has that.

    These are the queues above those of projects with KAI Scheduler, and Cohorts with Kueue.
    `parent` is the department that it belongs to, empty for none, `projects` those directly in it.
    Amounts are milli-GPU: `quota` is guaranteed (None: no bounds), `limit` the most that its
    projects may use together (None: no limit), `allocated` what they hold, those of departments
    below it included.
    """

    name: str
    parent: str = ""
    projects: tuple[str, ...] = ()
    quota: int | None = None
    limit: int | None = None
    allocated: int = 0


class Quota(Model, frozen=True, kw_only=True):
    """How the machine or cluster is shared.

    `capacity`, `allocated`, `others` (held by workloads that are not sessions) and `free` are
    milli-GPU. `mine` are the projects that the caller may launch in, `default` the one that is used
    when a request names none. `admin` is true if the caller may change projects. `departments` are
    those that the engine has, by name.
    """

    projects: tuple[ProjectUse, ...]
    capacity: int
    allocated: int
    free: int
    others: int = 0
    simulated: bool
    mine: tuple[str, ...]
    default: str
    revision: str
    admin: bool = False
    departments: Annotated[tuple[Department, ...], ADDED] = ()

    @property
    def undivided(self) -> bool:
        """Return whether one project has all GPUs: then no list speaks of projects or quotas."""
        return len(self.projects) == 1 and self.projects[0].quota == self.capacity
