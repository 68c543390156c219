"""The command `simulate`: play a scenario, and show what stands after every step."""

from __future__ import annotations

import re

from ..client.protocol import to_json
from ..core import scenarios
from ..core.simulation import Simulation
from ..core.standings import differences, standing
from ..errors import InvalidFields, InvalidRequest
from ..model.resources import gpus_text
from ..model.scenarios import ProjectStanding, Scenario, SessionStanding, Standing, Step
from .exits import Failed
from .screen import Screen
from .views.base import Column, text_table
from .views.markup import printable
from .yaml_source import YamlSource

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")


def play(path: str, screen: Screen, *, as_json: bool) -> None:
    """Play a file. Raises InvalidRequest where it cannot be read, Failed for what differs."""
    source = YamlSource(path)
    scenario = _scenario(source)
    world = Simulation(scenario)
    failures: list[str] = []
    for number, step in enumerate(world.play(), 1):
        found = standing(world, number)
        screen.write(f"{to_json(found)}\n" if as_json else f"{_shown(step, found)}\n\n")
        for where, how in differences(step.expect, found) if step.expect else ():
            line = source.line(f"steps[{number - 1}].expect.{where}")
            failures.append(f"{path}:{line}: step {number}: {where}: {how}")
    if failures:
        count = "One expectation is" if len(failures) == 1 else f"{len(failures)} expectations are"
        raise Failed("\n".join([f"{count} not met.", *failures]))


def _scenario(source: YamlSource) -> Scenario:
    try:
        return scenarios.read(source.plain)
    except InvalidFields as error:
        lines = [_problem(source, field.field, field.message) for field in error.fields]
        raise InvalidRequest("\n".join(lines)) from error


def _problem(source: YamlSource, where: str, message: str) -> str:
    if unknown := _UNKNOWN.fullmatch(message):
        line = source.line(where, unknown[1])
        message = f"The key {unknown[1]!r} is not known here."
    else:
        line = source.line(where)
    place = where.replace("[...]", "").strip(".")
    return f"{source.path}:{line}: {f'{place}: ' if place else ''}{message}"


def _shown(step: Step, found: Standing) -> str:
    """Return what was done, and tables of what stands."""
    projects = text_table(_PROJECTS, [*found.projects.items()])
    parts = [f"Step {found.step}: {_done(step)}. {_gpus(found.free)} GPUs (simulated) free."]
    parts.append(projects)
    if found.sessions:
        parts.append(text_table(_SESSIONS, [*found.sessions.items()]))
    return "\n".join(parts)


def _done(step: Step) -> str:
    kind = step.kinds[0]
    what = ""
    if step.submit:
        what = step.submit.name
    elif step.delete:
        what = ", ".join(step.delete)
    elif step.change:
        what = step.change.project.name if step.change.project else "rules"
    elif step.remove:
        what = step.remove.project
    elif step.lose:
        what = f"{step.lose.node} GPU {', '.join(map(str, step.lose.gpus))}"
    elif step.advance is not None:
        what = str(step.advance)
    return printable(f"{kind} {what}".rstrip())


def _milli(gpus: float) -> int:
    return round(gpus * 1000)


def _gpus(gpus: float) -> str:
    return gpus_text(_milli(gpus))


def _place(standing: SessionStanding) -> str:
    parts = (
        f"{index}" if m == 1000 else f"{index} ({m / 10:g} %)" for index, m in standing.devices
    )
    return f"{standing.node} GPU {', '.join(parts)}" if standing.devices else standing.node


_PROJECTS: tuple[Column[tuple[str, ProjectStanding]], ...] = (
    Column("PROJECT", lambda item: item[0]),
    Column("QUOTA", lambda item: _gpus(item[1].quota)),
    Column("ALLOCATED", lambda item: _gpus(item[1].allocated)),
    Column("OVER", lambda item: _gpus(item[1].over) if item[1].over else ""),
    Column("WAITING", lambda item: str(item[1].waiting)),
)
_SESSIONS: tuple[Column[tuple[str, SessionStanding]], ...] = (
    Column("SESSION", lambda item: item[0]),
    Column("STATE", lambda item: item[1].state),
    Column("PLACE", lambda item: _place(item[1])),
    Column("REASON", lambda item: item[1].reason),
    Column("MESSAGE", lambda item: item[1].message),
)
