"""Verifying a cached version, and replacing what is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ...errors import GpuQuotaError, NotFound
from .. import manifest, published
from ..download import Download, total
from ..entries import Located
from ..lake import layout
from ..lake.objects import Objects
from ..paths import printable
from ..progress import Meter, Report
from ..tasks import in_thread
from . import announcing, records
from .check import Fault, check
from .failures import storage
from .owners import FolderClock
from .places import Place
from .quarantine import replace
from .records import Verified


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
    async with announcing.announced(place, job or "verify") as own:
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
