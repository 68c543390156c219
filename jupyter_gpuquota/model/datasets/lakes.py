"""Lakes: object stores that hold the versions of datasets."""

from __future__ import annotations

from ..struct import Model, Request


class Lake(Model, frozen=True, kw_only=True):
    """One lake that an admin has set up.

    `credentials` names where its credentials are: a file of `KEY=VALUE` lines, or a Secret of the
    cluster. Members of `projects` may create datasets in it, of all projects if there are none.
    """

    name: str
    url: str
    credentials: str = ""
    projects: tuple[str, ...] = ()
    default: bool = False
    problem: str = ""


class LakeList(Model, frozen=True, kw_only=True):
    """The lakes that the caller may use."""

    items: tuple[Lake, ...] = ()


class CollectRequest(Request, frozen=True, kw_only=True):
    """Which objects to remove from a lake: those that no version needs and are old enough.

    `grace` is in seconds.
    """

    grace: int = 3600
