"""Read scenarios: check everything that can be wrong with one before it is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from ..errors import FieldError, InvalidFields
from ..model.quota import Affinity, Project, Rules
from ..model.resources import Device, Node
from ..model.scenarios import NodeWish, ProjectWish, RulesWish, Scenario, Step
from ..model.spans import parse_span
from .shares import parse_quota

Readers = Mapping[str, Callable[[Any], Any]]
_RULES: Readers = {"min_runtime": parse_span, "grace": parse_span}
STEPS = "submit, delete, advance, expect, set, remove and lose"


def read(plain: object) -> Scenario:
    """Return the scenario that plain lists, mappings and scalars describe.

    Raises:
        InvalidFields: its fields are paths, for example `steps[3].submit.gpu`.
    """
    try:
        scenario = msgspec.convert(plain, Scenario)
    except msgspec.ValidationError as error:
        raise InvalidFields("The scenario cannot be read.", fields=(_field(str(error)),)) from error
    problems = [*_names(scenario), *_amounts(scenario), *_steps(scenario)]
    if problems:
        raise InvalidFields("The scenario cannot be read.", fields=tuple(problems))
    return scenario


def node_of(wish: NodeWish) -> Node:
    """Return a node as it is described; its GPUs are simulated."""
    devices = tuple(
        Device(
            index=index,
            uuid=f"SIM-{wish.name}-{index}",
            model=wish.model,
            memory=wish.memory,
            simulated=True,
        )
        for index in range(wish.gpus)
    )
    return Node(name=wish.name, devices=devices, labels=wish.labels, separate=wish.separate)


def project_of(wish: ProjectWish, before: Project | None) -> Project:
    """Return a project as it is described; what is not said stays as before."""
    readers: Readers = {
        "quota": _gpus,
        "weight": _gpus,
        "limit": _gpus,
        "priority": int,
        "node_affinity": lambda w: Affinity(interactive=w.interactive, train=w.train),
        "interactive_duration": parse_span,
        "min_runtime": parse_span,
    }
    return msgspec.structs.replace(
        before or Project(name=wish.name, quota=0), **_said(wish, readers)
    )


def rules_of(wish: RulesWish, before: Rules) -> Rules:
    """Return the rules as they are changed."""
    readers: Readers = {"consolidate": bool, "min_runtime": parse_span, "grace": parse_span}
    return msgspec.structs.replace(before, **_said(wish, readers))


def _said(wish: object, readers: Readers) -> dict[str, Any]:
    values = {name: getattr(wish, name) for name in readers}
    return {name: readers[name](value) for name, value in values.items() if value is not UNSET}


def _gpus(value: object) -> int | None:
    return None if value is None else parse_quota(str(value))


def _field(said: str) -> FieldError:
    """Take msgspec's words apart: what is wrong, and where."""
    message, _, path = said.partition(" - at `$")
    for theirs, ours in (("`object`", "a mapping"), ("`array`", "a list"), ("`str`", "text")):
        message = message.replace(theirs, ours)
    return FieldError(path.strip("`.") or "", message)


def _names(scenario: Scenario) -> Iterator[FieldError]:
    """Find names that are used twice."""
    submits = [(i, s.submit) for i, s in enumerate(scenario.steps) if s.submit]
    yield from _twice("node", ((f"nodes[{i}]", n.name) for i, n in enumerate(scenario.nodes)))
    projects = ((f"projects[{i}]", p.name) for i, p in enumerate(scenario.projects))
    yield from _twice("project", projects)
    yield from _twice("session", ((f"steps[{i}].submit", s.name) for i, s in submits))


def _twice(what: str, named: Iterable[tuple[str, str]]) -> Iterator[FieldError]:
    seen: Counter[str] = Counter()
    for path, name in named:
        seen[name] += 1
        if seen[name] == 2:
            yield FieldError(f"{path}.name", f"The {what} {name!r} is named twice.")


def _amounts(scenario: Scenario) -> Iterator[FieldError]:
    """Find amounts that cannot be read."""
    for i, project in enumerate(scenario.projects):
        if project.quota is UNSET:
            yield FieldError(f"projects[{i}]", f"The quota of {project.name!r} is missing.")
        yield from _project(f"projects[{i}]", project)
    for i, step in enumerate(scenario.steps):
        path = f"steps[{i}]"
        if step.change and step.change.project:
            yield from _project(f"{path}.set.project", step.change.project)
        if step.change and step.change.rules:
            yield from _read(f"{path}.set.rules", step.change.rules, _RULES)
        if step.submit:
            yield from _read(f"{path}.submit", step.submit, {"duration": parse_span})
        if step.advance is not None:
            yield from _read(path, step, {"advance": parse_span})
        if step.expect:
            yield from _read(f"{path}.expect", step.expect, {"free": _gpus})
            for name, wanted in step.expect.projects.items():
                amounts = {"allocated": _gpus, "quota": _gpus, "over": _gpus}
                yield from _read(f"{path}.expect.projects.{name}", wanted, amounts)


def _project(path: str, wish: ProjectWish) -> Iterator[FieldError]:
    spans = {"interactive_duration": parse_span, "min_runtime": parse_span}
    amounts = {"quota": _gpus, "weight": _gpus, "limit": _gpus}
    yield from _read(path, wish, {**amounts, **spans})


def _read(path: str, wish: object, readers: Readers) -> Iterator[FieldError]:
    for name, reader in readers.items():
        try:
            _said(wish, {name: reader})
        except ValueError as error:
            yield FieldError(f"{path}.{name}", str(error))


def _steps(scenario: Scenario) -> Iterator[FieldError]:
    """Find steps that are no step, or that speak of what is not there yet."""
    gpus = {node.name: node.gpus for node in scenario.nodes}
    projects = {project.name for project in scenario.projects}
    sessions: set[str] = set()
    for i, step in enumerate(scenario.steps):
        path = f"steps[{i}]"
        if len(step.kinds) != 1:
            yield FieldError(path, f"A step is one of {STEPS}; this is {len(step.kinds)} of them.")
        if step.change and (step.change.project is None) == (step.change.rules is None):
            yield FieldError(f"{path}.set", "It changes either a project or the rules.")
        yield from _unknown(path, step, sessions, projects, gpus)
        if step.submit:
            sessions.add(step.submit.name)
        if step.change and step.change.project:
            projects.add(step.change.project.name)
        if step.remove:
            projects.discard(step.remove.project)


def _unknown(
    path: str, step: Step, sessions: set[str], projects: set[str], gpus: dict[str, int]
) -> Iterator[FieldError]:
    for name in step.delete or ():
        if name not in sessions:
            yield FieldError(f"{path}.delete", f"There is no session {name!r} yet.")
    if step.remove and step.remove.project not in projects:
        message = f"There is no project {step.remove.project!r}."
        yield FieldError(f"{path}.remove.project", message)
    if step.lose and step.lose.node not in gpus:
        yield FieldError(f"{path}.lose.node", f"There is no node {step.lose.node!r}.")
    elif step.lose:
        for index in step.lose.gpus:
            if index >= gpus[step.lose.node]:
                message = f"{step.lose.node} has no GPU {index}."
                yield FieldError(f"{path}.lose.gpus", message)
