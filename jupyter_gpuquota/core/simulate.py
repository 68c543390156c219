"""The scheduler's test bench: scenarios, played with a clock of their own.

Starts, ends and graces take no time. After every step, cycles run until nothing changes.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import msgspec
from msgspec import UNSET

from ..errors import FieldError, Internal, InvalidFields, refused
from ..model.environments import Environment, LaunchPlace
from ..model.messages.build import reason
from ..model.quota import USUAL_RULES, Affinity, Project
from ..model.reasons import Reason
from ..model.resources import MILLI, Node, Placement, Share, gpus_text, simulated_devices
from ..model.scenarios import (
    ProjectStanding,
    RunningWish,
    Scenario,
    SessionStanding,
    Stand,
    Standing,
    Step,
    SubmitStep,
)
from ..model.sessions import Session, SessionRequest
from ..model.spans import parse_span
from . import lifecycle
from .decoding import decode
from .fields import FieldReader
from .idle import lifetime
from .requests.shares import parse_quota
from .requests.specs import Facts, check
from .scheduling.allocation import apply_plan
from .scheduling.capacity import DeviceCapacity, slice_of
from .scheduling.placement import Pool
from .scheduling.scheduler import plan
from .scheduling.snapshot import ClusterSnapshot
from .usage.quota import sum_up

_AMOUNTS = ("quota", "weight", "limit", "allocated", "over", "free")
_SPANS = ("interactive_duration", "min_runtime", "grace", "duration", "age", "advance")
_KINDS = "submit, delete, advance, expect, set, remove and lose"
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_TICK = timedelta(milliseconds=1)
"""The duration of a step, so that their order is known."""
_MOST_CYCLES = 1_000
_PLACE = LaunchPlace(
    environment=Environment(id="base", label="base", prefix="/", python="/bin/python"), folder="/"
)


def read(plain: object) -> Scenario:
    """Return the scenario that plain lists, mappings and scalars describe. Raises InvalidFields."""
    reader = FieldReader()
    scenario = decode(plain, Scenario, reader)
    reader.finish()
    assert scenario  # noqa: S101 (else there are errors)
    for i, step in enumerate(scenario.steps):
        problem = f"A step is one of {_KINDS}; this is {len(step.kinds)} of them."
        _demand(len(step.kinds) == 1, f"steps[{i}]", problem)
    return scenario


class Simulation:
    """A machine or cluster with a clock of its own, from what a scenario begins with.

    `gone` are the sessions that were refused or deleted. `rounds` counts cycles.

    Raises:
        InvalidFields: a name is used twice, or a value cannot be read.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.now = _BEGIN
        self.rules = USUAL_RULES
        self.nodes: dict[str, Node] = {}
        self.projects: dict[str, Project] = {}
        self.sessions: dict[str, Session] = {}
        self.gone: dict[str, SessionStanding] = {}
        self.rounds = 0
        self._steps = scenario.steps
        self._order: list[str] = []
        self._durations: dict[str, int] = {}
        self._again: datetime | None = None
        for i, node in enumerate(scenario.nodes):
            _demand_new(node.name, self.nodes, f"nodes[{i}].", "Node")
            devices = simulated_devices(node.name, node.gpus, node.model, node.memory)
            made = Node(name=node.name, devices=devices, labels=node.labels, separate=node.separate)
            self.nodes[node.name] = made
        for i, project in enumerate(scenario.projects):
            _demand_new(project.name, self.projects, f"projects[{i}].", "Project")
            missing = f"The quota of {project.name!r} is missing."
            _demand(project.quota is not UNSET, f"projects[{i}]", missing)
            self.projects[project.name] = Project(**_values(project, f"projects[{i}]."))

    def play(self) -> Iterator[tuple[Standing, list[tuple[str, str]]]]:
        """Run the steps; yield what is then, and what a step expects differently.

        The latter are paths of fields, for example `steps[3].expect.free`, and what is wrong.

        Raises:
            InvalidFields: a step names what does not exist, or a value cannot be read.
        """
        self._settle()
        for number, step in enumerate(self._steps):
            path = f"steps[{number}]."
            self.now += _TICK
            self._do(step, path)
            self._settle()
            found = self.standing(number + 1)
            wanted = _differences(step.expect, found, f"{path}expect.") if step.expect else ()
            yield found, [*wanted]

    def standing(self, step: int) -> Standing:
        """Return what is after a step."""
        now = self.snapshot
        uses = sum_up(now.projects, now.sessions, now.nodes)
        projects = {
            use.name: ProjectStanding(
                allocated=_in_gpus(use.allocated),
                quota=_in_gpus(use.quota),
                over=_in_gpus(use.over),
                waiting=use.waiting,
            )
            for use in uses.projects
        }
        sessions = {name: self._session(name) for name in self._order}
        return Standing(step=step, projects=projects, sessions=sessions, free=_in_gpus(uses.free))

    @property
    def snapshot(self) -> ClusterSnapshot:
        """Return what a cycle reads."""
        return ClusterSnapshot(
            [*self.sessions.values()],
            [*self.projects.values()],
            [*self.nodes.values()],
            self.now,
            self.rules,
        )

    def _session(self, name: str) -> SessionStanding:
        if name in self.gone:
            return self.gone[name]
        session = self.sessions[name]
        held, why = session.placement, session.reason
        slices = held.slices if held else ()
        return SessionStanding(
            state=cast("Stand", session.state),
            node=held.node if held else "",
            devices=tuple((p.index, p.milli) for p in slices if p.index is not None),
            reason=why.code if why else "",
            message=why.message if why else "",
        )

    def _do(self, step: Step, path: str) -> None:
        for place, (inside, submit) in enumerate(step.submits.items()):
            self._submit(submit, place, f"{path}{inside}.")
        for name in step.delete or ():
            _demand(name in self._order, f"{path}delete", f"Session {name!r} does not exist yet.")
            self.sessions.pop(name, None)
            self.gone[name] = SessionStanding(state="deleted")
        if step.advance is not None:
            self._advance(_values(step, path)["advance"])
        if change := step.change:
            one = (change.project is None) != (change.rules is None)
            _demand(one, f"{path}set", "Set either a project or the rules.")
            if wish := change.project:
                before = self.projects.get(wish.name) or Project(name=wish.name, quota=0)
                changes = _values(wish, f"{path}set.project.")
                self.projects[wish.name] = msgspec.structs.replace(before, **changes)
            if change.rules:
                changes = _values(change.rules, f"{path}set.rules.")
                self.rules = msgspec.structs.replace(self.rules, **changes)
        if step.remove:
            name = step.remove.project
            missing = f"Project {name!r} does not exist."
            _demand(name in self.projects, f"{path}remove.project", missing)
            del self.projects[name]
        if step.lose:
            _demand_gpus(self.nodes, step.lose.node, step.lose.gpus, f"{path}lose.", "gpus")
            self._lose(step.lose.node, step.lose.gpus)

    def _submit(self, wish: SubmitStep, place: int, path: str) -> None:
        """Queue a session, or have it run where it runs already; `place` is that in its list."""
        _demand_new(wish.name, self._order, path, "Session")
        self._order.append(wish.name)
        spans = _values(wish, path)
        request = SessionRequest(
            name=wish.name,
            project=wish.project,
            kind=wish.kind,
            gpu=wish.gpu,
            gpu_memory=wish.memory,
            gpu_compute=wish.compute,
            priority=wish.priority,
            node_type=wish.node_type,
        )
        facts = Facts([*self.projects.values()], [*self.nodes.values()], _PLACE, partial=True)
        try:
            spec = check(request, facts)
        except InvalidFields as error:
            self._refuse(wish.name, " ".join(field.message for field in error.fields))
            return
        self._durations[wish.name] = spans["duration"]
        created = self.now - timedelta(seconds=spans["age"], microseconds=-place)
        session = Session(
            id=wish.name,
            spec=spec,
            owner="",
            state="waiting",
            since=created,
            created=created,
            path="",
        )
        if wish.running:
            held = self._held(wish.running, spec.share, f"{path}running.")
            if not held:
                where = f"{wish.running.node} GPU {', '.join(map(str, wish.running.devices))}"
                self._refuse(wish.name, f"It cannot be running on {where}: no room.")
                return
            running = {"state": "running", "started": created, "placement": held, "run": 1}
            session = msgspec.structs.replace(session, **running)
        self.sessions[wish.name] = session

    def _refuse(self, name: str, message: str) -> None:
        self.gone[name] = SessionStanding(state="refused", reason="NotAllowed", message=message)

    def _held(self, wish: RunningWish, share: Share, path: str) -> Placement | None:
        """Return what a running session holds, None if others hold it."""
        _demand_gpus(self.nodes, wish.node, wish.devices, path, "devices")
        once = wish.devices and len({*wish.devices}) == len(wish.devices)
        _demand(once, f"{path}devices", "Name each GPU that it holds once.")
        held = [session.placement for session in self.sessions.values() if session.placement]
        node = Pool([*self.nodes.values()], held).nodes[wish.node]
        numbered = {each.device.index: each for each in node.devices.values()}
        devices = [numbered[index] for index in wish.devices]
        pieces = [slice_of(share, device.device) for device in devices]
        slices = tuple(piece for piece in pieces if piece)
        fits = all(map(DeviceCapacity.holds, devices, slices)) and len(slices) == len(devices)
        if not fits or len(devices) != share.count:
            return None
        return Placement(node=wish.node, slices=slices, simulated=True)

    def _lose(self, name: str, indexes: tuple[int, ...]) -> None:
        node = self.nodes[name]
        devices = tuple(
            msgspec.structs.replace(device, lost=True) if device.index in indexes else device
            for device in node.devices
        )
        self.nodes[name] = msgspec.structs.replace(node, devices=devices)
        for session in [*self.sessions.values()]:
            held = session.placement
            slices = held.slices if held and held.node == name else ()
            lost = [str(piece.index) for piece in slices if piece.index in indexes]
            if lost:
                why = reason("DeviceLost", "device.removed", node=name, gpus=",".join(lost))
                self.sessions[session.id] = self._without(session, why)

    def _without(self, session: Session, why: Reason) -> Session:
        if not session.preemptible:
            return lifecycle.move(session, "failed", self.now, why)
        leaving = lifecycle.move(session, "stopping", self.now, why)
        again = msgspec.structs.replace(leaving, goal="requeue", reclaimed=None)
        return lifecycle.finish_end(again, self.now)

    def _advance(self, seconds: int) -> None:
        """Advance the clock from one automatic event to the next."""
        until = self.now + timedelta(seconds=seconds)
        while (at := self._next()) and at <= until:
            self.now = max(self.now, at)
            self._end_those_due()
            self._settle()
        self.now = until

    def _next(self) -> datetime | None:
        """Return when something happens by itself, None for never."""
        ends = [end for session in self.sessions.values() for end in self._ends(session)]
        cycles = [self._again] if self._again and self._again > self.now else []
        return min([*(end for end in ends if end), *cycles], default=None)

    def _ends(self, session: Session) -> tuple[datetime | None, datetime | None]:
        """Return when the work of a session is done, and its maximum run time is over."""
        duration, done = self._durations[session.spec.name], None
        if session.state == "running" and session.started and duration:
            done = session.started + timedelta(seconds=duration)
        return done, lifetime.end_of(session, self.projects.get(session.spec.project))

    def _end_those_due(self) -> None:
        for name, session in self.sessions.items():
            done, bound = self._ends(session)
            if done and done <= self.now and (not bound or done <= bound):
                self.sessions[name] = lifecycle.move(session, "done", self.now)
            elif bound and bound <= self.now:
                bounded = lifetime.bounded(session, self.projects.get(session.spec.project))
                ended = lifetime.end(bounded, self.now)
                self.sessions[name] = lifecycle.finish_end(ended, self.now)

    def _settle(self) -> None:
        """Run cycles until nothing changes."""
        self._end_those_due()
        for _ in range(_MOST_CYCLES):
            decided = plan(self.snapshot)
            self._again = decided.again
            self.rounds += 1
            if not apply_plan(decided, self.sessions, self.now):
                return
        raise Internal(f"The scheduler has not settled after {_MOST_CYCLES} cycles.")


def _values(wish: msgspec.Struct, path: str) -> dict[str, Any]:
    """Return the fields that are set, as the model has them. Raises InvalidFields."""
    found = {}
    for each in msgspec.structs.fields(wish):
        value = getattr(wish, each.name)
        if value is not UNSET:
            try:
                found[each.name] = _value(each.name, value)
            except ValueError as error:
                raise refused(FieldError(f"{path}{each.name}", str(error))) from error
    return found


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _AMOUNTS:
        return parse_quota(str(value))
    if name in _SPANS:
        return parse_span(value)
    if name == "node_affinity":
        return Affinity(interactive=value.interactive, train=value.train)
    return value


def _demand(condition: object, path: str, problem: str) -> None:
    """Raise InvalidFields for a field unless a condition is true."""
    if not condition:
        raise refused(FieldError(path, problem))


def _demand_new(name: str, known: Container[str], path: str, what: str) -> None:
    """Raise InvalidFields for a name that is known already."""
    _demand(name not in known, f"{path}name", f"{what} {name!r} is listed twice.")


def _demand_gpus(
    nodes: Mapping[str, Node], name: str, indexes: tuple[int, ...], path: str, key: str
) -> None:
    """Raise InvalidFields for a node or GPUs that do not exist."""
    _demand(name in nodes, f"{path}node", f"Node {name!r} does not exist.")
    for index in indexes:
        there = index < len(nodes[name].devices)
        _demand(there, f"{path}{key}", f"{name} has no GPU {index}.")


def _differences(wanted: msgspec.Struct, found: Any, path: str) -> Iterator[tuple[str, str]]:
    """Iterate over what differs from an expectation: where, and how. Raises InvalidFields."""
    for name, value in _values(wanted, path).items():
        where, actual = f"{path}{name}", getattr(found, name)
        if isinstance(value, dict):
            for key, each in value.items():
                if key in actual:
                    yield from _differences(each, actual[key], f"{where}.{key}.")
                else:
                    yield f"{where}.{key}", f"no such {name.removesuffix('s')}"
        elif name in _AMOUNTS:
            milli = round(actual * MILLI)
            if value != milli:
                yield where, f"expected {gpus_text(value)}, is {gpus_text(milli)}"
        elif value != actual:
            why = f" ({found.message})" if getattr(found, "message", "") else ""
            yield where, f"expected {_text(value)}, is {_text(actual)}{why}"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return str([list(pair) for pair in value])
    return str(value) or "nothing"


def _in_gpus(milli: int) -> int | float:
    """Return milli-GPU as GPUs: exact, and as an integer where possible."""
    return milli / MILLI if milli % MILLI else milli // MILLI
