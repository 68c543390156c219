"""Operations on quota."""

from __future__ import annotations

from ..model.quota import Quota
from .context import Context
from .steps import Operation, ask


def get(context: Context) -> Operation[Quota]:
    """Show projects, what they may use and what they use."""
    found: Quota = yield from ask("quota.get")
    return found
