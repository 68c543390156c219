"""Use cases of restoring snapshots."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace as with_

from ...core import names
from ...core.requests import specs
from ...core.requests.again import asked_again
from ...core.snapshots import restore as restoring
from ...core.snapshots import rights
from ...core.snapshots.restore import Found
from ...errors import FieldError, InvalidFields, NameTaken, WrongState, refused
from ...model.sessions import ENDED, SessionSpec, State
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import Restoration, RestorationList, RestorePlan, RestoreRequest
from ...model.struct import Nothing
from ...ports.backend import Backend
from ...ports.snapshots import RestoreOrder, Restores
from ..call import Call
from ..launches.facts import facts
from . import taking

INACTIVE: frozenset[State] = ENDED | {"suspended"}
"""States in which nobody works in a session's folder, nor will without being asked to."""


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
    _check_at_rest(backend, known)
    return await _able(backend).replace(known.id, known.origin)


async def undo(backend: Backend, call: Call) -> Restoration:
    """Put the original back in its place."""
    known = _find(backend, call)
    _check_at_rest(backend, known)
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
        refusals = _live(backend, [place], [manifest.session])
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


def _check_at_rest(backend: Backend, known: Restoration) -> None:
    """Raise WrongState while a session works in what is replaced, or in what replaces it."""
    folders, ids = [known.origin, known.folder], [known.replaces, known.session]
    if problems := _live(backend, folders, ids):
        raise WrongState(problems[0].message, hint=problems[0].hint)


def _live(backend: Backend, folders: Iterable[str], ids: Iterable[str]) -> list[FieldError]:
    """Return which sessions must end before their folders or volumes are replaced."""
    replaced, named = {folder for folder in folders if folder}, set(ids)
    return [
        FieldError(
            "replace",
            f"The session {each.spec.name} works in {each.spec.folder}."
            if each.spec.folder in replaced
            else f"The session {each.spec.name} is {each.state}.",
            "Suspend or stop it first: its files are replaced.",
        )
        for each in backend.sessions.all()
        if (each.spec.folder in replaced or each.id in named) and each.state not in INACTIVE
    ]


def _find(backend: Backend, call: Call) -> Restoration:
    return rights.find_restore(call.args["restore"], _able(backend).all(), call.rights)


def _able(backend: Backend) -> Restores:
    return taking.able(backend).restores
