"""Restoring a snapshot: always into something new."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from ..sessions import SessionSpec
from ..struct import ADDED, FieldProblem, Model, Open, Problem, Request

RestoreState = Literal["fetching", "launching", "done", "failed"]
ACTIVE_RESTORES: frozenset[RestoreState] = frozenset({"fetching", "launching"})


class RestoreRequest(Request, frozen=True, kw_only=True):
    """How to restore a snapshot.

    `name` is that of the new session, by default the old one's with a number. `variables` restores
    stored variables of a kernel: they are code. `launch` false makes no session. `environment` is
    what the new session starts from, by default what the old one did.
    """

    name: str = ""
    folder: str = ""
    variables: bool = False
    launch: bool = True
    environment: str = ""


class Original(Model, frozen=True, kw_only=True):
    """The session that a snapshot was taken of, while it has not ended.

    `folder` is where it works, empty on a cluster.
    """

    name: str
    folder: str = ""


class RestorePlan(Model, frozen=True, kw_only=True):
    """What a restore would make, and everything that stands against it or will be different.

    `spec` is that of the new session, None where none is launched. `problems` prevent the restore;
    `warnings` do not. `size` is in bytes, `free` the room where the folder will be. `claims` are
    the new volumes, as ORIGINAL=NEW; on a cluster there is no folder. `original` goes on unless
    the user stops it. `commands` restore with the packages that the snapshot was taken with, where
    the environment is gone or has others now.
    """

    snapshot: str
    folder: str
    size: int = 0
    free: int | None = None
    spec: SessionSpec | None = None
    original: Annotated[Original | None, ADDED] = None
    claims: tuple[str, ...] = ()
    problems: tuple[FieldProblem, ...] = ()
    warnings: tuple[str, ...] = ()
    commands: Annotated[tuple[str, ...], ADDED] = ()


class Restoration(Model, frozen=True, kw_only=True):
    """A restore that was begun.

    `folder` is the new folder, empty on a cluster, `session` the id of the new session once it
    exists. `volumes` are the new ones. `original` is what the plan says of it.
    """

    id: str
    snapshot: str
    owner: str
    state: Open[RestoreState]
    folder: str
    name: str = ""
    session: str = ""
    job: str = ""
    begun: datetime
    updated: datetime
    volumes: Annotated[tuple[str, ...], ADDED] = ()
    original: Annotated[Original | None, ADDED] = None
    problem: Problem | None = None

    @property
    def active(self) -> bool:
        """Whether it still goes on."""
        return self.state in ACTIVE_RESTORES


class RestorationList(Model, frozen=True, kw_only=True):
    """The restores of the caller that go on or have ended lately, newest first."""

    items: tuple[Restoration, ...] = ()
