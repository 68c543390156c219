"""What a cell shows while its session does not run, and why it ended. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape

from ..errors import GpuQuotaError
from ..model.sessions import ENDED, Session


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a cell ended without its kernel: the name of the error, and a text for its user."""

    name: str
    text: str


def waits(session: Session) -> str:
    """Return what a cell waits for, in one line."""
    name = session.spec.name
    match session.state:
        case "waiting":
            position = f"position {session.queue_position}" if session.queue_position else ""
            return _line(f"{name} is queued", _why(session), position, _when(session))
        case "starting":
            step = session.progress[-1].message if session.progress else ""
            return _line(name, step) if step else f"{name} is starting"
        case "running":
            return _line(f"{name} is running", "its kernel is starting")
        case "stopping":
            return _line(f"{name} is stopping", _why(session))
        case "suspended":
            return _line(f"{name} is suspended", "it resumes for this cell")
        case state:
            return _line(f"{name} is {state}", _why(session))


def as_display(text: str) -> dict[str, str]:
    """Return a line as the data of an output."""
    return {"text/plain": text, "text/html": f"<em>{escape(text)} …</em>"}


def has_ended(session: Session) -> bool:
    """Return whether nothing but its user's own decision makes it run again."""
    return session.state in ENDED


def ended(session: Session) -> Failure:
    """Return why a session no longer has a cell's kernel."""
    name = session.spec.name
    code = session.reason.code if session.reason else ""
    why = f": {_why(session)}" if _why(session) else ""
    if code in {"Reclaimed", "BeingReclaimed", "Moved"} or _was_reclaimed(session):
        return Failure(
            "SessionReclaimed",
            f"The GPUs of {name} were reclaimed{_for_whom(session) or why}. "
            f"Its variables are lost; files are kept.\n"
            f"{name} is queued again. Run the cell again to wait for it.",
        )
    if session.state == "suspended":
        return Failure(
            "SessionSuspended",
            f"{name} was suspended{why}. Its variables are lost; files are kept.\n"
            "Run a cell to resume it.",
        )
    if session.state in ENDED or session.goal == "stop":
        return Failure(
            "SessionEnded",
            f"{name} has ended{why}.\nResume it with `%gpu resume {name}`, or choose another "
            "kernel.",
        )
    return Failure(
        "KernelEnded",
        f"{name} was restarted{why}. Its variables are lost; files are kept.\n"
        "Run the cell again to wait for it.",
    )


KERNEL_DIED = Failure(
    "KernelDied",
    "The kernel died, and was restarted: its variables are lost.\n"
    "Most often it ran out of memory. See the session's log.",
)

INTERRUPTED = Failure("KeyboardInterrupt", "Interrupted while it waited for its kernel.")

UNKNOWN = Failure(
    "ConnectionLost",
    "The connection to the session was lost, and the cell has ended meanwhile.\n"
    "Its last output is not known: check its results before you run it again.",
)


def failed(error: GpuQuotaError) -> Failure:
    """Return an error as the reason why a cell ended."""
    return Failure(error.code, "\n".join(filter(None, (error.message, error.hint))))


def _was_reclaimed(session: Session) -> bool:
    """Return whether its last run ended so; the reason may be why it is queued since then."""
    if session.reclaimed is None or session.state in {"suspended", *ENDED}:
        return False
    return session.started is None or session.reclaimed.at >= session.started


def _for_whom(session: Session) -> str:
    found = session.reclaimed
    if found is None or not found.name:
        return ""
    if found.moved:
        return f" to make room for {found.name} of {found.project}; it continues on others"
    return f" for {found.name} of {found.project}"


def _why(session: Session) -> str:
    return session.reason.message.rstrip(".") if session.reason else ""


def _when(session: Session) -> str:
    """Return when it should start, in the time of this machine."""
    if session.expected is None:
        return ""
    at = session.expected.astimezone()
    today = datetime.now(at.tzinfo).date()
    return f"starts about {at:%H:%M}" + (f" on {at:%d %B}" if at.date() != today else "")


def _line(first: str, *more: str) -> str:
    parts = [part.rstrip(".") for part in more if part]
    return f"{first}: {' · '.join(parts)}" if parts else first
