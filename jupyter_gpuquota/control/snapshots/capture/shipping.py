"""Running `script` inside of a session that need not have this product, and reading its answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ...inside import carrying
from ...inside.carrying import Unreadable
from .script import MARK

__all__ = ["MODULES", "Unreadable", "answered", "command"]

_HERE = "control.snapshots.capture"
MODULES = (
    "core.snapshots.redaction",
    *(f"{_HERE}.{name}" for name in ("environment", "git", "notebooks", "script")),
)
"""The modules that are carried."""


def command(artifacts: Iterable[str]) -> tuple[str, ...]:
    """Return the command that finds the parts of a session, with its own Python."""
    return carrying.command(MODULES, json.dumps({"artifacts": list(artifacts)}))


def answered(output: str) -> dict[str, Any]:
    """Return the fields of all parts. Raises Unreadable."""
    found: dict[str, Any] = carrying.answered(output, MARK)
    return found
