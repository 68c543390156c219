"""Use cases of the controller itself."""

from __future__ import annotations

from .. import __version__
from ..model.about import API_VERSION, About
from ..ports.backend import Backend
from .call import Call


async def get(backend: Backend, call: Call) -> About:
    """Return which controller answers, and what it can do.

    Its warnings are for admins, and for the account whose own controller it is.
    """
    caller = call.caller
    warned = call.rights.admin or (caller.known == "socket" and not caller.inside)
    return About(
        version=__version__,
        api=API_VERSION,
        backend=backend.name,
        user=call.who,
        source=backend.inventory.source,
        local_files=backend.inventory.local_files,
        containers=backend.inventory.containers is not None,
        outlives_controller=backend.differences.outlives_controller,
        simulated=any(node.simulated for node in backend.inventory.nodes()),
        clusters=tuple(backend.clusters),
        capabilities=backend.capabilities,
        warnings=backend.changes.warnings() if warned else (),
    )
