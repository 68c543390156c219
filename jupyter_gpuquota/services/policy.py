"""Use cases of the policy for idle sessions."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from ..core import disclosure
from ..core.fields import FieldReader
from ..core.idle import exemptions, replay
from ..core.idle.policy import NO_POLICY
from ..core.idle.policy_check import check_policy
from ..core.projects import change_text, check_revision
from ..errors import refused
from ..model.policy import Policy, PolicyRequest
from ..model.struct import Message
from ..ports.administration import Administration
from ..ports.backend import Backend, require
from .call import Call


async def get(backend: Backend, call: Call) -> Policy:
    """Return the policy."""
    found = backend.policing.policy() if backend.policing else NO_POLICY
    return disclosure.policy(found, backend.sessions.all(), call.rights)


async def put(backend: Backend, call: Call) -> Policy:
    """Change the policy as a whole."""
    able = require(backend, "administration", backend.administration)
    return await able.put("policy", await _checked(backend, able, call.body), call.who)


async def preview(backend: Backend, call: Call) -> Message:
    """Return how many sessions a policy would have ended over the last week."""
    able = require(backend, "administration", backend.administration)
    policing = require(backend, "policing", backend.policing)
    policy, now = await _checked(backend, able, call.body), datetime.now(UTC)
    recorded = await policing.recorded(now - replay.WEEK)
    projects = backend.inventory.projects()
    return await asyncio.to_thread(replay.summary, recorded, policy, projects, now)


async def _checked(backend: Backend, able: Administration, request: PolicyRequest) -> Policy:
    """Return the policy of a request, checked.

    Raises InvalidFields with every broken field, and Outdated instead where the policy that the
    request was made from is not the present one: then that may be the only error.
    """
    policing = require(backend, "policing", backend.policing)
    before, now = policing.policy(), datetime.now(UTC)
    request = exemptions.dated(request, now)
    names = [project.name for project in backend.inventory.projects()]
    named, errors = exemptions.named(request, before, names, backend.sessions.all())
    reader = FieldReader()
    reader.add(errors)
    checked = reader.take(lambda: check_policy(named, names, policing.interval))
    policy = checked and reader.take(lambda: exemptions.current(checked, before, now))
    if reader.errors and request.revision not in {"", before.revision}:
        by = await _last_change(able, before.revision)
        check_revision("The policy", before.revision, request.revision, by)
    if reader.errors or policy is None:
        raise refused(*reader.errors)
    return policy


async def _last_change(able: Administration, revision: str) -> str:
    """Return who made the change of a revision, and when; empty if unknown."""
    entries = (entry for entry in await able.audit() if entry.id == revision)
    return next(map(change_text, entries), "")
