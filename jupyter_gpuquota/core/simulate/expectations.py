"""The state of a simulation, and how it differs from what was expected."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from ...model.quota import ProjectUse
from ...model.resources import MILLI, gpus_text
from ...model.scenarios import (
    Expectation,
    ProjectExpectation,
    ProjectStanding,
    SessionExpectation,
    SessionStanding,
    Stand,
    Standing,
)
from ...model.sessions import State
from ..requests.shares import parse_quota
from ..usage.quota import sum_up
from .simulation import Simulation

_STANDS: dict[State, Stand] = {
    "waiting": "waiting",
    "running": "running",
    "done": "done",
    "stopped": "stopped",
    "failed": "failed",
}


def standing(world: Simulation, step: int) -> Standing:
    """Return the present state."""
    snapshot = world.snapshot
    uses = sum_up(snapshot.projects, snapshot.sessions, snapshot.nodes)
    return Standing(
        step=step,
        projects={use.name: _project(use) for use in uses.projects},
        sessions={name: _session(world, name) for name in world.order},
        free=_gpus(uses.free),
    )


def differences(wanted: Expectation, found: Standing) -> Iterator[tuple[str, str]]:
    """Iterate over the differences: where, and what was expected."""
    for name, project in wanted.projects.items():
        path = f"projects.{name}"
        if name not in found.projects:
            yield path, "no such project"
        else:
            yield from _of_project(path, project, found.projects[name])
    for name, session in wanted.sessions.items():
        path = f"sessions.{name}"
        if name not in found.sessions:
            yield path, "no such session"
        else:
            yield from _of_session(path, session, found.sessions[name])
    if wanted.free is not UNSET:
        yield from _compare_gpus("free", wanted.free, found.free)


def _of_project(
    path: str, wanted: ProjectExpectation, found: ProjectStanding
) -> Iterator[tuple[str, str]]:
    for key in ("allocated", "quota", "over"):
        if (value := getattr(wanted, key)) is not UNSET:
            yield from _compare_gpus(f"{path}.{key}", value, getattr(found, key))
    if wanted.waiting is not UNSET and wanted.waiting != found.waiting:
        yield f"{path}.waiting", f"expected {wanted.waiting}, is {found.waiting}"


def _of_session(
    path: str, wanted: SessionExpectation, found: SessionStanding
) -> Iterator[tuple[str, str]]:
    for key in ("state", "node", "devices", "reason"):
        value, actual = getattr(wanted, key), getattr(found, key)
        if value is not UNSET and value != actual:
            why = f" ({found.message})" if found.message else ""
            yield f"{path}.{key}", f"expected {_text(value)}, is {_text(actual)}{why}"


def _compare_gpus(path: str, wanted: object, found: float) -> Iterator[tuple[str, str]]:
    expected, actual = parse_quota(str(wanted)), round(found * MILLI)
    if expected != actual:
        yield path, f"expected {gpus_text(expected)}, is {gpus_text(actual)}"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return str([list(pair) for pair in value])
    return str(value) or "nothing"


def _project(use: ProjectUse) -> ProjectStanding:
    return ProjectStanding(
        allocated=_gpus(use.allocated),
        quota=_gpus(use.quota),
        over=_gpus(use.over),
        waiting=use.waiting,
    )


def _session(world: Simulation, name: str) -> SessionStanding:
    if name in world.deleted:
        return SessionStanding(state="deleted")
    if why := world.refused.get(name):
        return SessionStanding(state="refused", reason=why.code, message=why.message)
    session = world.sessions[name]
    held, why = session.placement, session.reason
    slices = held.slices if held else ()
    return SessionStanding(
        state=_STANDS[session.state],
        node=held.node if held else "",
        devices=tuple((p.index, p.milli) for p in slices if p.index is not None),
        reason=why.code if why else "",
        message=why.message if why else "",
    )


def _gpus(milli: int) -> int | float:
    """Return milli-GPU as GPUs: exact, and as an integer where possible."""
    return milli / MILLI if milli % MILLI else milli // MILLI
