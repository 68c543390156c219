"""Use cases of restoring snapshots."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace as with_

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
from ...model.struct import Nothing
from ...ports.backend import Backend
from ...ports.snapshots import RestoreOrder, Restores
from ..call import Call
from ..launches.facts import facts
from . import resting, taking


async def restores(backend: Backend, call: Call) -> RestorationList:
    """Return the restores of the caller, newest first."""
    return RestorationList(items=tuple(rights.own_restores(_able(backend).all(), call.rights)))


async def restoration(backend: Backend, call: Call) -> Restoration:
    """Return one restore."""
    return _find(backend, call)


async def plan(backend: Backend, call: Call) -> RestorePlan:
    """Return what a restore would make, and what stands against it. Nothing is made."""
    order, refusals, found = await _planned(backend, call)
    return restoring.plan(order.snapshot, order.manifest, call.body, found, order.name, refusals)


async def restore(backend: Backend, call: Call) -> Restoration:
    """Begin a restore, unless something stands against it."""
    order, refusals, found = await _planned(backend, call)
    if problems := (*restoring.problems(order.manifest, call.body, found), *refusals):
        raise refused(*problems)
    return await _able(backend).begin(order)


async def replace(backend: Backend, call: Call) -> Restoration:
    """Put what was restored in the place of the original."""
    known = _find(backend, call)
    resting.check(backend, call, known)
    return await _able(backend).replace(known.id, known.origin)


async def undo(backend: Backend, call: Call) -> Restoration:
    """Put the original back in its place."""
    known = _find(backend, call)
    resting.check(backend, call, known)
    return await _able(backend).undo(known.id)


async def confirm(backend: Backend, call: Call) -> Nothing:
    """Forget a restore; after a replacement, remove the original that was kept."""
    await _able(backend).remove(_find(backend, call).id)
    return Nothing()


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
    place = manifest.spec.folder if request.replace and manifest.tree else ""
    spec: SessionSpec | None = None
    refusals: Sequence[FieldError] = ()
    if request.replace:
        refusals = [
            *resting.live(backend, [place], [manifest.session]),
            *resting.mounting(backend, call, manifest.session, found.places.values()),
            *resting.not_allowed(backend, call, manifest.project, found.places),
        ]
    elif request.launch:
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
        place=place,
        replace=request.replace,
        variables=request.variables,
        claims=found.claims,
        places=found.places,
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


def _find(backend: Backend, call: Call) -> Restoration:
    return rights.find_restore(call.args["restore"], _able(backend).all(), call.rights)


def _able(backend: Backend) -> Restores:
    return taking.able(backend).restores
