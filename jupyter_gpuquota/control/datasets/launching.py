"""Starting the processes of jobs that the controller starts itself."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from ...environ import SECRETS
from ...errors import GpuQuotaError, Internal, StorageFailed
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import JobKind, JobReport
from ...store.spawn import Spawned, spawn
from ...store.tasks import in_thread


class Placed(msgspec.Struct, frozen=True):
    """A version in a hidden dataset, as NAME@ID, and the new folder to which it is written."""

    tree: str
    folder: str


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One job to start: on a version in a lake and in the cache, or on a lake.

    `lake` is None where the controller opens none, `cache` false where the cache is not concerned.
    With `only`, `cache` or `lake`, the other is not verified: damaged files of the cache are
    fetched from the lake.
    `also` are further versions of the lake to verify, as NAME@ID. `file` is what a snapshot is
    ordered with; `trees` are to be written, with `variables` if they are wanted. `secrets` are
    values that it must not store; they are in no file and no argument.
    """

    kind: JobKind
    id: str
    user: str
    lake: Lake | None
    cache: bool = True
    only: str = ""
    dataset: str = ""
    version: str = ""
    files: int = 0
    size: int = 0
    grace: int = 0
    also: tuple[str, ...] = ()
    file: str = ""
    trees: tuple[Placed, ...] = ()
    variables: bool = False
    secrets: tuple[str, ...] = ()

    def job_report(self) -> JobReport:
        """Return what is known of the job before its process reports."""
        return JobReport(
            kind=self.kind,
            dataset=self.dataset,
            version=self.version,
            folder=self.trees[0].folder if self.trees else "",
            host=socket.gethostname(),
            state="waiting",
            all_files=self.files,
            size=self.size,
        )


class Launcher(Protocol):
    """Starts jobs."""

    async def start(self, order: Order) -> None:
        """Start a job that the job board knows already; a failure is reported to the board."""

    def check(self) -> None:
        """Find jobs that have ended without a report; called every second."""

    async def close(self) -> None:
        """Stop what ends with the controller."""


Fail = Callable[[str, GpuQuotaError], None]
"""Notes that a job has failed."""


class Processes:
    """Starts each job as a process that reports to this controller, and outlives it.

    `variables` lead it to the controller, whose state folder is `home`; `root` is the cache.
    """

    def __init__(self, home: Path, variables: Mapping[str, str], root: Path, fail: Fail) -> None:
        self._home = home
        self._variables = variables
        self._root = root
        self._fail = fail
        self._children: list[Spawned] = []

    async def start(self, order: Order) -> None:
        """Start the process of a job; a failure is reported to the board."""
        self._children = [child for child in self._children if child.exit_code() is None]
        try:
            child = await in_thread(
                spawn,
                order.kind,
                arguments(order, self._root),
                state_dir=self._home,
                job=order.id,
                environment={**self._variables, **environment(order)},
            )
        except StorageFailed as error:
            self._fail(order.id, error)
        else:
            self._children.append(child)

    def check(self) -> None:
        """Find processes that have failed without a report, and forget those that have ended."""
        for child in self._children:
            if child.exit_code():
                said = child.said() or "It has said nothing."
                self._fail(child.id, Internal("The process of the job has ended.", hint=said))
        self._children = [child for child in self._children if child.exit_code() is None]

    async def close(self) -> None:
        """Leave the processes running: they report to the next controller."""
        self._children = []


def environment(order: Order) -> dict[str, str]:
    """Return the variables of a job's process: only this account can read them."""
    secrets = msgspec.json.encode(order.secrets).decode()
    return {SECRETS: secrets} if order.secrets else {}


def arguments(order: Order, root: Path) -> list[str]:
    """Return the arguments of a job's process, besides its verb and its id."""
    copy = [f"{order.dataset}@{order.version}"] if order.dataset else []
    lake = ["--lake", order.lake.url] if order.lake else []
    if order.lake and order.lake.credentials:
        lake += ["--credentials", order.lake.credentials]
    cache = ["--cache", str(root)] if order.cache else []
    only = ["--only", order.only] if order.only else []
    grace = ["--grace", str(order.grace)] if order.kind == "gc" else []
    file = ["--order", order.file] if order.file else []
    trees = order.trees[:1]
    first = [word for each in trees for word in ("--tree", each.tree, "--folder", each.folder)]
    others = [word for each in order.trees[1:] for word in ("--also", each.tree, each.folder)]
    others += [word for each in order.also for word in ("--also", each)]
    variables = ["--variables"] if order.variables else []
    return [*copy, *lake, *cache, *only, *grace, *file, *first, *others, *variables]
