"""Read scenarios, and check them completely before they are run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from ...errors import refused
from ...model.quota import Affinity, Project, Rules
from ...model.resources import Node, simulated_devices
from ...model.scenarios import NodeWish, ProjectWish, RulesWish, Scenario, Step, SubmitStep
from ...model.spans import parse_span
from ..decoding import decode
from ..fields import FieldReader
from ..requests.shares import parse_quota

Readers = Mapping[str, Callable[[Any], Any]]
STEPS = "submit, delete, advance, expect, set, remove and lose"


def read(plain: object) -> Scenario:
    """Return the scenario that plain lists, mappings and scalars describe.

    Raises:
        InvalidFields: its fields are paths, for example `steps[3].submit.gpu`.
    """
    reader = FieldReader()
    scenario = decode(plain, Scenario, reader)
    if scenario is None or reader.errors:
        raise refused(*reader.errors)
    _check_names(scenario, reader)
    _check_amounts(scenario, reader)
    _check_steps(scenario, reader)
    reader.finish()
    return scenario


def node_of(wish: NodeWish) -> Node:
    """Return the described node; its GPUs are simulated."""
    devices = simulated_devices(wish.name, wish.gpus, wish.model, wish.memory)
    return Node(name=wish.name, devices=devices, labels=wish.labels, separate=wish.separate)


def project_of(wish: ProjectWish, before: Project | None) -> Project:
    """Return the described project; what is left out stays as before."""
    readers: Readers = {
        **_GPUS,
        **_SPANS,
        "priority": int,
        "node_affinity": lambda w: Affinity(interactive=w.interactive, train=w.train),
    }
    return msgspec.structs.replace(
        before or Project(name=wish.name, quota=0), **_said(wish, readers)
    )


def rules_of(wish: RulesWish, before: Rules) -> Rules:
    """Return the changed rules."""
    return msgspec.structs.replace(before, **_said(wish, {**_RULES, "consolidate": bool}))


def _said(wish: object, readers: Readers) -> dict[str, Any]:
    values = {name: getattr(wish, name) for name in readers}
    return {name: readers[name](value) for name, value in values.items() if value is not UNSET}


def _gpus(value: object) -> int | None:
    return None if value is None else parse_quota(str(value))


_GPUS: Readers = {"quota": _gpus, "weight": _gpus, "limit": _gpus}
_SPANS: Readers = {"interactive_duration": parse_span, "min_runtime": parse_span}
_RULES: Readers = {"min_runtime": parse_span, "grace": parse_span}
_EXPECTED: Readers = {"allocated": _gpus, "quota": _gpus, "over": _gpus}


def _check_names(scenario: Scenario, reader: FieldReader) -> None:
    """Note names that are used twice."""
    nodes = ((f"nodes[{i}]", n.name) for i, n in enumerate(scenario.nodes))
    projects = ((f"projects[{i}]", p.name) for i, p in enumerate(scenario.projects))
    sessions = (
        (f"steps[{i}].{path}", submit.name)
        for i, step in enumerate(scenario.steps)
        for path, submit in step.submits.items()
    )
    for what, named in (("Node", nodes), ("Project", projects), ("Session", sessions)):
        seen: Counter[str] = Counter()
        for path, name in named:
            seen[name] += 1
            if seen[name] == 2:
                reader.untranslated(f"{path}.name", f"{what} {name!r} is listed twice.")


def _check_amounts(scenario: Scenario, reader: FieldReader) -> None:
    """Note amounts that cannot be read."""
    for i, project in enumerate(scenario.projects):
        if project.quota is UNSET:
            reader.untranslated(f"projects[{i}]", f"The quota of {project.name!r} is missing.")
        _check_values(project, {**_GPUS, **_SPANS}, reader.under(f"projects[{i}]."))
    for i, step in enumerate(scenario.steps):
        inside = reader.under(f"steps[{i}].")
        if step.change and step.change.project:
            readers = {**_GPUS, **_SPANS}
            _check_values(step.change.project, readers, inside.under("set.project."))
        if step.change and step.change.rules:
            _check_values(step.change.rules, _RULES, inside.under("set.rules."))
        for path, submit in step.submits.items():
            readers = {"duration": parse_span, "age": parse_span}
            _check_values(submit, readers, inside.under(f"{path}."))
        if step.advance is not None:
            _check_values(step, {"advance": parse_span}, inside)
        if step.expect:
            _check_values(step.expect, {"free": _gpus}, inside.under("expect."))
            for name, wanted in step.expect.projects.items():
                path = f"expect.projects.{name}."
                _check_values(wanted, _EXPECTED, inside.under(path))


def _check_values(wish: object, readers: Readers, reader: FieldReader) -> None:
    for name, parse in readers.items():
        try:
            _said(wish, {name: parse})
        except ValueError as error:
            reader.untranslated(name, str(error))


def _check_steps(scenario: Scenario, reader: FieldReader) -> None:
    """Note invalid steps, and those that name what does not exist yet."""
    gpus = {node.name: node.gpus for node in scenario.nodes}
    projects = {project.name for project in scenario.projects}
    sessions: set[str] = set()
    for i, step in enumerate(scenario.steps):
        inside = reader.under(f"steps[{i}].")
        if len(step.kinds) != 1:
            message = f"A step is one of {STEPS}; this is {len(step.kinds)} of them."
            reader.untranslated(f"steps[{i}]", message)
        if step.change and (step.change.project is None) == (step.change.rules is None):
            inside.untranslated("set", "Set either a project or the rules.")
        _check_references(step, sessions, projects, gpus, inside)
        sessions |= {submit.name for submit in step.submits.values()}
        if step.change and step.change.project:
            projects.add(step.change.project.name)
        if step.remove:
            projects.discard(step.remove.project)


def _check_references(
    step: Step,
    sessions: set[str],
    projects: set[str],
    gpus: dict[str, int],
    reader: FieldReader,
) -> None:
    for path, submit in step.submits.items():
        _check_running(submit, gpus, reader.under(f"{path}."))
    for name in step.delete or ():
        if name not in sessions:
            reader.untranslated("delete", f"Session {name!r} does not exist yet.")
    if step.remove and step.remove.project not in projects:
        reader.untranslated("remove.project", f"Project {step.remove.project!r} does not exist.")
    if step.lose and step.lose.node not in gpus:
        reader.untranslated("lose.node", f"Node {step.lose.node!r} does not exist.")
    elif step.lose:
        for index in step.lose.gpus:
            if index >= gpus[step.lose.node]:
                reader.untranslated("lose.gpus", f"{step.lose.node} has no GPU {index}.")


def _check_running(submit: SubmitStep, gpus: dict[str, int], reader: FieldReader) -> None:
    """Note devices that a session cannot be running on."""
    if submit.running is None:
        return
    node, devices = submit.running.node, submit.running.devices
    if node not in gpus:
        reader.untranslated("running.node", f"Node {node!r} does not exist.")
        return
    for index in devices:
        if index >= gpus[node]:
            reader.untranslated("running.devices", f"{node} has no GPU {index}.")
    if not devices or len(set(devices)) < len(devices):
        reader.untranslated("running.devices", "Name each GPU that it holds once.")
