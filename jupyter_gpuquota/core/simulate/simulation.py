"""Scenarios played by the scheduler with a clock of their own.

Starts, ends and graces take no time. After every step, cycles run until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import cast

import msgspec
from msgspec import UNSET

from ...errors import Internal, InvalidFields
from ...model.environments import Environment, LaunchPlace
from ...model.messages.build import reason
from ...model.quota import USUAL_RULES, Project
from ...model.reasons import Reason
from ...model.resources import Node, Placement, Share, simulated_devices
from ...model.scenarios import (
    ProjectStanding,
    RunningWish,
    Scenario,
    SessionStanding,
    Stand,
    Standing,
    Step,
    SubmitStep,
)
from ...model.sessions import Session, SessionRequest
from .. import lifecycle
from ..idle import lifetime
from ..requests.specs import Facts, check
from ..scheduling.apply import apply_plan
from ..scheduling.capacity import DeviceCapacity, slice_of
from ..scheduling.placement import Pool
from ..scheduling.scheduler import plan
from ..scheduling.snapshot import ClusterSnapshot
from ..usage.quota import sum_up
from .scenarios import demand, demand_gpus, demand_new, differences, in_gpus, values

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_TICK = timedelta(milliseconds=1)
"""The duration of a step, so that their order is known."""
_MOST_CYCLES = 1_000
_PLACE = LaunchPlace(
    environment=Environment(id="base", label="base", prefix="/", python="/bin/python"), folder="/"
)


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
            demand_new(node.name, self.nodes, f"nodes[{i}].", "Node")
            devices = simulated_devices(node.name, node.gpus, node.model, node.memory)
            made = Node(name=node.name, devices=devices, labels=node.labels, separate=node.separate)
            self.nodes[node.name] = made
        for i, project in enumerate(scenario.projects):
            demand_new(project.name, self.projects, f"projects[{i}].", "Project")
            missing = f"The quota of {project.name!r} is missing."
            demand(project.quota is not UNSET, f"projects[{i}]", missing)
            self.projects[project.name] = Project(**values(project, f"projects[{i}]."))

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
            wanted = differences(step.expect, found, f"{path}expect.") if step.expect else ()
            yield found, [*wanted]

    def standing(self, step: int) -> Standing:
        """Return what is after a step."""
        now = self.snapshot
        uses = sum_up(now.projects, now.sessions, now.nodes)
        projects = {
            use.name: ProjectStanding(
                allocated=in_gpus(use.allocated),
                quota=in_gpus(use.quota),
                over=in_gpus(use.over),
                waiting=use.waiting,
            )
            for use in uses.projects
        }
        sessions = {name: self._session(name) for name in self._order}
        return Standing(step=step, projects=projects, sessions=sessions, free=in_gpus(uses.free))

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
            demand(name in self._order, f"{path}delete", f"Session {name!r} does not exist yet.")
            self.sessions.pop(name, None)
            self.gone[name] = SessionStanding(state="deleted")
        if step.advance is not None:
            self._advance(values(step, path)["advance"])
        if change := step.change:
            one = (change.project is None) != (change.rules is None)
            demand(one, f"{path}set", "Set either a project or the rules.")
            if wish := change.project:
                before = self.projects.get(wish.name) or Project(name=wish.name, quota=0)
                changes = values(wish, f"{path}set.project.")
                self.projects[wish.name] = msgspec.structs.replace(before, **changes)
            if change.rules:
                changes = values(change.rules, f"{path}set.rules.")
                self.rules = msgspec.structs.replace(self.rules, **changes)
        if step.remove:
            name = step.remove.project
            missing = f"Project {name!r} does not exist."
            demand(name in self.projects, f"{path}remove.project", missing)
            del self.projects[name]
        if step.lose:
            demand_gpus(self.nodes, step.lose.node, step.lose.gpus, f"{path}lose.", "gpus")
            self._lose(step.lose.node, step.lose.gpus)

    def _submit(self, wish: SubmitStep, place: int, path: str) -> None:
        """Queue a session, or have it run where it runs already; `place` is that in its list."""
        demand_new(wish.name, self._order, path, "Session")
        self._order.append(wish.name)
        spans = values(wish, path)
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
        demand_gpus(self.nodes, wish.node, wish.devices, path, "devices")
        once = wish.devices and len({*wish.devices}) == len(wish.devices)
        demand(once, f"{path}devices", "Name each GPU that it holds once.")
        held = [session.placement for session in self.sessions.values() if session.placement]
        node = Pool([*self.nodes.values()], held).nodes[wish.node]
        devices = [node.devices[index] for index in wish.devices]
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
