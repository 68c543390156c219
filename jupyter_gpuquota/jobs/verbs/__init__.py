"""The verbs of jobs: one module each, and this table."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from ...model.datasets.jobs import JobKind
from ..job import Job
from . import cache, evict, export, gc, imports, index, register, restore, snapshot, sync, verify


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: what it is for, the kind of its jobs, its arguments, and what it does.

    `run` raises GpuQuotaError if the job fails.
    """

    help: str
    kind: JobKind
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Job, argparse.Namespace], Coroutine[Any, Any, None]]


VERBS: dict[str, Verb] = {
    "sync": Verb("Store a folder as the next version", "sync", sync.add_arguments, sync.run),
    "register": Verb(
        "Let the controller know the versions in a member's lake",
        "register",
        register.add_arguments,
        register.run,
    ),
    "export": Verb("Write a version to a new folder", "export", export.add_arguments, export.run),
    "import": Verb(
        "Make versions of what another tool has stored",
        "import",
        imports.add_arguments,
        imports.run,
    ),
    "cache": Verb("Fetch a version into a cache", "cache", cache.add_arguments, cache.run),
    "evict": Verb("Remove a version from a cache", "evict", evict.add_arguments, evict.run),
    "index": Verb("Show what a cache holds", "index", index.add_arguments, index.run),
    "verify": Verb(
        "Hash a version again, in its lake and in a cache",
        "verify",
        verify.add_arguments,
        verify.run,
    ),
    "snapshot": Verb(
        "Store a session's folder and what it runs with",
        "snapshot",
        snapshot.add_arguments,
        snapshot.run,
    ),
    "restore": Verb(
        "Write the files of a snapshot to a new folder",
        "restore",
        restore.add_arguments,
        restore.run,
    ),
    "gc": Verb("Remove what no version of a lake needs", "gc", gc.add_arguments, gc.run),
}
