"""Introduce the backend."""

from __future__ import annotations

from typing import Any

from .. import __version__
from ..model.about import API_VERSION, About
from ..ports.backend import Administration, Backend, Exec, History, Ingress, Logs, Policing
from .call import Call

_CAPABILITIES: dict[str, Any] = {
    "logs": Logs,
    "exec": Exec,
    "ingress": Ingress,
    "history": History,
    "administration": Administration,
    "policing": Policing,
}


async def get(backend: Backend, call: Call) -> About:
    """Say who answers, and what it can do."""
    return About(
        version=__version__,
        api=API_VERSION,
        backend=backend.name,
        user=call.user,
        source=backend.source,
        simulated=any(node.simulated for node in backend.nodes()),
        capabilities=tuple(
            name for name, ability in _CAPABILITIES.items() if isinstance(backend, ability)
        ),
        warnings=backend.warnings(),
    )
