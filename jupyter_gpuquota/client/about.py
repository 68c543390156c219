"""Learn who answers."""

from __future__ import annotations

from ..model.about import About
from .context import Context
from .steps import Operation, ask


def get(context: Context) -> Operation[About]:
    """Introduce whoever answers: version, backend, and what it can do."""
    found: About = yield from ask("about.get")
    return found
