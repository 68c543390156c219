"""Say what has become of a session whose processes have gone. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec

from ..core.idle_end import concluded
from ..core.lifecycle import finish_end, move
from ..model.reasons import Reason
from ..model.sessions import Exit, Session

LINES = 20
"""How many last lines of the log are kept with an exit."""

_SHIM_SAYS = "gpuquota: "
"""What the shim puts before its own words in a log."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Be what is known of an end.

    `seen`: someone saw the exit code. `unknown`: the process has gone, nobody saw how.
    `restarted`: the machine was started anew. `unstarted`: it never began, `detail` says why.
    `never`: whoever was about to start it was killed before anything began.
    """

    how: Literal["seen", "unknown", "restarted", "unstarted", "never"]
    code: int | None = None
    signal: str = ""
    at: datetime | None = None
    detail: str = ""


def conclude(session: Session, ended: Ended, lines: tuple[str, ...], now: datetime) -> Session:
    """Return a live session whose processes have all gone in the state that this means."""
    found = Exit(
        code=ended.code, at=ended.at or now, signal=ended.signal, last_lines=lines[-LINES:]
    )
    if ended.how in ("seen", "unknown"):
        session = msgspec.structs.replace(session, exit=found)
    if session.state == "stopping":
        if session.goal == "run":
            return move(session, "failed", now, session.reason)
        return finish_end(concluded(session), now)
    if ended.how == "seen" and ended.code == 0:
        return move(session, "done", now)
    reason = _reason(session, ended, found)
    return move(session, "stopped" if ended.how == "restarted" else "failed", now, reason)


def _reason(session: Session, ended: Ended, found: Exit) -> Reason:
    if ended.how == "restarted":
        message = "The machine was started anew while the session ran."
        return Reason(code="HostRestarted", message=message, hint="Resume starts it again.")
    if ended.how == "unstarted":
        message = f"It could not be started: {ended.detail}"
        return Reason(code="StartFailed", message=message, hint="Resume tries again.")
    if ended.how in ("unknown", "never"):
        message = "Its process has gone, and nobody could see how it ended."
        return Reason(code="ExitUnknown", message=message, hint="Its log may tell.")
    if ended.signal:
        hint = "The machine may have run out of memory." if ended.signal == "SIGKILL" else ""
        return Reason(code="Killed", message=f"{ended.signal} ended its process.", hint=hint)
    return _reason_of_code(session, found)


def _reason_of_code(session: Session, found: Exit) -> Reason:
    last = next((line for line in reversed(found.last_lines) if line.strip()), "")
    if session.state == "starting" and last.startswith(_SHIM_SAYS):
        message = f"It could not be started: {last.removeprefix(_SHIM_SAYS)}."
        return Reason(code="StartFailed", message=message, hint="Is it on the session's PATH?")
    if session.state == "starting" and session.spec.serves_jupyter:
        message = f"The Jupyter Server ended with exit code {found.code} before it answered."
        return Reason(code="StartFailed", message=message, hint="Its log says why.", raw=last)
    message = f"Its command ended with exit code {found.code}."
    return Reason(code="CommandFailed", message=message, hint="Its log says why.", raw=last)
