"""Translate the end of a session's processes into its state and reason. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec

from ...core.idle.endings import concluded
from ...core.lifecycle import finish_end, move
from ...core.usage.exhausted import out_of_gpu_memory
from ...model.ending import Exit
from ...model.messages.build import reason
from ...model.messages.formats import time_arg
from ...model.reasons import Reason
from ...model.sessions import Session

LINES = 20
"""Number of log lines stored with an exit."""

_SHIM_SAYS = "gpuquota: "
"""Prefix of the shim's own messages in a log."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How the processes of a session ended.

    `observed`: the exit code is known. `unknown`: the process is gone, its exit code unknown.
    `rebooted`: the machine was restarted. `start_failed`: it could not be started, `detail` says
    why. `not_started`: its shim was killed before it started the process.
    """

    how: Literal["observed", "unknown", "rebooted", "start_failed", "not_started"]
    code: int | None = None
    signal: str = ""
    at: datetime | None = None
    detail: str = ""


def conclude(session: Session, ended: Ended, lines: tuple[str, ...], now: datetime) -> Session:
    """Return a live session, all of whose processes have ended, in its final or next state."""
    found = Exit(
        code=ended.code, at=ended.at or now, signal=ended.signal, last_lines=lines[-LINES:]
    )
    if ended.how in ("observed", "unknown"):
        session = msgspec.structs.replace(session, exit=found)
    if session.state == "stopping":
        if session.goal == "run":
            return move(session, "failed", now, session.reason)
        return finish_end(concluded(session), now)
    if ended.how == "observed" and ended.code == 0:
        return move(session, "done", now)
    reason = _reason(session, ended, found)
    return move(session, "stopped" if ended.how == "rebooted" else "failed", now, reason)


def _reason(session: Session, ended: Ended, found: Exit) -> Reason:
    if ended.how == "rebooted":
        return reason("HostRestarted", "exit.reboot")
    if ended.how == "start_failed":
        return reason("StartFailed", "start.failed", detail=ended.detail)
    if ended.how in ("unknown", "not_started"):
        return reason("ExitUnknown", "exit.unknown")
    if said := out_of_gpu_memory(found.last_lines):
        return reason("OutOfMemory", "exit.gpu_memory", at=time_arg(found.at), raw=said)
    if ended.signal:
        return _reason_of_signal(ended.signal)
    return _reason_of_code(session, found)


def _reason_of_signal(name: str) -> Reason:
    if name == "SIGKILL":
        return reason("Killed", "exit.sigkill")
    return reason("Killed", "exit.killed", signal=name)


def _reason_of_code(session: Session, found: Exit) -> Reason:
    last = next((line for line in reversed(found.last_lines) if line.strip()), "")
    if session.state == "starting" and last.startswith(_SHIM_SAYS):
        detail = last.removeprefix(_SHIM_SAYS)
        return reason("StartFailed", "start.command", detail=detail)
    if session.state == "starting" and session.spec.serves_jupyter:
        return reason("StartFailed", "start.server", status=str(found.code), raw=last)
    return reason("CommandFailed", "exit.command", status=str(found.code), raw=last)
