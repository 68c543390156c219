"""Restoring a snapshot: always into something new."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from ..sessions import SessionSpec
from ..struct import ADDED, FieldProblem, Model, Open, Problem, Request

RestoreState = Literal[
    "fetching", "launching", "done", "failed", "replacing", "replaced", "undoing", "undone"
]
ACTIVE_RESTORES: frozenset[RestoreState] = frozenset(
    {"fetching", "launching", "replacing", "undoing"}
)


class RestoreRequest(Request, frozen=True, kw_only=True):
    """How to restore a snapshot.

    `name` is that of the new session, by default the old one's with a number. With `replace` no
    session is made: the restored folder or volumes take the place of the session's, which are kept
    until that is confirmed. `variables` restores stored variables of a kernel: they are code.
    `launch` false restores the folder only.
    """

    name: str = ""
    folder: str = ""
    replace: bool = False
    variables: bool = False
    launch: bool = True


class RestorePlan(Model, frozen=True, kw_only=True):
    """What a restore would make, and everything that stands against it or will be different.

    `spec` is that of the new session, None where none is launched. `problems` prevent the restore;
    `warnings` do not. `size` is in bytes, `free` the room where the folder will be. `claims` are
    the new volumes, as ORIGINAL=NEW, and those that get the stored files by their names; on a
    cluster there is no folder.
    """

    snapshot: str
    folder: str
    size: int = 0
    free: int | None = None
    spec: SessionSpec | None = None
    replaces: str = ""
    claims: tuple[str, ...] = ()
    problems: tuple[FieldProblem, ...] = ()
    warnings: tuple[str, ...] = ()


class Restoration(Model, frozen=True, kw_only=True):
    """A restore that was begun.

    `folder` is the new folder, empty on a cluster, `session` the id of the new session once it
    exists. After a replacement `folder` has the place of the old one, which is at `kept` until it
    is confirmed. On a cluster `replaces` is the id of the session whose volumes can be replaced,
    `place` its name, and `kept` names those of its volumes that a confirmation removes. `volumes`
    are the new volumes on one machine, or those that `places`, their folders, are replaced of.
    """

    id: str
    snapshot: str
    owner: str
    state: Open[RestoreState]
    folder: str
    name: str = ""
    session: str = ""
    origin: str = ""
    kept: str = ""
    place: str = ""
    replaces: str = ""
    job: str = ""
    begun: datetime
    updated: datetime
    volumes: Annotated[tuple[str, ...], ADDED] = ()
    places: Annotated[tuple[str, ...], ADDED] = ()
    problem: Problem | None = None

    @property
    def active(self) -> bool:
        """Whether it still goes on."""
        return self.state in ACTIVE_RESTORES


class RestorationList(Model, frozen=True, kw_only=True):
    """The restores of the caller, newest first."""

    items: tuple[Restoration, ...] = ()
