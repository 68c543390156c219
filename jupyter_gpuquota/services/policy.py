"""Use cases of the policy for idle sessions."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from ..core import disclosure, exemptions, idle_trial
from ..core.idle_week import WEEK
from ..core.policy import NO_POLICY
from ..core.policy_check import check_policy
from ..core.projects import change_text, check_revision
from ..errors import InvalidFields, refuse
from ..model.policy import Policy, PolicyRequest
from ..model.policytrial import PolicyTrial
from ..ports.administration import Administration
from ..ports.backend import Backend, require
from .call import Call


async def get(backend: Backend, call: Call) -> Policy:
    """Return what is set of the policy."""
    found = backend.policing.policy() if backend.policing else NO_POLICY
    return disclosure.policy(found, backend.sessions.all(), call.rights)


async def put(backend: Backend, call: Call) -> Policy:
    """Change the policy as a whole."""
    able = require(backend, "administration", backend.administration)
    return await able.put_policy(await _checked(backend, able, call.body), call.who)


async def try_(backend: Backend, call: Call) -> PolicyTrial:
    """Return what a policy would have done over the last week, compared with the one in force."""
    able = require(backend, "administration", backend.administration)
    acts = require(backend, "policing", backend.policing)
    tried = await _checked(backend, able, call.body)
    until = datetime.now(UTC)
    since = until - WEEK
    recorded = await acts.recorded(since)
    projects = backend.inventory.projects()
    return await asyncio.to_thread(
        idle_trial.compare, recorded, acts.policy(), tried, projects, since, until
    )


async def _checked(backend: Backend, able: Administration, request: PolicyRequest) -> Policy:
    """Return the policy that is asked for.

    Raises InvalidFields with every broken field, and Outdated instead where the policy that the
    request was made from is not the present one: then that may be all that is wrong.
    """
    acts = require(backend, "policing", backend.policing)
    before = acts.policy()
    names = [project.name for project in backend.inventory.projects()]
    asked, wrong = exemptions.named(request, before, names, backend.sessions.all())
    try:
        policy = check_policy(asked, names, acts.interval)
        policy = exemptions.current(policy, before, datetime.now(UTC))
    except InvalidFields as error:
        wrong += error.fields
    if wrong and request.revision not in {"", before.revision}:
        by = await _last_change(able, before.revision)
        check_revision("The policy", before.revision, request.revision, by)
    refuse(wrong)
    return policy


async def _last_change(able: Administration, revision: str) -> str:
    """Return who made the change that a revision stands for; empty if it is not known."""
    found = (entry for entry in await able.audit() if entry.id == revision)
    return next(map(change_text, found), "")
