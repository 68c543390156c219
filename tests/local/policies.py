"""Set a policy as an admin does, and wait for its effects."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.model.policy import PolicyRequest
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import until


async def set_policy(backend: Backend, level: str = "everyone", **rules: Any) -> None:
    """Set the rules of one level, and no others."""
    await put_policy(backend, backend.policing.policy().revision, level, **rules)


async def put_policy(backend: Backend, revision: str, level: str, **rules: Any) -> None:
    """Set it as an admin who has read the policy at a revision. Raises Outdated."""
    request = {"levels": [{"level": level, "rules": rules}], "revision": revision}
    asked = check_policy(msgspec.convert(request, PolicyRequest), ["team-a"])
    await backend.administration.put("policy", asked, "ana")


async def warned(backend: Backend, session: str, after: datetime | None = None) -> Session:
    """Wait until a session is warned, for the first time or after another warning."""
    return await until(
        backend, session, lambda s: s.idle and s.idle.warned and s.idle.warned != after
    )
