"""Requests with several places: all of them are checked before the first is tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...core import names
from ...core.fallbacks import Place
from ...core.fields import FieldReader
from ...core.members import launchable
from ...core.requests import places, specs
from ...core.templates import seen
from ...errors import NameTaken
from ...model.clusters.fallback import PlacePreview
from ...model.previews import Preview
from ...model.sessions import Session, SessionRequest, SessionSpec
from ...ports.backend import Backend, require
from ..call import Call
from .facts import facts


async def create(backend: Backend, call: Call) -> Session:
    """Check a request in all of its places, and create its session in the first.

    Raises InvalidFields with what is wrong in any of them: `on[1].gpu`.
    """
    able = require(backend, "fallbacks", backend.fallbacks)
    reader = FieldReader()
    wait = places.read_wait(call.body, able.wait, reader)
    found = await _checked(backend, call, reader)
    reader.finish()
    return await able.create(found, wait, call.who)


async def requests(backend: Backend, call: Call, reader: FieldReader) -> list[SessionRequest]:
    """Return the request of each place; what names none is noted."""
    require(backend, "fallbacks", backend.fallbacks)
    return places.placed(call.body, _known(backend, call), reader)


async def previewed(
    backend: Backend, asked: Sequence[SessionRequest], found: Sequence[Preview], call: Call
) -> tuple[PlacePreview, ...]:
    """Return what would happen to a request in each of its places."""
    known = _known(backend, call)
    on: tuple[str, ...] = call.body.on
    return tuple(
        PlacePreview(
            name=name,
            cluster=known.cluster(request.project),
            project=request.project,
            verdict=preview.verdict,
            message=preview.message,
        )
        for name, request, preview in zip(on, asked, found, strict=True)
    )


def _known(backend: Backend, call: Call) -> places.Known:
    """Return what places may name. Raises Unavailable if a named cluster cannot be used."""
    templates, clusters = backend.templates, backend.clusters
    first = next(iter(clusters), "")
    named = {first, *call.body.on} & set(clusters)
    return places.Known(
        clusters=tuple(clusters),
        templates=seen(templates.all(), call.rights, by_file=False) if templates else (),
        files=[name for name in named if clusters[name].inventory.local_files],
        projects=[each.name for each in launchable(backend.inventory.projects(), call.rights)],
    )


async def _checked(backend: Backend, call: Call, reader: FieldReader) -> list[Place]:
    """Return the checked request of each place, and note what is wrong in any of them."""
    asked = await requests(backend, call, reader)
    known, found = _known(backend, call), []
    if reader.errors:
        return []
    for i, request in enumerate(asked):
        inside = reader.under(f"on[{i}].")
        spec = await _spec(backend, replace(call, body=request), inside)
        if spec:
            cluster = known.cluster(spec.project)
            if i < len(asked) - 1 and not _can_be_withdrawn(backend, spec):
                reader.wrong(f"on[{i}]", "place.not_withdrawn", cluster=cluster)
            found.append(Place(name=call.body.on[i], cluster=cluster, spec=spec))
    return found


async def _spec(backend: Backend, call: Call, reader: FieldReader) -> SessionSpec | None:
    known = await facts(backend, call)
    spec = reader.take(lambda: specs.check(call.body, known))
    try:
        if spec:
            names.check_free(spec, backend.sessions.all())
    except NameTaken as error:
        reader.add(error.fields)
    return spec


def _can_be_withdrawn(backend: Backend, spec: SessionSpec) -> bool:
    """Return whether a queued session can be kept from starting."""
    there = backend.at(spec.project).differences
    return spec.serves_jupyter or there.withdraws_commands
