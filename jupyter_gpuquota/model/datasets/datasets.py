"""Datasets, and lakes: the object stores that hold their versions."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from ..struct import Model, Open, Request
from .versions import Version

DatasetAction = Literal["see", "cache", "write", "remove"]

DATASET_ACTIONS: tuple[DatasetAction, ...] = get_args(DatasetAction)

EVERYONE = "*"
"""Stands for all projects among readers and writers."""


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


class DatasetRecord(Model, frozen=True, kw_only=True):
    """What is recorded of a dataset, in its lake or beside the controller.

    Members of `project` and of `writers` add versions; those of `readers` see and cache them.
    """

    name: str
    project: str
    owner: str
    created: datetime
    description: str = ""
    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()


class Dataset(Model, frozen=True, kw_only=True):
    """One dataset, as a caller sees it.

    `lake` is the name of a lake that an admin has set up, or the URL of a member's own; in that
    case `own_lake` is true, and only processes with the member's credentials read its contents.
    `latest` is None while there are no versions. `actions` are what the caller may do.
    """

    name: str
    lake: str
    own_lake: bool = False
    project: str
    owner: str
    created: datetime
    description: str = ""
    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    versions: int = 0
    cached: int = 0
    latest: Version | None = None
    actions: tuple[Open[DatasetAction], ...] = ()
    problem: str = ""


class DatasetList(Model, frozen=True, kw_only=True):
    """The datasets that the caller may see, by name; `problems` are lakes that do not answer."""

    items: tuple[Dataset, ...] = ()
    problems: tuple[str, ...] = ()


class DatasetRequest(Request, frozen=True, kw_only=True):
    """A dataset to create, without versions.

    `lake` is a lake's name, or the URL of the caller's own; empty for the default lake. `project`
    is the first of the caller if it is empty.
    """

    name: str
    lake: str = ""
    project: str = ""
    description: str = ""
    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()


class DatasetChange(Request, frozen=True, kw_only=True):
    """What to change of a dataset; None keeps what is there."""

    description: str | None = None
    project: str | None = None
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None
