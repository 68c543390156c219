"""Use cases of snapshots and of restoring them."""

from __future__ import annotations

import posixpath
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace as with_
from datetime import UTC, datetime

from ..core import names
from ..core.lists.recent import page
from ..core.requests import specs
from ..core.requests.again import asked_again
from ..core.snapshots import environment, reproduction, requests, retention, rights
from ..core.snapshots import lineage as lineages
from ..core.snapshots import restore as restoring
from ..core.snapshots.requests import sum_up
from ..core.snapshots.restore import Found
from ..errors import Conflict, FieldError, InvalidFields, NameTaken, refused
from ..model.datasets.jobs import Job
from ..model.datasets.lineage import Lineage
from ..model.sessions import SessionSpec
from ..model.snapshots.comparison import SnapshotCompareQuery, SnapshotComparison
from ..model.snapshots.manifest import Manifest, Trigger
from ..model.snapshots.restore import Restoration, RestorationList, RestorePlan, RestoreRequest
from ..model.snapshots.snapshots import (
    Snapshot,
    SnapshotAction,
    SnapshotDetails,
    SnapshotFiles,
    SnapshotFolder,
    SnapshotList,
    SnapshotMarks,
    SnapshotPinRequest,
    SnapshotPreview,
    SnapshotQuery,
    SnapshotRequest,
    SnapshotRules,
    SnapshotRulesRequest,
    SnapshotSettings,
)
from ..model.struct import Nothing
from ..ports.backend import Backend, require
from ..ports.snapshots import RestoreOrder, SnapshotKeeping, Snapshots
from .call import Call
from .launches.facts import facts


async def list_(backend: Backend, call: Call) -> SnapshotList:
    """Return the snapshots that the caller may see, newest first."""
    snapshots, query = _able(backend), _query(call)
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
    made = await _able(backend.at(call.target.spec.project)).create(
        call.target, request, call.who, trigger
    )
    return rights.seen([made], call.rights)[0]


async def preview(backend: Backend, call: Call) -> SnapshotPreview:
    """Return what a snapshot of a session would store now."""
    request: SnapshotRequest = call.body
    rights.check_create(call.target, call.rights)
    requests.check(request, call.target)
    able = _able(backend.at(call.target.spec.project))
    return await able.preview(call.target, request, call.who)


async def get(backend: Backend, call: Call) -> SnapshotDetails:
    """Return a snapshot with its manifest."""
    snapshot = _find(backend, call)
    manifest = await _able(backend).manifest(snapshot)
    if manifest is None:
        return SnapshotDetails(snapshot=snapshot)
    return SnapshotDetails(
        snapshot=snapshot,
        manifest=manifest,
        reproduce=reproduction.commands(snapshot, manifest),
        programs=reproduction.programs(manifest),
        environment=environment.files(manifest.environment),
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
    await _able(backend).remove(_find(backend, call, "remove", "remove"))
    return Nothing()


async def compare(backend: Backend, call: Call) -> SnapshotComparison:
    """Return what differs between two snapshots."""
    query: SnapshotCompareQuery = call.query
    before = await _ready(backend, call, "see", "compare")
    after = rights.find(query.other, _able(backend).all(), call.rights)
    rights.check("see", after, "compare")
    _check_ready(after)
    return await _able(backend).compare(before, after)


async def lineage(backend: Backend, call: Call) -> Lineage:
    """Return what a snapshot comes from, and what has come from it."""
    snapshot = await _ready(backend, call, "see", "see")
    snapshots = _able(backend)
    visible = [each for each in rights.seen(snapshots.all(), call.rights) if "see" in each.actions]
    restores = rights.own_restores(snapshots.restores.all(), call.rights)
    found = await _manifest_of(backend, snapshot)
    return lineages.lineage_of(snapshot, found, visible, restores)


async def verify(backend: Backend, call: Call) -> Job:
    """Start to hash everything again that a snapshot consists of."""
    return await _able(backend).verify(await _ready(backend, call, "see", "verify"), call.who)


async def export(backend: Backend, call: Call) -> Job:
    """Start to write the files of a snapshot to a new folder."""
    request: SnapshotFolder = call.body
    snapshot = await _ready(backend, call, "restore", "export")
    return await _able(backend).export(snapshot, request.folder, call.who)


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
    mine = [each for each in _able(backend).all() if each.owner == call.who]
    gone = retention.removable(mine, rules)
    return SnapshotSettings(rules=rules, removed=tuple(each.id for each in gone))


def _find(
    backend: Backend, call: Call, action: SnapshotAction = "see", what: str = "see"
) -> Snapshot:
    """Return the snapshot that the path names. Raises NotFound, Ambiguous, NotAllowed."""
    snapshot = rights.find(call.args["snapshot"], _able(backend).all(), call.rights)
    rights.check(action, snapshot, what)
    return snapshot


def _check_ready(snapshot: Snapshot) -> None:
    """Raise Conflict for a snapshot that is being made, or could not be made."""
    if snapshot.state in {"making", "failed"}:
        words = "is still being made" if snapshot.state == "making" else "could not be made"
        raise Conflict(
            f"The snapshot {snapshot.short} {words}.",
            hint=f"jupyter gpu snapshot show {snapshot.short} has the details.",
        )


async def _manifest_of(backend: Backend, snapshot: Snapshot) -> Manifest:
    """Return the manifest of a snapshot that is ready. Raises Conflict, Damaged, Unavailable."""
    found = await _able(backend).manifest(snapshot)
    if found is None:
        raise Conflict(f"The snapshot {snapshot.short} has no manifest.", hint="Take another one.")
    return found


def _able(backend: Backend) -> Snapshots:
    """Return the capability. Raises Unsupported."""
    return require(backend, "snapshots", backend.snapshots)


def _keeping(backend: Backend) -> SnapshotKeeping:
    return require(backend, "keeping", backend.keeping)


async def _ready(backend: Backend, call: Call, action: SnapshotAction, what: str) -> Snapshot:
    snapshot = _find(backend, call, action, what)
    _check_ready(snapshot)
    return snapshot


async def _mark(backend: Backend, call: Call, snapshot: Snapshot) -> Snapshot:
    marked = await _able(backend).mark(snapshot)
    return rights.seen([marked], call.rights)[0]


def _query(call: Call) -> SnapshotQuery:
    query: SnapshotQuery = call.query
    return query


async def restores(backend: Backend, call: Call) -> RestorationList:
    """Return the restores of the caller that go on or have ended lately, newest first."""
    own, now = rights.own_restores(_able(backend).restores.all(), call.rights), datetime.now(UTC)
    return RestorationList(items=tuple(each for each in own if restoring.is_listed(each, now)))


async def plan(backend: Backend, call: Call) -> RestorePlan:
    """Return what a restore would make, and what stands against it. Nothing is made."""
    order, refusals, found = await _planned(backend, call)
    return restoring.plan(
        order.snapshot, order.manifest, call.body, found, order.name, order.original, refusals
    )


async def restore(backend: Backend, call: Call) -> Restoration:
    """Begin a restore, unless something stands against it."""
    order, refusals, found = await _planned(backend, call)
    if problems := (*restoring.problems(order.manifest, call.body, found), *refusals):
        raise refused(*problems)
    return await _able(backend).restores.begin(order)


async def _planned(
    backend: Backend, call: Call
) -> tuple[RestoreOrder, Sequence[FieldError], Found]:
    """Return what is to be done, why its session is refused, and what is there."""
    request: RestoreRequest = call.body
    snapshot = _find(backend, call, "restore", "restore")
    _check_ready(snapshot)
    manifest = await _manifest_of(backend, snapshot)
    manifest = restoring.starting_from(manifest, request.environment)
    sessions = backend.sessions.all()
    taken = {each.spec.name for each in sessions if each.spec.project == manifest.project}
    name = restoring.new_name(manifest, request, taken)
    found = await _able(backend).restores.found(manifest, request, name)
    spec: SessionSpec | None = None
    refusals: Sequence[FieldError] = ()
    if request.launch:
        try:
            spec = await _session(backend, call, manifest, name, found)
        except (InvalidFields, NameTaken) as error:
            refusals = [
                restoring.hinted(each, manifest)
                for each in error.fields
                if each.field not in found.problems
            ]
    order = RestoreOrder(
        snapshot=snapshot,
        manifest=manifest,
        folder=found.folder,
        name=name,
        owner=call.who,
        spec=spec,
        original=restoring.original(manifest, sessions),
        variables=request.variables,
        claims=found.claims,
    )
    return order, refusals, found


async def _session(
    backend: Backend, call: Call, manifest: Manifest, name: str, found: Found
) -> SessionSpec:
    """Return the checked spec of the new session. Raises InvalidFields, NameTaken."""
    # Volumes that will be made from copies are not there yet: the copies were checked already.
    made = tuple(each for each in manifest.spec.mounts if each.volume in found.claims)
    there = tuple(each for each in manifest.spec.mounts if each not in made)
    bare = restoring.mounting(manifest, there)
    spec = restoring.new_spec(bare, name, found.folder)
    # The new folder is not there yet: that it can be made is checked by its parent.
    request = asked_again(restoring.new_spec(bare, name, posixpath.dirname(found.folder)))
    known = await facts(backend, with_(call, body=request))
    checked = specs.check_again(spec, restoring.in_folder(known, found.folder))
    checked = restoring.mounting_too(checked, made)
    names.check_free(checked, backend.sessions.all())
    return checked
