"""Use cases of templates."""

from __future__ import annotations

from dataclasses import replace

from ..core import disclosure
from ..core import templates as core
from ..core.fields import FieldReader
from ..core.names import find_session
from ..core.requests import specs
from ..core.requests.again import fields_of
from ..model.sessions import SessionFields
from ..model.struct import Nothing
from ..model.templates import Template, TemplateList, TemplateRequest, TemplateScope
from ..ports.backend import Backend, require
from ..ports.templates import Templates
from .call import Call
from .launches.facts import facts


async def list_(backend: Backend, call: Call) -> TemplateList:
    """Return the templates that the caller may launch."""
    return TemplateList(items=_seen(backend, call))


async def put(backend: Backend, call: Call) -> Template:
    """Check a template like a launch, and save it."""
    scope, asked = _scope(backend, call), call.body
    name = call.args["template"]
    template = Template(
        name=name,
        title=asked.title,
        description=asked.description,
        scope=scope,
        owner=call.who if scope == "own" else "",
        request=core.stored(_fields(backend, call)),
        on_shutdown=asked.on_shutdown,
    )
    await _check(backend, call, template)
    await able(backend).put(template, call.who)
    return core.find(scope, name, _seen(backend, call))


async def delete(backend: Backend, call: Call) -> Nothing:
    """Delete a template."""
    scope = _scope(backend, call)
    template = core.find(scope, call.args["template"], _seen(backend, call))
    await able(backend).delete(template, call.who)
    return Nothing()


def able(backend: Backend) -> Templates:
    """Return the capability. Raises Unsupported."""
    return require(backend, "templates", backend.templates)


def _seen(backend: Backend, call: Call) -> tuple[Template, ...]:
    templates = able(backend)
    return core.seen(templates.all(), call.rights, by_file=templates.by_file())


def _scope(backend: Backend, call: Call) -> TemplateScope:
    """Return the scope of the path, which the caller may change. Raises NotAllowed, NotFound."""
    scope = core.scope_of(call.args["scope"])
    if scope == "admin":
        call.rights.check_admin()
        require(backend, "administration", backend.administration)
    return scope


def _fields(backend: Backend, call: Call) -> SessionFields:
    """Return the request to save: as it was sent, or that of a session of the caller."""
    asked: TemplateRequest = call.body
    if not asked.session:
        return asked.request
    sessions = disclosure.seen(backend.sessions.all(), call.rights)
    session = find_session(asked.session, sessions, call.who)
    call.rights.check("inspect", session, "copy")
    return fields_of(session.spec)


async def _check(backend: Backend, call: Call, template: Template) -> None:
    """Raise InvalidFields with everything that is wrong with a template."""
    reader = FieldReader()
    core.check_texts(call.body, reader)
    request = core.requested(template.request, template.name)
    known = replace(await facts(backend, replace(call, body=request)), partial=True)
    reader.take(lambda: specs.check(request, known))
    reader.take(lambda: core.check_count(template, able(backend).all()))
    reader.finish()
