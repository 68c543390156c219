"""What would happen to a request."""

from __future__ import annotations

from dataclasses import replace

from ...core import disclosure, names
from ...core.fields import FieldReader
from ...core.forecast import previews
from ...core.requests import alternatives, specs
from ...core.requests.places import read_wait
from ...errors import InvalidFields, NameTaken, refused
from ...model.previews import Preview
from ...model.sessions import SessionRequest
from ...ports.backend import Backend, require
from ..call import Call
from . import data, places
from .facts import facts


async def preview(backend: Backend, call: Call) -> Preview:
    """Return what would happen to a request; one that breaks rules gets an answer, too.

    With several places, it is what would happen in the first, and in short in each of them.
    """
    if not call.body.on:
        return await _of_one(backend, call)
    reader = FieldReader()
    asked = await places.requests(backend, call, reader)
    able = require(backend, "fallbacks", backend.fallbacks)
    read_wait(call.body, able.wait, reader)
    if reader.errors:
        return previews.forbidden(refused(*reader.errors), None)
    found = [await _of_one(backend, replace(call, body=request)) for request in asked]
    each = await places.previewed(backend, asked, found, call)
    return previews.with_places(found, each)


async def _of_one(backend: Backend, call: Call) -> Preview:
    known, request = await facts(backend, call), call.body
    found = await _preview(backend, call, request, known)
    other = alternatives.preemptible(request, found)
    if other is None:
        return found
    return previews.with_kind(found, other.kind, await _preview(backend, call, other, known))


async def _preview(
    backend: Backend, call: Call, request: SessionRequest, known: specs.Facts
) -> Preview:
    try:
        spec = specs.check(request, known)
        names.check_free(spec, backend.sessions.all())
    except (InvalidFields, NameTaken) as error:
        return previews.forbidden(error, alternatives.allowed(request, known, error))
    found = await backend.planning.preview(spec, call.who)
    found = disclosure.preview(found, backend.sessions.all(), call.rights)
    found = previews.rounded(found, request, spec)
    found = previews.apart(found, spec, known.containers)
    return previews.with_data(found, await data.previews(backend.at(spec.project), spec.data))
