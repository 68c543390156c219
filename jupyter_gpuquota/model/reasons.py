"""Why something waits, was refused or was stopped: one vocabulary for every backend."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from .struct import ADDED, Args, Message, Model, Open

ReasonCode = Literal[
    "OverQuota",
    "OverLimit",
    "NoNodeFits",
    "Fragmented",
    "BeingReclaimed",
    "Reclaimed",
    "Moved",
    "Moving",
    "NoPlace",
    "MaxLifetime",
    "IdleTimeout",
    "GpuIdleTimeout",
    "QueueMissing",
    "NotAllowed",
    "ImagePull",
    "VolumePending",
    "DataPending",
    "CrashLoop",
    "Evicted",
    "NodeLost",
    "DeviceLost",
    "StartFailed",
    "StartTimeout",
    "CommandFailed",
    "Killed",
    "OutOfMemory",
    "ExitUnknown",
    "HostRestarted",
    "StopRequested",
    "SuspendRequested",
    "ResizeRequested",
]


class Reason(Model, frozen=True, kw_only=True):
    """Why, in plain words; `raw` keeps those of an engine or a log.

    `code` is stable; `message` is for users, `hint` says what would help. `key` names their
    templates in `model/messages`, empty where they have none, and `args` fills those. `more` has
    the sentences of `message` that come after its template.
    """

    code: Open[ReasonCode]
    message: str
    hint: str = ""
    raw: str = ""
    key: Annotated[str, ADDED] = ""
    args: Args = msgspec.field(default_factory=dict)
    more: Annotated[tuple[Message, ...], ADDED] = ()

    @property
    def by_another(self) -> bool:
        """Whether a session was ended on the request of somebody who is not its owner."""
        return self.code in ("StopRequested", "SuspendRequested") and "who" in self.args

    def extended(self, sentence: Message) -> Reason:
        """Return the reason with one more sentence."""
        text = f"{self.message} {sentence.text}"
        return msgspec.structs.replace(self, message=text, more=(*self.more, sentence))
