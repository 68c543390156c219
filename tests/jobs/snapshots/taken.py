"""What tests of snapshots do: a folder of a session, an order, and the process that takes it.

    python -m tests.jobs.snapshots.taken ORDER LAKE [STEP]

Every request to the lake is two steps; at STEP the process kills itself. It prints the snapshot and
the steps that it made.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.jobs.job import Job, LinesReporter
from jupyter_gpuquota.jobs.verbs import snapshot
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.snapshots.manifest import Manifest
from jupyter_gpuquota.model.snapshots.orders import MountedVolume, SnapshotOrder
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.processes import leave
from tests.builders import NOW, make_spec
from tests.storms.lake.program import NEVER, Mortal

OWNER = "ana"


def order(folder: Path, **more: Any) -> SnapshotOrder:
    """Return an order for a folder."""
    draft = Manifest(
        session="s1",
        name="exp-1",
        project="team-a",
        owner=OWNER,
        author=OWNER,
        created=NOW,
        note="before the change",
        consistency="quiesced",
        spec=make_spec(),
    )
    return SnapshotOrder(id="j1", lake="main", draft=draft, folder=str(folder), **more)


def volume(folder: Path, name: str = "scratch") -> MountedVolume:
    """Return a folder as a volume of the session."""
    return MountedVolume(volume=name, path=f"/{name}", folder=str(folder))


def git(folder: Path, *words: str) -> None:
    """Run git as a user."""
    who = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"]
    main = ["-c", "init.defaultBranch=main"]
    subprocess.run(["git", *main, *who, *words], cwd=folder, check=True, capture_output=True)


async def manifests(objects: Objects) -> dict[str, Manifest]:
    """Return the snapshots of a lake, each one checked."""
    keys = [each.key async for each in objects.list(identity.folder(OWNER))]
    ids = filter(None, map(identity.snapshot_of, keys))
    return {
        each: identity.decode(await objects.get(identity.key(OWNER, each)), each) for each in ids
    }


async def _run(path: str, lake: str, last: int) -> None:
    objects = Mortal(connect(lake), last)
    job = Job("j1", JobReport(kind="snapshot", state="waiting"), LinesReporter("j1"))
    wanted = msgspec.json.decode(Path(path).read_bytes(), type=SnapshotOrder)
    made = await snapshot.take(job, wanted, objects, lake)
    said = (await manifests(connect(lake)))[made].problems
    told = {each.part: each.message for each in said}
    shown = {"snapshot": made, "steps": objects.steps, "problems": told}
    print(json.dumps(shown))  # noqa: T201 (the test reads it)


def main(argv: Sequence[str]) -> int:
    """Take the snapshot; print it or the error, and return the exit code."""
    path, lake, *last = argv
    try:
        asyncio.run(_run(path, lake, int(last[0]) if last else NEVER))
    except GpuQuotaError as error:
        print(f"{error.code}: {error}")  # noqa: T201 (the test reads it)
        return 1
    return 0


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
