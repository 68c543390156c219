"""Use cases of restoring snapshots."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace as with_
from datetime import UTC, datetime

from ...core import names
from ...core.requests import specs
from ...core.requests.again import asked_again
from ...core.snapshots import restore as restoring
from ...core.snapshots import rights
from ...core.snapshots.restore import Found
from ...errors import FieldError, InvalidFields, NameTaken, refused
from ...model.sessions import SessionSpec
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import Restoration, RestorationList, RestorePlan, RestoreRequest
from ...ports.backend import Backend
from ...ports.snapshots import RestoreOrder, Restores
from ..call import Call
from ..launches.facts import facts
from . import taking


async def restores(backend: Backend, call: Call) -> RestorationList:
    """Return the restores of the caller that go on or have ended lately, newest first."""
    own, now = rights.own_restores(_able(backend).all(), call.rights), datetime.now(UTC)
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
    return await _able(backend).begin(order)


async def _planned(
    backend: Backend, call: Call
) -> tuple[RestoreOrder, Sequence[FieldError], Found]:
    """Return what is to be done, why its session is refused, and what is there."""
    request: RestoreRequest = call.body
    snapshot = taking.find(backend, call, "restore", "restore")
    taking.check_ready(snapshot)
    manifest = await taking.manifest_of(backend, snapshot)
    sessions = backend.sessions.all()
    taken = {each.spec.name for each in sessions if each.spec.project == manifest.project}
    name = restoring.new_name(manifest, request, taken)
    found = await _able(backend).found(manifest, request, name)
    spec: SessionSpec | None = None
    refusals: Sequence[FieldError] = ()
    if request.launch:
        try:
            spec = await _session(backend, call, manifest, name, found)
        except (InvalidFields, NameTaken) as error:
            refusals = [each for each in error.fields if each.field not in found.problems]
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


def _able(backend: Backend) -> Restores:
    return taking.able(backend).restores
