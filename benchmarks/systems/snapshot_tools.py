"""Our snapshots and their peers: the commands that store, restore and verify a folder."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

import jupyter_gpuquota
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import SessionSpec
from jupyter_gpuquota.model.snapshots.manifest import Manifest
from jupyter_gpuquota.model.snapshots.orders import SnapshotOrder

from .data_tools import Words

OURS = "jupyter_gpuquota"
_PACKAGES = {"restic": "restic", "borg": "borgbackup", "rsync": "rsync"}


@dataclass(frozen=True)
class Place:
    """Where one tool works: the folder to store, its store, and a folder for everything else."""

    data: Path
    store: Path
    work: Path

    def restored(self) -> Path:
        """Return the folder that is restored to."""
        return self.work / "restored"


@dataclass(frozen=True)
class Tool:
    """One tool; `take` is given the number of the snapshot, 1 or 2. Without `verify` it has none.

    What is restored and verified is the second snapshot.
    """

    name: str
    prepare: Callable[[Place], list[Words]]
    take: Callable[[Place, int], list[Words]]
    restore: Callable[[Place], list[Words]]
    verify: Callable[[Place], list[Words]] = lambda _: []


def tools() -> tuple[list[Tool], list[str]]:
    """Return the tools that are installed, ours first, and the packages of the others."""
    peers = {"restic": _restic(), "borg": _borg(), "rsync": _rsync()}
    found = [tool for program, tool in peers.items() if shutil.which(program)]
    missing = [_PACKAGES[program] for program in peers if not shutil.which(program)]
    return [_ours(), *found, _cp()], missing


def _ours() -> Tool:
    store = [sys.executable, "-m", "jupyter_gpuquota.store"]

    def prepare(place: Place) -> list[Words]:
        place.store.mkdir()
        # As an installation does it.
        return [
            [sys.executable, "-m", "compileall", "-q", str(Path(jupyter_gpuquota.__file__).parent)]
        ]

    def lake(place: Place) -> list[str]:
        return ["--report", "lines", "--lake", f"file://{place.store}"]

    def take(place: Place, number: int) -> list[Words]:
        order = place.work / f"order-{number}.json"
        order.write_bytes(msgspec.json.encode(_order(place.data, number)))
        return [[*store, "snapshot", *lake(place), "--order", str(order)]]

    def tree(place: Place) -> str:
        """Return the tree of the second snapshot."""
        for path in place.store.glob("snapshots/*/*.json"):
            manifest = json.loads(path.read_bytes())
            if manifest["note"] == "2":
                return f"{manifest['tree']['dataset']}@{manifest['tree']['version']}"
        raise FileNotFoundError(place.store / "snapshots")

    def restore(place: Place) -> list[Words]:
        to = ["--tree", tree(place), "--folder", str(place.restored())]
        return [[*store, "restore", *lake(place), *to]]

    return Tool(
        OURS,
        prepare,
        take,
        restore,
        lambda place: [[*store, "verify", *lake(place), tree(place), "--only", "lake"]],
    )


def _order(folder: Path, number: int) -> SnapshotOrder:
    draft = Manifest(
        session="bench",
        name="bench",
        project="bench",
        owner="bench",
        author="bench",
        created=datetime.now(UTC),
        note=str(number),
        spec=SessionSpec(
            name="bench",
            project="bench",
            kind="interactive",
            share=Share(),
            environment="",
            folder=str(folder),
        ),
    )
    return SnapshotOrder(id=f"bench-{number}", draft=draft, folder=str(folder))


def _restic() -> Tool:
    def restic(place: Place, *words: str) -> list[Words]:
        password = place.work / "password"
        password.write_text("none")
        where = ["--repo", str(place.store), "--password-file", str(password)]
        return [["restic", *where, "--quiet", *words]]

    return Tool(
        "restic (encrypts)",
        lambda place: restic(place, "init"),
        lambda place, _: restic(place, "backup", str(place.data)),
        lambda place: restic(place, "restore", "latest", "--target", str(place.restored())),
        lambda place: restic(place, "check", "--read-data"),
    )


def _borg() -> Tool:
    def take(place: Place, number: int) -> list[Words]:
        return [["borg", "create", f"{place.store}::{number}", str(place.data)]]

    def restore(place: Place) -> list[Words]:
        place.restored().mkdir()
        # It restores to the folder that it is started in.
        into = ["env", f"--chdir={place.restored()}"]
        return [[*into, "borg", "extract", f"{place.store}::2"]]

    return Tool(
        "borg --encryption none",
        lambda place: [["borg", "init", "--encryption", "none", str(place.store)]],
        take,
        restore,
        lambda place: [["borg", "check", "--verify-data", str(place.store)]],
    )


def _rsync() -> Tool:
    def take(place: Place, number: int) -> list[Words]:
        last = [f"--link-dest={place.store}/1"] if number > 1 else []
        return [["rsync", "-a", *last, f"{place.data}/", f"{place.store}/{number}/"]]

    def prepare(place: Place) -> list[Words]:
        place.store.mkdir()
        return []

    return Tool(
        "rsync --link-dest",
        prepare,
        take,
        lambda place: [["rsync", "-a", f"{place.store}/2/", f"{place.restored()}/"]],
    )


def _cp() -> Tool:
    def prepare(place: Place) -> list[Words]:
        place.store.mkdir()
        return []

    return Tool(
        "cp -a",
        prepare,
        lambda place, number: [["cp", "-a", str(place.data), str(place.store / str(number))]],
        lambda place: [["cp", "-a", str(place.store / "2"), str(place.restored())]],
    )
