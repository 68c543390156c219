"""Use cases of snapshots."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime

from ...core.lists.paging import page
from ...core.snapshots import lineage as lineages
from ...core.snapshots import reproduction, requests, retention, rights
from ...core.snapshots.uses import sum_up
from ...errors import Conflict
from ...model.datasets.jobs import Job
from ...model.datasets.lineage import Lineage
from ...model.snapshots.comparison import SnapshotCompareQuery, SnapshotComparison
from ...model.snapshots.manifest import Manifest, Trigger
from ...model.snapshots.snapshots import (
    Snapshot,
    SnapshotAction,
    SnapshotDetails,
    SnapshotFiles,
    SnapshotFolder,
    SnapshotList,
    SnapshotMarks,
    SnapshotPinRequest,
    SnapshotQuery,
    SnapshotRequest,
    SnapshotRules,
    SnapshotRulesRequest,
    SnapshotSettings,
)
from ...model.struct import Nothing
from ...ports.backend import Backend, require
from ...ports.snapshots import SnapshotKeeping, Snapshots
from ..call import Call


async def list_(backend: Backend, call: Call) -> SnapshotList:
    """Return the snapshots that the caller may see, newest first."""
    snapshots, query = able(backend), _query(call)
    visible = rights.seen(snapshots.all(), call.rights)
    part = page(requests.matching(visible, query), query.limit, query.cursor, "")
    return SnapshotList(
        items=part.items,
        total=part.total,
        next=part.next,
        uses=sum_up(visible),
        problems=snapshots.problems(),
    )


async def create(backend: Backend, call: Call) -> Snapshot:
    """Begin to take a snapshot of a session."""
    request: SnapshotRequest = call.body
    rights.check_create(call.target, call.rights)
    requests.check(request, call.target)
    trigger: Trigger = "code" if call.caller.session or call.caller.inside else "request"
    made = await able(backend.at(call.target.spec.project)).create(
        call.target, request, call.who, trigger
    )
    return rights.seen([made], call.rights)[0]


async def get(backend: Backend, call: Call) -> SnapshotDetails:
    """Return a snapshot with its manifest."""
    snapshot = find(backend, call)
    manifest = await able(backend).manifest(snapshot)
    if manifest is None:
        return SnapshotDetails(snapshot=snapshot)
    return SnapshotDetails(
        snapshot=snapshot,
        manifest=manifest,
        reproduce=reproduction.commands(snapshot, manifest),
        programs=reproduction.programs(manifest),
    )


async def mark(backend: Backend, call: Call) -> Snapshot:
    """Change the tags of a snapshot."""
    marks: SnapshotMarks = call.body
    snapshot = await _ready(backend, call, "mark", "tag")
    return await _mark(backend, call, requests.marked(snapshot, marks.tags))


async def pin(backend: Backend, call: Call) -> Snapshot:
    """Keep a snapshot whatever the rules say."""
    request: SnapshotPinRequest = call.body
    snapshot = await _ready(backend, call, "mark", "pin")
    kept = requests.pinned(snapshot, request.why, datetime.now(UTC))
    return await _mark(backend, call, kept)


async def unpin(backend: Backend, call: Call) -> Snapshot:
    """Remove the pin of a snapshot."""
    snapshot = await _ready(backend, call, "mark", "unpin")
    return await _mark(backend, call, requests.unpinned(snapshot))


async def delete(backend: Backend, call: Call) -> Nothing:
    """Remove a snapshot, or cancel its making."""
    await able(backend).remove(find(backend, call, "remove", "remove"))
    return Nothing()


async def compare(backend: Backend, call: Call) -> SnapshotComparison:
    """Return what differs between two snapshots."""
    query: SnapshotCompareQuery = call.query
    before = await _ready(backend, call, "see", "compare")
    after = rights.find(query.other, able(backend).all(), call.rights)
    rights.check("see", after, "compare")
    check_ready(after)
    return await able(backend).compare(before, after)


async def lineage(backend: Backend, call: Call) -> Lineage:
    """Return what a snapshot comes from, and what has come from it."""
    snapshot = await _ready(backend, call, "see", "see")
    snapshots = able(backend)
    visible = [each for each in rights.seen(snapshots.all(), call.rights) if "see" in each.actions]
    restores = rights.own_restores(snapshots.restores.all(), call.rights)
    found = await manifest_of(backend, snapshot)
    return lineages.lineage_of(snapshot, found, visible, restores)


async def verify(backend: Backend, call: Call) -> Job:
    """Start to hash everything again that a snapshot consists of."""
    return await able(backend).verify(await _ready(backend, call, "see", "verify"), call.who)


async def export(backend: Backend, call: Call) -> Job:
    """Start to write the files of a snapshot to a new folder."""
    request: SnapshotFolder = call.body
    snapshot = await _ready(backend, call, "restore", "export")
    return await able(backend).export(snapshot, request.folder, call.who)


async def files(backend: Backend, call: Call) -> AsyncGenerator[SnapshotFiles]:
    """Stream the files of a snapshot as an archive."""
    snapshot = await _ready(backend, call, "restore", "export")
    able_to_stream = require(backend, "streaming", backend.streaming)
    return able_to_stream.files(snapshot, call.who)


async def settings(backend: Backend, call: Call) -> SnapshotSettings:
    """Return when snapshots of the caller are taken and removed by themselves."""
    return _settings(backend, call, await _keeping(backend).rules(call.who))


async def put_settings(backend: Backend, call: Call) -> SnapshotSettings:
    """Set when snapshots of the caller are taken and removed by themselves."""
    request: SnapshotRulesRequest = call.body
    rules = retention.checked(request)
    if not request.dry_run:
        await _keeping(backend).put(call.who, rules)
    return _settings(backend, call, rules)


def _settings(backend: Backend, call: Call, rules: SnapshotRules) -> SnapshotSettings:
    mine = [each for each in able(backend).all() if each.owner == call.who]
    gone = retention.removable(mine, rules)
    return SnapshotSettings(rules=rules, removed=tuple(each.id for each in gone))


def find(
    backend: Backend, call: Call, action: SnapshotAction = "see", what: str = "see"
) -> Snapshot:
    """Return the snapshot that the path names. Raises NotFound, Ambiguous, NotAllowed."""
    snapshot = rights.find(call.args["snapshot"], able(backend).all(), call.rights)
    rights.check(action, snapshot, what)
    return snapshot


def check_ready(snapshot: Snapshot) -> None:
    """Raise Conflict for a snapshot that is being made, or could not be made."""
    if snapshot.state in {"making", "failed"}:
        words = "is still being made" if snapshot.state == "making" else "could not be made"
        raise Conflict(
            f"The snapshot {snapshot.short} {words}.",
            hint=f"jupyter gpu snapshot show {snapshot.short} has the details.",
        )


async def manifest_of(backend: Backend, snapshot: Snapshot) -> Manifest:
    """Return the manifest of a snapshot that is ready. Raises Conflict, Damaged, Unavailable."""
    found = await able(backend).manifest(snapshot)
    if found is None:
        raise Conflict(f"The snapshot {snapshot.short} has no manifest.", hint="Take another one.")
    return found


def able(backend: Backend) -> Snapshots:
    """Return the capability. Raises Unsupported."""
    return require(backend, "snapshots", backend.snapshots)


def _keeping(backend: Backend) -> SnapshotKeeping:
    return require(backend, "keeping", backend.keeping)


async def _ready(backend: Backend, call: Call, action: SnapshotAction, what: str) -> Snapshot:
    snapshot = find(backend, call, action, what)
    check_ready(snapshot)
    return snapshot


async def _mark(backend: Backend, call: Call, snapshot: Snapshot) -> Snapshot:
    marked = await able(backend).mark(snapshot)
    return rights.seen([marked], call.rights)[0]


def _query(call: Call) -> SnapshotQuery:
    query: SnapshotQuery = call.query
    return query
