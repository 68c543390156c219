"""Scenarios played: one step by step, several in one summary."""

from __future__ import annotations

from collections.abc import Iterator

from ....client.connection.protocol import to_json
from ....client.exit_codes import Failed
from ....core.simulate.expectations import differences, standing
from ....core.simulate.simulation import Simulation
from ....errors import Internal
from ....model.resources import counted_gpus, gpus_text
from ....model.scenarios import Played, ProjectStanding, SessionStanding, Standing, Step, Tally
from ....model.spans import write_span
from ...console import Console
from ...views.markup import printable
from ...views.view import Column, text_table
from . import sources
from .sources import Source


def play(paths: tuple[str, ...], console: Console, *, as_json: bool, report: bool) -> None:
    """Play files. Raises InvalidRequest if one cannot be read, Failed for unmet expectations."""
    if len(paths) == 1 and sources.is_single(paths[0]):
        _play_one(sources.of_file(paths[0]), console, as_json=as_json, report=report)
    else:
        _play_all(paths, console, as_json=as_json, report=report)


def _play_one(source: Source, console: Console, *, as_json: bool, report: bool) -> None:
    """Play a scenario and show every step."""
    world = Simulation(source.scenario)
    problems: list[str] = []
    for step, outcome in _steps(world):
        console.write(f"{to_json(outcome)}\n" if as_json else f"{_shown(step, outcome)}\n\n")
        problems += _problems(source, step, outcome)
    if report:
        tally = world.tallying.total()
        console.write(f"{to_json(tally)}\n" if as_json else f"{_report(tally)}\n")
    if problems:
        count = "1 expectation" if len(problems) == 1 else f"{len(problems)} expectations"
        raise Failed("\n".join([f"{count} not met.", *problems]))


def _play_all(paths: tuple[str, ...], console: Console, *, as_json: bool, report: bool) -> None:
    """Play scenarios and sum up how they ended."""
    count, failed = 0, []
    for source in sources.read(paths):
        count += 1
        played = _played(source, report=report)
        failed += [] if played.ok else [played]
        if as_json:
            console.write(f"{to_json(played)}\n")
        elif played.tally:
            console.write(f"{printable(played.name)}: {_report(played.tally)}\n")
    if not as_json:
        scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
        console.write(f"{scenarios}: {count - len(failed)} as expected, {len(failed)} not.\n")
    if failed:
        lines = [problem for played in failed for problem in played.problems]
        raise Failed("\n".join([f"{len(failed)} of {count} not as expected.", *lines]))


def _played(source: Source, *, report: bool) -> Played:
    world = Simulation(source.scenario)
    problems: list[str] = []
    outcome = standing(world, 0)
    try:
        for step, outcome in _steps(world):
            problems += _problems(source, step, outcome)
    except Internal as error:
        problems.append(f"{source.path}: {error.message}")
    return Played(
        name=source.name,
        ok=not problems,
        problems=tuple(problems),
        projects=outcome.projects,
        sessions=outcome.sessions,
        free=outcome.free,
        rounds=world.rounds,
        tally=world.tallying.total() if report else None,
    )


def _steps(world: Simulation) -> Iterator[tuple[Step, Standing]]:
    """Yield each step with the outcome."""
    for number, step in enumerate(world.play(), 1):
        yield step, standing(world, number)


def _problems(source: Source, step: Step, outcome: Standing) -> Iterator[str]:
    """Yield the expectations of a step that are not met."""
    for where, how in differences(step.expect, outcome) if step.expect else ():
        at = source.at(f"steps[{outcome.step - 1}].expect.{where}")
        yield f"{at}: step {outcome.step}: {where}: {how}"


def _report(tally: Tally) -> str:
    """Return the sums of a scenario in a line."""
    waits = f"{_span(tally.mean_wait)} on average, at most {_span(tally.longest_wait)}"
    return (
        f"{tally.started} started; waits: {waits}; {tally.evictions} preempted; "
        f"GPU hours: {tally.hours:g} of {tally.available:g} in use, {tally.lost:g} lost; "
        f"goodput {tally.goodput:.0%}; fairness (Jain) {tally.fairness:.3f}."
    )


def _span(seconds: float) -> str:
    return write_span(round(seconds))


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
    if step.submits:
        what = ", ".join(submit.name for submit in step.submits.values())
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
