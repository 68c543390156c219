"""Use cases of environments."""

from __future__ import annotations

from ..model.environments import Environments
from ..ports.backend import Backend
from .call import Call


async def list_(backend: Backend, call: Call) -> Environments:
    """Return the environments that sessions can start from."""
    return Environments(environments=await backend.inventory.environments())
