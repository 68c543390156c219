"""Use cases of environments."""

from __future__ import annotations

from ..model.environments import EnvironmentQuery, Environments
from ..ports.backend import Backend
from .call import Call


async def list_(backend: Backend, call: Call) -> Environments:
    """Return the environments that sessions of a project can start from."""
    query: EnvironmentQuery = call.query
    there = backend.at(query.project).inventory
    return Environments(environments=await there.environments())
