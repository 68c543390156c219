"""Commands that launch, show, change and end sessions."""

from __future__ import annotations

from . import change, exec, keep_alive, logs, open, read, resize, submit  # noqa: A004 (verbs)

COMMANDS = (
    *submit.COMMANDS,
    *read.COMMANDS,
    *logs.COMMANDS,
    *exec.COMMANDS,
    *open.COMMANDS,
    *change.COMMANDS,
    *keep_alive.COMMANDS,
    *resize.COMMANDS,
)
