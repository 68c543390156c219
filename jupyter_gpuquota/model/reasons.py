"""Why something waits, was refused or was stopped: one vocabulary for every backend."""

from __future__ import annotations

from typing import Literal

from .base import Model, Open

ReasonCode = Literal[
    "OverQuota",
    "OverLimit",
    "NoNodeFits",
    "Fragmented",
    "BeingReclaimed",
    "Reclaimed",
    "Moved",
    "MaxLifetime",
    "IdleTimeout",
    "GpuIdleTimeout",
    "QueueMissing",
    "NotAllowed",
    "DeviceLost",
    "StartFailed",
    "StartTimeout",
    "CommandFailed",
    "Killed",
    "ExitUnknown",
    "HostRestarted",
    "StopRequested",
    "SuspendRequested",
    "ResizeRequested",
]


class Reason(Model, frozen=True, kw_only=True):
    """Say why, in plain words; `raw` keeps the engine's own.

    `code` is stable; `message` is a sentence for the user; `hint` what would help.
    """

    code: Open[ReasonCode]
    message: str
    hint: str = ""
    raw: str = ""
