"""A scenario played step by step, with the outcome of each."""

from __future__ import annotations

from pathlib import Path

from ....client.connection.protocol import to_json
from ....client.exit_codes import Failed
from ....core.simulate import scenarios
from ....core.simulate.expectations import differences, standing
from ....core.simulate.simulation import Simulation
from ....errors import FieldError, InvalidFields, InvalidRequest
from ....model.resources import counted_gpus, gpus_text
from ....model.scenarios import ProjectStanding, Scenario, SessionStanding, Standing, Step
from ....yaml_document import InvalidYaml, YamlDocument
from ...console import Console
from ...views.markup import printable
from ...views.view import Column, text_table

_SIZE_LIMIT = 4 << 20
"""The maximum size of a scenario in bytes."""


def play(path: str, console: Console, *, as_json: bool) -> None:
    """Play a file. Raises InvalidRequest if it cannot be read, Failed for unmet expectations."""
    document = _document(path)
    scenario = _scenario(path, document)
    world = Simulation(scenario)
    failures: list[str] = []
    for number, step in enumerate(world.play(), 1):
        outcome = standing(world, number)
        console.write(f"{to_json(outcome)}\n" if as_json else f"{_shown(step, outcome)}\n\n")
        for where, how in differences(step.expect, outcome) if step.expect else ():
            line = document.line(f"steps[{number - 1}].expect.{where}")
            failures.append(f"{path}:{line}: step {number}: {where}: {how}")
    if failures:
        count = "1 expectation" if len(failures) == 1 else f"{len(failures)} expectations"
        raise Failed("\n".join([f"{count} not met.", *failures]))


def _document(path: str) -> YamlDocument:
    try:
        with Path(path).open("rb") as file:
            return YamlDocument(file.read(_SIZE_LIMIT + 1), _SIZE_LIMIT)
    except OSError as error:
        raise InvalidRequest(f"{path}: {error.strerror}.") from error
    except InvalidYaml as error:
        lines = (f"{_at(path, problem.line)}: {problem.message}" for problem in error.problems)
        raise InvalidRequest("\n".join(lines)) from error


def _scenario(path: str, document: YamlDocument) -> Scenario:
    try:
        return scenarios.read(document.plain)
    except InvalidFields as error:
        lines = [_problem(_at(path, document.line(e.field)), e) for e in error.fields]
        raise InvalidRequest("\n".join(lines)) from error


def _at(path: str, line: int) -> str:
    return f"{path}:{line}" if line else path


def _problem(where: str, error: FieldError) -> str:
    parts = [where, error.field, f"{error.message} {error.hint}".strip()]
    return ": ".join(filter(None, parts))


def _shown(step: Step, outcome: Standing) -> str:
    """Return the step, and tables of projects and sessions after it."""
    projects = text_table(_PROJECTS, [*outcome.projects.items()])
    free = counted_gpus(_milli(outcome.free))
    parts = [f"Step {outcome.step}: {_done(step)}. {free} free (simulated)."]
    parts.append(projects)
    if outcome.sessions:
        parts.append(text_table(_SESSIONS, [*outcome.sessions.items()]))
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
    Column("IN USE", lambda item: _gpus(item[1].allocated)),
    Column("OVER QUOTA", lambda item: _gpus(item[1].over) if item[1].over else ""),
    Column("QUEUED", lambda item: str(item[1].waiting)),
)
_SESSIONS: tuple[Column[tuple[str, SessionStanding]], ...] = (
    Column("SESSION", lambda item: item[0]),
    Column("STATE", lambda item: item[1].state),
    Column("RUNS ON", lambda item: _place(item[1])),
    Column("REASON", lambda item: item[1].reason),
    Column("MESSAGE", lambda item: item[1].message),
)
