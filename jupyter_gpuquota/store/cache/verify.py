"""Verifying a cached version, and replacing what is damaged."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ...errors import GpuQuotaError, NotFound
from .. import manifest, published
from ..disk import files
from ..disk.failures import storage
from ..entries import FOLDER, Located
from ..fetch import Download, total
from ..lake import layout
from ..lake.objects import Objects
from ..paths import printable
from ..progress import Meter, Report
from ..tasks import in_thread
from . import fetch, records
from .check import Fault, check
from .index import FolderClock
from .places import Place, places
from .records import Verified
from .reuse import entries_of

_OPEN = 0o755
_CLOSED = 0o555


class Quarantined(msgspec.Struct, frozen=True):
    """What is beside a file in quarantine: the path that it had, and why it is there."""

    path: str
    why: str


def replace(place: Place, fault: Fault, fetched: Path) -> None:
    """Move a damaged path to the quarantine, and what was fetched into its place.

    Names of the damaged file in other versions are replaced, too. Raises OSError.
    """
    target = place.tree / fault.path
    if not fault.wanted and not os.path.lexists(target):
        return  # it lay in a folder that is in quarantine already
    sharing = list(_sharing(place, fault)) if fault.wanted else []
    with _writable(place.tree, target.parent):
        if os.path.lexists(target):
            _set_aside(place, target, fault)
        if fault.wanted:
            (fetched / fault.path).rename(target)
            if fault.wanted[0].mode == FOLDER:
                target.chmod(_CLOSED)
    for tree, path in sharing:
        _relink(target, tree, path)


def _set_aside(place: Place, target: Path, fault: Fault) -> None:
    name = uuid.uuid4().hex
    note = Quarantined(printable(fault.path), fault.why)
    records.write(place.side / "quarantine" / f"{name}.json", note)
    if target.is_dir() and not target.is_symlink():
        target.chmod(_OPEN)  # else it cannot be moved
    target.rename(place.side / "quarantine" / name)


def _sharing(place: Place, fault: Fault) -> Iterator[tuple[Path, Path]]:
    """Yield the tree and the path of every other name of a damaged file in cached versions."""
    damaged = place.tree / fault.path
    if not (fault.wanted and damaged.is_file() and damaged.stat().st_nlink > 1):
        return
    entry, stats = fault.wanted[0], damaged.stat()
    for other in places(place.root):
        if not other.is_cached:
            continue
        for each in entries_of(other):
            path = other.tree / each.path
            if each.sha256 != entry.sha256 or path == damaged:
                continue
            if path.is_file() and path.stat().st_ino == stats.st_ino:
                yield other.tree, path


def _relink(source: Path, tree: Path, path: Path) -> None:
    """Give a repaired file the name of a damaged one."""
    new = tree.parent / f".{uuid.uuid4().hex}.tmp"
    if files.hardlink(source, new):
        with _writable(tree, path.parent):
            new.rename(path)


@contextmanager
def _writable(tree: Path, folder: Path) -> Iterator[None]:
    """Allow changes in a folder of a tree, which is made if it is missing."""
    inner = [each for each in (folder, *folder.parents) if each.is_relative_to(tree)]
    for each in reversed(inner):
        with suppress(FileNotFoundError):
            each.chmod(_OPEN)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        for each in inner:
            with suppress(FileNotFoundError):
                each.chmod(_CLOSED)


class Finding(msgspec.Struct, frozen=True):
    """One damaged path, as it can be shown: what is wrong, and whether it was repaired."""

    path: str
    why: str
    repaired: bool


async def verify(
    place: Place, objects: Objects | None, report: Report, job: str = ""
) -> list[Finding]:
    """Hash all files of a cached version again; return what was damaged.

    A damaged file is moved to the quarantine beside the version and fetched again, unless `objects`
    is None. Other cached versions that share the damaged file get the new one, too.

    :raises NotFound: the version is not cached, or was removed meanwhile.
    :raises Damaged: the manifest beside the version is damaged, too: remove the copy.
    :raises StorageFailed: the disk fails, or cannot be written.
    """
    with storage(place.root):
        meter = Meter(report)
        faults = await in_thread(_check, place, meter)
        if not place.is_cached:
            raise _gone(place)
        findings = await _repair(place, faults, objects, job) if faults else []
        damaged = tuple(each.path for each in findings if not each.repaired)
        when = datetime.fromtimestamp(FolderClock(place.root).now() / 1e9, UTC)
        await in_thread(records.write, place.side / "verified.json", Verified(when, damaged))
        return findings


def _check(place: Place, meter: Meter) -> list[Fault]:
    try:
        body = place.manifest.read_bytes()
    except FileNotFoundError as error:
        raise _gone(place) from error
    stats = total(manifest.decode([body], place.version))
    meter.add(all_files=stats.files, all_bytes=stats.bytes)
    try:
        return list(check(place.tree, manifest.read(body), meter))
    except FileNotFoundError as error:
        raise _gone(place) from error


async def _repair(
    place: Place, faults: Sequence[Fault], objects: Objects | None, job: str
) -> list[Finding]:
    """Return the findings of faults, after replacing what can be replaced."""
    if objects is None:
        return [Finding(printable(each.path), each.why, repaired=False) for each in faults]
    async with fetch.announced(place, job or "verify") as own:
        findings = []
        for fault in await _located(place, faults, objects):
            why = await _replace(place, fault, objects, own.part)
            text = f"{fault.why}; {why}" if why else fault.why
            findings.append(Finding(printable(fault.path), text, repaired=not why))
        return findings


async def _located(place: Place, faults: Sequence[Fault], objects: Objects) -> Sequence[Fault]:
    """Return faults with the present locations of files: a collection may have moved them."""
    try:
        body = await objects.get(layout.manifest(place.version))
        paths = {fault.path for fault in faults}
        now = await in_thread(_chosen, body, place.version, paths)
    except GpuQuotaError:
        # Each finding says why it cannot be fetched.
        return faults
    return [
        fault._replace(wanted=now.get(fault.path, fault.wanted)) if fault.wanted else fault
        for fault in faults
    ]


def _chosen(body: bytes, version: str, paths: set[str]) -> dict[str, Located]:
    listed = manifest.decode([body], version)
    return {entry.path: (entry, at) for entry, at in listed if entry.path in paths}


async def _replace(place: Place, fault: Fault, objects: Objects, part: Path) -> str:
    """Replace one damaged path; return why that was impossible, or an empty text."""
    try:
        await in_thread(published.begin, part)
        if fault.wanted:
            await Download(objects, part / published.TREE, lambda _: None).run([fault.wanted])
        await in_thread(replace, place, fault, part / published.TREE)
    except GpuQuotaError as error:
        return f"it cannot be fetched again: {error.message}"
    finally:
        await in_thread(published.remove, part)
    return ""


def _gone(place: Place) -> NotFound:
    return NotFound(
        f"{place.dataset}@{place.version[:12]} is not cached.", hint="Cache it: data cache."
    )
