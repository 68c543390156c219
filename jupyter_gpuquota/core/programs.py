"""Requests to run programs inside sessions."""

from __future__ import annotations

from ..model.programs import ExecRequest
from .fields import FieldReader

LONGEST = 3600
"""Longest timeout, in seconds."""


def check(request: ExecRequest) -> None:
    """Raise InvalidFields for a request that cannot start a program."""
    reader = FieldReader()
    if not request.command or not request.command[0]:
        reader.untranslated("command", "Enter a program.", "For example nvidia-smi.")
    if any("\0" in word for word in request.command):
        reader.wrong("command", "field.nul")
    if not 1 <= request.timeout <= LONGEST:
        reader.untranslated("timeout", f"Must be 1 to {LONGEST} seconds.")
    reader.finish()
