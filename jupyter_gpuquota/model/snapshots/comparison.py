"""What differs between two snapshots."""

from __future__ import annotations

from typing import Annotated

from ..datasets.files import Difference
from ..struct import ADDED, Model, Request


class SnapshotCompareQuery(Request, frozen=True, kw_only=True):
    """The snapshot to compare with."""

    other: str


class FactChange(Model, frozen=True, kw_only=True):
    """One fact that differs; a side that does not have it is empty.

    `name` is that of a package, a metric, a dataset, a git repository, or of a field such as
    `python`.
    """

    name: str
    before: str = ""
    after: str = ""


class NotebookChange(Model, frozen=True, kw_only=True):
    """A notebook that differs, and how: `text` is a diff of its sources, by nbdime if installed."""

    path: str
    change: str
    text: str = ""


class SnapshotComparison(Model, frozen=True, kw_only=True):
    """What differs from the snapshot `before` to `after`, by part.

    `code` are git commits and patches, `params` those of runs; `files` the first files of the
    folder that differ, `all_files` their number. `problems` are parts that could not be compared,
    and why.
    """

    before: str
    after: str
    code: tuple[FactChange, ...] = ()
    packages: tuple[FactChange, ...] = ()
    environment: tuple[FactChange, ...] = ()
    data: tuple[FactChange, ...] = ()
    volumes: tuple[FactChange, ...] = ()
    params: Annotated[tuple[FactChange, ...], ADDED] = ()
    metrics: tuple[FactChange, ...] = ()
    notebooks: tuple[NotebookChange, ...] = ()
    files: tuple[Difference, ...] = ()
    all_files: int = 0
    problems: tuple[str, ...] = ()
