"""Opening the lake that a job's arguments name."""

from __future__ import annotations

import argparse
import hashlib
import os
import sqlite3
from pathlib import Path

from ..store.catalog import Catalog
from ..store.lake import credentials
from ..store.lake.connection import Connection, connect


def add_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the arguments that name a lake. Credentials are never arguments."""
    parser.add_argument("--lake", required=required, default="", help="the URL of the lake")
    parser.add_argument(
        "--credentials",
        type=Path,
        help="a file of KEY=VALUE lines; by default the environment and the provider's files",
    )


def opened(args: argparse.Namespace) -> Connection:
    """Return the objects of the lake.

    :raises InvalidFields: the URL is malformed.
    :raises NotAllowed: the credentials cannot be read.
    """
    variables = credentials.read(args.credentials) if args.credentials else {}
    return connect(args.lake, variables)


def catalog(args: argparse.Namespace) -> Catalog:
    """Return what this account remembers of the lake; it saves reading, and may be lost."""
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(args.lake.encode()).hexdigest()[:32]}.sqlite"
    try:
        return Catalog(path)
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return Catalog(path)


def _folder() -> Path:
    """Return the folder for what may be lost, by the XDG Base Directory Specification."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "jupyter-gpuquota"
