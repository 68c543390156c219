"""The lake that a job's arguments name: opening it, and reporting its versions."""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from .. import accounts
from ..errors import InvalidFields, NotAllowed, NotFound, Unavailable, Unsupported
from ..model.datasets.datasets import Lake
from ..model.datasets.versions import VersionReport
from ..store.catalog import Catalog
from ..store.disk.failures import lock_error
from ..store.lake import credentials, layout
from ..store.lake.connection import Connection, connect
from ..store.lake.history import Commit
from ..store.lake.objects import Objects
from .job import Job

_log = logging.getLogger(__name__)
_NAME = "jupyter-gpuquota"


async def tell(
    job: Job, dataset: str, commit: Commit, tags: Mapping[str, str], lake: Lake, objects: Objects
) -> None:
    """Report of one version, with its manifest if the controller cannot read the lake.

    :raises Unavailable: the controller needs to know it, and does not answer.
    """
    try:
        key = layout.manifest(commit.version)
        # Of a lake with a name, the controller reads the manifests itself.
        manifest = b"" if lake.name else await objects.get(key)
        report = VersionReport(
            parents=commit.parents,
            message=commit.message,
            author=commit.author,
            time=commit.time,
            files=commit.stats.files,
            size=commit.stats.bytes,
            added=commit.stats.added,
            tags=tuple(sorted(tag for tag, named in tags.items() if named == commit.version)),
            source=commit.source,
            manifest=manifest,
        )
        await job.tell(job.reporter.commit, dataset, commit.version, report)
    except (Unavailable, NotFound) as error:
        raise Unavailable(
            f"The version is in the lake, but the controller does not know it: {error.message}",
            hint="Sync again, without changes, when it answers.",
        ) from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a lake. Credentials are never arguments."""
    parser.add_argument(
        "--lake", default="", help="the URL of the lake; by default that of the dataset"
    )
    parser.add_argument(
        "--credentials",
        type=Path,
        help="a file of KEY=VALUE lines; by default the environment and the provider's files",
    )


async def find(job: Job, args: argparse.Namespace, dataset: str) -> Lake:
    """Return the lake that is named, or that of the dataset. Raises NotFound, InvalidFields."""
    if args.lake:
        return Lake(name=args.lake, url=args.lake, credentials=str(args.credentials or ""))
    return await job.tell(job.reporter.lake, dataset)


def opened(lake: Lake) -> Connection:
    """Return the objects of a lake.

    :raises InvalidFields: the URL is malformed.
    :raises NotAllowed: the credentials cannot be read.
    :raises Unsupported: it is in the memory of the controller.
    """
    if lake.url.startswith("memory:"):
        raise Unsupported(
            f"The lake {lake.name} is in the controller's memory, which no other process can use.",
            hint="Use a lake of your own: data init NAME --lake URL.",
        )
    return connect(lake.url, credentials.read(Path(lake.credentials)) if lake.credentials else {})


async def if_possible(job: Job, args: argparse.Namespace, dataset: str) -> Connection | None:
    """Return the objects of the lake; None if it is not known, or not for this account."""
    try:
        return opened(await find(job, args, dataset))
    except (InvalidFields, NotAllowed, NotFound) as error:
        _log.warning("The lake is not used: %s", error.message)
        return None


def catalog(lake: Lake) -> Catalog:
    """Return what this account remembers of the lake; it saves reading, and may be lost."""
    folder = _folder()
    if folder is None or lock_error(folder):
        return Catalog(":memory:")
    path = folder / f"{hashlib.sha256(lake.url.encode()).hexdigest()[:32]}.sqlite"
    try:
        return Catalog(path)
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return Catalog(path)


def _folder() -> Path | None:
    """Return the folder for what may be lost, by the XDG Base Directory Specification.

    None where this account has none that it may write, as in a container.
    """
    base, home = os.environ.get("XDG_CACHE_HOME", ""), accounts.home()
    cache = Path(base) if base.startswith("/") else home / ".cache" if home else None
    if cache is None:
        return None
    try:
        (cache / _NAME).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _log.warning("What lakes hold is not remembered in %s: %s", cache, error.strerror)
        return None
    return cache / _NAME
