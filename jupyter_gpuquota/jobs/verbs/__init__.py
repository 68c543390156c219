"""The verbs of jobs: one module each, and this table. A process loads its own verb only."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, cast

from ...model.datasets.jobs import JobKind
from ..job import Job


class Module(Protocol):
    """The module of a verb: its arguments, and what it does.

    `run` raises GpuQuotaError if the job fails.
    """

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Job, argparse.Namespace], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: what it is for, the kind of its jobs, and the name of its module."""

    help: str
    kind: JobKind
    name: str

    def load(self) -> Module:
        """Return its module."""
        return cast("Module", importlib.import_module(f".{self.name}", __name__))


VERBS: dict[str, Verb] = {
    "sync": Verb("Store a folder as the next version", "sync", "sync"),
    "register": Verb(
        "Let the controller know the versions in a member's lake", "register", "register"
    ),
    "export": Verb("Write a version to a new folder", "export", "export"),
    "import": Verb("Store a prefix of a bucket as the next version", "import", "imports"),
    "cache": Verb("Fetch a version into a cache", "cache", "cache"),
    "evict": Verb("Remove a version from a cache", "evict", "evict"),
    "index": Verb("Show what a cache holds", "index", "index"),
    "verify": Verb("Hash a version again, in its lake and in a cache", "verify", "verify"),
    "snapshot": Verb("Store a session's folder and what it runs with", "snapshot", "snapshot"),
    "restore": Verb("Write the files of a snapshot to a new folder", "restore", "restore"),
    "gc": Verb("Remove what no version of a lake needs", "gc", "gc"),
}
