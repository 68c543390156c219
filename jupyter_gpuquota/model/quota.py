"""Projects and what they use of their quota."""

from __future__ import annotations

from .base import Model


class Project(Model, frozen=True, kw_only=True):
    """Be a team. `quota` in milli-GPU is what it has by right."""

    name: str
    quota: int


class UserUse(Model, frozen=True, kw_only=True):
    """Say what one user holds of a project, in milli-GPU."""

    user: str
    allocated: int
    waiting: int


class ProjectUse(Model, frozen=True, kw_only=True):
    """Say what a project has, holds and waits for.

    `quota`, `allocated`, `over` and `asked` are milli-GPU: by right, held, held above the
    quota, and held plus waited for. `running` and `waiting` count sessions.
    """

    name: str
    quota: int
    allocated: int
    over: int
    asked: int
    running: int
    waiting: int
    users: tuple[UserUse, ...] = ()


class Quota(Model, frozen=True, kw_only=True):
    """Say how the machine or cluster is shared out.

    `capacity`, `allocated` and `free` are milli-GPU. `mine` names the projects that the asking
    user may launch in, `default` the one that is taken when none is named.
    """

    projects: tuple[ProjectUse, ...]
    capacity: int
    allocated: int
    free: int
    simulated: bool
    mine: tuple[str, ...]
    default: str
    revision: int
