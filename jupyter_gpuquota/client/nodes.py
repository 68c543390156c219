"""Operations on nodes."""

from __future__ import annotations

from ..model.nodes import Nodes
from .context import Context
from .steps import Operation, ask


def list_(context: Context) -> Operation[Nodes]:
    """Show nodes and their devices, with who holds which part."""
    found: Nodes = yield from ask("nodes.list")
    return found
