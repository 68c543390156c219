"""Commands that take, compare and restore snapshots."""

from __future__ import annotations

from .verbs import COMMANDS

__all__ = ["COMMANDS"]
