"""Projects and what they use of their quota."""

from __future__ import annotations

from .base import UNCHANGED, Model
from .sessions import Kind

GROUP = "group:"
"""What an entry of `members`, `leads` or `viewers` begins with that names a group of accounts."""


class Affinity(Model, frozen=True, kw_only=True):
    """Name the node groups that a project's sessions may run on; empty means any.

    `interactive` counts for both interactive kinds.
    """

    interactive: tuple[str, ...] = ()
    train: tuple[str, ...] = ()

    def groups(self, kind: Kind) -> tuple[str, ...]:
        """Return the groups for a kind of session."""
        return self.train if kind == "train" else self.interactive


class Project(Model, frozen=True, kw_only=True):
    """One team.

    Amounts are milli-GPU: `quota` is what it is guaranteed, `limit` the most it may ever hold
    (None: no limit). `weight` is its part of what others leave (None: as its quota; 0: it never
    borrows), `priority` its bucket in that. `members` may launch in it and see its sessions; empty
    means everyone. `viewers` see them and do not launch. `leads` see their details, and may stop,
    suspend and keep them alive. All three are accounts, or groups of accounts as `group:NAME`.
    `interactive_duration` (seconds, 0: no end) bounds interactive sessions, `min_runtime` (seconds)
    is how long its sessions run before they may be reclaimed. A `draining` project starts nothing
    any more, and goes when the last of its sessions has ended. `revision` is another one after
    every change of it. `people_shown` is False where the caller may not see who its people are: all
    three lists are then empty.
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
    revision: str = UNCHANGED
    people_shown: bool = True

    @property
    def weighs(self) -> int:
        """Tell its weight over quota."""
        return self.quota if self.weight is None else self.weight

    def ceiling(self, unlimited: int) -> int:
        """Tell the most it may hold, in milli-GPU; `unlimited` where nothing bounds it."""
        most = unlimited if self.limit is None else self.limit
        return most if self.weighs else min(most, self.quota)


class Rules(Model, frozen=True, kw_only=True):
    """Be what the admin decides for all projects.

    `grace` and `min_runtime` are seconds: what a reclaimed session has to end by itself, and how
    long any session runs before it may be reclaimed. With `consolidate`, sessions that may be
    reclaimed are moved to make room where only fragments of GPUs are free. `revision` is another
    one after every change.
    """

    grace: int = 60
    min_runtime: int = 0
    consolidate: bool = False
    revision: str = UNCHANGED


USUAL_RULES = Rules()
"""What holds where the admin has set nothing."""


class UserUse(Model, frozen=True, kw_only=True):
    """Say what one user holds of a project, in milli-GPU."""

    user: str
    allocated: int
    waiting: int


class ProjectUse(Model, frozen=True, kw_only=True):
    """Say what a project has, holds and waits for.

    `quota`, `allocated`, `over`, `asked` and `fair` are milli-GPU: by right, held, held above
    the quota, held plus waited for, and its fair share of the whole. `limit`, `weight` and
    `priority` are the project's own (see `Project`). `running` and `waiting` count sessions.
    """

    name: str
    quota: int
    allocated: int
    over: int
    asked: int
    fair: int = 0
    weight: int = 0
    limit: int | None = None
    priority: int = 100
    running: int = 0
    waiting: int = 0
    users: tuple[UserUse, ...] = ()


class Quota(Model, frozen=True, kw_only=True):
    """Say how the machine or cluster is shared out.

    `capacity`, `allocated`, `others` (held by workloads that are not sessions) and `free` are
    milli-GPU. `mine` names the projects that the asking
    user may launch in, `default` the one that is taken when none is named. `admin` tells whether
    that user may change projects.
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
