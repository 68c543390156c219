"""How long tests wait for what has to come."""

from __future__ import annotations

PATIENCE = 240.0
"""Seconds. A test that is not about time must pass on a machine that is very busy, too; one that
waits in vain fails anyway."""
