"""Verifying snapshots: what a lake has of one is hashed, and the copies of volumes are looked for.

The files in the copies are not read: a driver's copy has no hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ...control.datasets.job_board import JobBoard
from ...control.snapshots.registry import Registry
from ...core.snapshots import identity
from ...errors import Damaged, NotFound
from ...model.datasets.jobs import Job, JobReport
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.snapshots import Snapshot
from ...model.struct import problem_of
from ...store.lake.objects import Objects
from ...store.spawn import new_id
from .copies import Copies


class Stored(NamedTuple):
    """A file that is stored beside a manifest, by the part that has it and its sha256."""

    part: str
    digest: str


async def verified(
    board: JobBoard, copies: Copies, registry: Registry, snapshot: Snapshot, user: str
) -> Job:
    """Return the job of a verification, which has ended.

    It has failed if a file in the lake or a copy is damaged or gone. Raises NotFound, Damaged,
    NotAllowed, Unavailable.
    """
    entry = registry.find(snapshot.id)
    manifest = await registry.manifest(snapshot.id)
    objects = registry.objects(entry.lake)
    findings, size, count = [], 0, 0
    for each in _stored(manifest):
        key = identity.file_key(manifest.owner, snapshot.id, each.digest)
        body = await _read(objects, key)
        if hashlib.sha256(body).hexdigest() != each.digest:
            findings.append(each.part)
        size, count = size + len(body), count + 1
    findings += [f"volume:{each}" for each in await copies.missing(manifest)]
    job, begun = new_id(), JobReport(kind="verify", state="running", version=snapshot.id)
    await board.start(begun, job, user)
    report = replace(begun, files=count, done=size, size=size)
    if findings:
        problem = problem_of(_damaged(findings))
        report = replace(report, state="failed", problem=problem, findings=tuple(findings))
    else:
        report = replace(report, state="done", reason=_said(manifest, count))
    return await board.report(job, report, user)


async def _read(objects: Objects, key: str) -> bytes:
    """Return an object of a lake, nothing if it is gone. Raises Unavailable."""
    try:
        return await objects.get(key)
    except NotFound:
        return b""


def _stored(manifest: Manifest) -> Iterator[Stored]:
    """Yield the files that are stored beside a manifest."""
    yield from (Stored(f"git:{each.folder}", each.patch) for each in manifest.git if each.patch)
    yield from (Stored(each.path, each.sha256) for each in manifest.logs)
    if manifest.kernel:
        yield Stored(manifest.kernel.path, manifest.kernel.sha256)


def _said(manifest: Manifest, count: int) -> str:
    """Return what was found to be in order, and what was not looked at."""
    files = f"the {count} {'file' if count == 1 else 'files'} beside it in the lake are intact"
    lake = f"The manifest and {files}" if count else "The manifest is intact"
    if not manifest.volumes:
        return f"{lake}."
    names = ", ".join(each.volume for each in manifest.volumes)
    return f"{lake}, and the copies of {names} are ready to use; their files were not read."


def _damaged(findings: list[str]) -> Damaged:
    return Damaged(f"The snapshot is damaged, or parts of it are gone: {', '.join(findings)}.")
