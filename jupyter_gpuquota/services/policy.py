"""Use cases of the policy for idle sessions."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core.exemptions import without_expired
from ..core.policy import NO_POLICY
from ..core.policy_check import check_policy
from ..errors import Unsupported
from ..model.policy import Policy
from ..ports.backend import Backend, Policing
from .admin import administration
from .call import Call


async def get(backend: Backend, call: Call) -> Policy:
    """Show what is set of the policy."""
    return backend.policy() if isinstance(backend, Policing) else NO_POLICY


async def put(backend: Backend, call: Call) -> Policy:
    """Change the policy as a whole."""
    able, acts = administration(backend, call), policing(backend)
    names = [project.name for project in backend.projects()]
    policy = check_policy(call.body, names, acts.interval)
    policy = without_expired(policy, acts.policy(), datetime.now(UTC))
    return await able.put_policy(policy, call.user)


def policing(backend: Backend) -> Policing:
    """Return the backend as one that acts on idle sessions. Raises Unsupported."""
    if not isinstance(backend, Policing):
        raise Unsupported(f"The {backend.name} backend knows nothing of idle sessions.")
    return backend
