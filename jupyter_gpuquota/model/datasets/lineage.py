"""Lineage: what a version was made by, and what has used it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..struct import Model, Open, Request

OriginKind = Literal["version", "session", "snapshot", "commit"]
Relation = Literal["produced", "used", "follows"]


class Origin(Model, frozen=True, kw_only=True):
    """One node of a lineage: a version, a session, a snapshot or a commit of a code repository.

    `id` is unique in the lineage; `label` is what is drawn.
    """

    id: str
    kind: Open[OriginKind]
    label: str
    detail: str = ""
    time: datetime | None = None


class DataUse(Model, frozen=True, kw_only=True):
    """One session that has used a version: its id, name, project and owner then."""

    dataset: str
    version: str
    session: str
    name: str
    project: str
    owner: str
    at: datetime


class Link(Model, frozen=True, kw_only=True):
    """One edge of a lineage: `source` has produced, is used by, or is followed by `target`."""

    source: str
    target: str
    relation: Open[Relation]


class Lineage(Model, frozen=True, kw_only=True):
    """The lineage of a dataset, or of one of its versions."""

    dataset: str
    nodes: tuple[Origin, ...] = ()
    links: tuple[Link, ...] = ()


class LineageQuery(Request, frozen=True, kw_only=True):
    """The version whose lineage is wanted, as a reference; empty for all versions."""

    version: str = ""
