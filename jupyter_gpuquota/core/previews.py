"""Say what would happen to a request, before it is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from ..errors import GpuQuotaError
from ..model.base import FieldProblem
from ..model.quota import Project
from ..model.reasons import Reason
from ..model.resources import Node, Placement, gpus_text
from ..model.sessions import Preview, Session, SessionSpec
from .admission import decide, held
from .isolation import isolation_of
from .placement import rooms

_ASKED = "\uffff"
"""Sorts behind every id, so that the asked session stands last among equals."""


def preview(
    spec: SessionSpec,
    sessions: Iterable[Session],
    projects: Sequence[Project],
    nodes: Sequence[Node],
    now: datetime,
) -> Preview:
    """Play a checked request against the present state."""
    everyone = list(sessions)
    asked = Session(
        id=_ASKED, spec=spec, owner="", state="waiting", since=now, created=now, path=""
    )
    decision = next(d for d in decide([*everyone, asked], projects, nodes) if d.session == _ASKED)
    outcome = decision.outcome
    if isinstance(outcome, Reason):
        first = "" if decision.ahead else ", first in line"
        return Preview(
            verdict="waits", message=f"Would wait{first}: {outcome.message}", reason=outcome
        )
    return _fits(spec, outcome, everyone, nodes)


def forbidden(error: GpuQuotaError) -> Preview:
    """Say which rules forbid a request, field by field."""
    problems = tuple(
        FieldProblem(field=f.field, message=f.message, hint=f.hint) for f in error.fields
    )
    message = problems[0].message if len(problems) == 1 else error.message
    return Preview(verdict="forbidden", message=message, problems=problems)


def _fits(
    spec: SessionSpec, placement: Placement, sessions: list[Session], nodes: Sequence[Node]
) -> Preview:
    if not placement.slices:
        return Preview(verdict="fits", message="Fits now: needs no GPU.", placement=placement)
    device = next(
        d
        for node in nodes
        for d in node.devices
        if node.name == placement.node and d.index == placement.slices[0].index
    )
    message = f"Fits now, inside quota, on {placement.text}"
    if not spec.share.devices and not spec.share.mig:
        free = next(
            room.milli
            for room in rooms(nodes, held(sessions))
            if (room.node, room.device.index) == (placement.node, device.index)
        )
        before = 1000 - free
        message += f" ({before // 10} % → {(before + placement.milli) // 10} % used)"
    return Preview(
        verdict="fits",
        message=f"{message}; {gpus_text(placement.milli)} GPU of quota.",
        placement=placement,
        isolation=isolation_of(spec.share, simulated=device.simulated, mps=device.mps),
    )
