"""Operations on the size of a session."""

from __future__ import annotations

from ..model.base import Number
from ..model.rightsizing import Advice, ResizeRequest
from ..model.sessions import Session
from .context import Context
from .names import find
from .sessions import watch
from .steps import Operation, ask


def advice(context: Context, name: str, *, project: str = "") -> Operation[Advice]:
    """Say which share a session would do with, by the GPU memory that it has used."""
    session = yield from find(context, name, project)
    found: Advice = yield from ask("sessions.advice", session.id)
    return found


def resize(
    context: Context,
    name: str,
    *,
    project: str = "",
    gpu: Number = "",
    gpu_memory: Number = "",
    gpu_compute: Number = "",
    mig_profile: str = "",
    wait: bool = False,
) -> Operation[Session]:
    """Start a session again with another share, under its name; one that runs is stopped first.

    Raises InvalidFields, WrongState.
    """
    request = ResizeRequest(
        gpu=str(gpu),
        gpu_memory=str(gpu_memory),
        gpu_compute=str(gpu_compute),
        mig_profile=mig_profile,
    )
    session = yield from find(context, name, project)
    changed: Session = yield from ask("sessions.resize", session.id, body=request)
    return (yield from watch(context, changed.id)) if wait else changed
