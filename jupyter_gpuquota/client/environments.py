"""Operations on environments."""

from __future__ import annotations

from ..model.environments import Environments
from .context import Context
from .steps import Operation, ask


def list_(context: Context) -> Operation[Environments]:
    """List the Python prefixes that sessions may start from."""
    found: Environments = yield from ask("environments.list")
    return found
