"""Run scenarios: the scheduling core with a simulated clock.

Starts, ends and graces take no time. After every step, cycles run until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import msgspec

from ...errors import Internal, InvalidFields
from ...model.environments import Environment, LaunchPlace
from ...model.messages.build import reason
from ...model.quota import USUAL_RULES, Project
from ...model.reasons import Reason
from ...model.resources import Node, Placement, Share
from ...model.scenarios import LoseStep, RunningWish, Scenario, SetStep, Step, SubmitStep
from ...model.sessions import Session, SessionRequest, SessionSpec
from ...model.spans import parse_span
from .. import lifecycle
from ..idle import lifetime
from ..requests.specs import Facts, check
from ..scheduling.apply import apply_plan
from ..scheduling.capacity import DeviceCapacity, slice_of
from ..scheduling.placement import Pool
from ..scheduling.scheduler import plan
from ..scheduling.snapshot import ClusterSnapshot, Plan
from .scenarios import node_of, project_of, rules_of
from .tally import Tallying

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(milliseconds=1)
"""The duration of a step, so that their order is known."""
MOST_CYCLES = 1_000

_PLACE = LaunchPlace(
    environment=Environment(id="base", label="base", prefix="/", python="/bin/python"), folder="/"
)
_ENDLESS = datetime.max.replace(tzinfo=UTC)


class Simulation:
    """A simulated machine or cluster with its own clock.

    `refused` has the reasons of rejected sessions, `deleted` the names of deleted ones.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.now = BEGIN
        self.rules = USUAL_RULES
        self.nodes: dict[str, Node] = {node.name: node_of(node) for node in scenario.nodes}
        self.projects: dict[str, Project] = {
            project.name: project_of(project, None) for project in scenario.projects
        }
        self.sessions: dict[str, Session] = {}
        self.refused: dict[str, Reason] = {}
        self.deleted: set[str] = set()
        self.order: list[str] = []
        self._steps = scenario.steps
        self._durations: dict[str, int] = {}
        self._again: datetime | None = None
        self._fair: Mapping[str, int] = {}
        self.tallying = Tallying(BEGIN)
        self.rounds = 0
        """How many cycles were run."""

    def play(self) -> Iterator[Step]:
        """Run the steps; yield each once nothing changes."""
        self._settle()
        for step in self._steps:
            self.now += TICK
            self._do(step)
            self._settle()
            yield step

    def _do(self, step: Step) -> None:
        for place, submit in enumerate(step.submits.values()):
            self._submit(submit, place)
        for name in step.delete or ():
            self._delete(name)
        if step.advance is not None:
            self._advance(parse_span(step.advance))
        if step.change:
            self._change(step.change)
        if step.remove:
            del self.projects[step.remove.project]
        if step.lose:
            self._lose(step.lose)

    def _submit(self, wish: SubmitStep, place: int) -> None:
        """Queue a session, or have it run where it runs already; `place` is that in its list."""
        self.order.append(wish.name)
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
            why = " ".join(field.message for field in error.fields)
            hint = " ".join(field.hint for field in error.fields if field.hint)
            self.refused[wish.name] = Reason(code="NotAllowed", message=why, hint=hint)
            return
        self._durations[wish.name] = parse_span(wish.duration)
        session = self._begun(wish, spec, place)
        if session:
            self.sessions[wish.name] = session

    def _begun(self, wish: SubmitStep, spec: SessionSpec, place: int) -> Session | None:
        """Return a session as it is at first, None if it cannot be running where it should."""
        created = self.now - timedelta(seconds=parse_span(wish.age), microseconds=-place)
        session = Session(
            id=wish.name,
            spec=spec,
            owner="",
            state="waiting",
            since=created,
            created=created,
            path="",
        )
        if not wish.running:
            return session
        if held := self._held(wish.running, spec.share):
            running = {"state": "running", "started": created, "placement": held, "run": 1}
            return msgspec.structs.replace(session, **running)
        where = f"{wish.running.node} GPU {', '.join(map(str, wish.running.devices))}"
        message = f"It cannot be running on {where}: no room."
        self.refused[wish.name] = Reason(code="NotAllowed", message=message)
        return None

    def _held(self, wish: RunningWish, share: Share) -> Placement | None:
        """Return what a running session holds, None if others hold it."""
        held = [s.placement for s in self.sessions.values() if s.placement]
        node = Pool([*self.nodes.values()], held).nodes[wish.node]
        devices = [node.devices[index] for index in wish.devices]
        pieces = [slice_of(share, device.device) for device in devices]
        slices = tuple(piece for piece in pieces if piece)
        fits = all(map(DeviceCapacity.holds, devices, slices)) and len(slices) == len(devices)
        if not fits or len(devices) != share.count:
            return None
        return Placement(node=wish.node, slices=slices, simulated=True)

    def _delete(self, name: str) -> None:
        self.sessions.pop(name, None)
        self.refused.pop(name, None)
        self.deleted.add(name)

    def _change(self, wish: SetStep) -> None:
        if wish.project:
            before = self.projects.get(wish.project.name)
            self.projects[wish.project.name] = project_of(wish.project, before)
        if wish.rules:
            self.rules = rules_of(wish.rules, self.rules)

    def _lose(self, wish: LoseStep) -> None:
        node = self.nodes[wish.node]
        devices = tuple(
            msgspec.structs.replace(d, lost=True) if d.index in wish.gpus else d
            for d in node.devices
        )
        self.nodes[wish.node] = msgspec.structs.replace(node, devices=devices)
        for name, session in self.sessions.items():
            held = session.placement
            if held and held.node == wish.node:
                lost = [piece.index for piece in held.slices if piece.index in wish.gpus]
                if lost:
                    self.sessions[name] = self._without(session, held, lost)

    def _without(self, session: Session, held: Placement, lost: list[int]) -> Session:
        gpus = ",".join(map(str, lost))
        why = reason("DeviceLost", "device.removed", node=held.node, gpus=gpus)
        if not session.preemptible:
            return lifecycle.move(session, "failed", self.now, why)
        leaving = lifecycle.move(session, "stopping", self.now, why)
        again = msgspec.structs.replace(leaving, goal="requeue", reclaimed=None)
        return lifecycle.finish_end(again, self.now)

    def _advance(self, seconds: int) -> None:
        """Advance the clock from one automatic event to the next."""
        until = self.now + timedelta(seconds=seconds)
        while (at := self._next()) <= until:
            self._pass_time(at)
            self._end_those_due()
            self._settle()
        self._pass_time(until)

    def _pass_time(self, until: datetime) -> None:
        if until > self.now:
            seconds = (until - self.now).total_seconds()
            sessions, nodes = self.sessions.values(), self.nodes.values()
            self.tallying.pass_time(seconds, sessions, nodes, self._fair)
            self.now = until

    def _next(self) -> datetime:
        ends = [self._end(session) for session in self.sessions.values()]
        cycles = [self._again] if self._again and self._again > self.now else []
        return min([*(end for end in ends if end), *cycles], default=_ENDLESS)

    def _end(self, session: Session) -> datetime | None:
        """Return when a session ends, None for never."""
        ends = [end for end in (self._done(session), self._bound(session)) if end]
        return min(ends, default=None)

    def _done(self, session: Session) -> datetime | None:
        """Return when a session's work is done."""
        duration = self._durations[session.spec.name]
        if session.state != "running" or session.started is None or not duration:
            return None
        return session.started + timedelta(seconds=duration)

    def _bound(self, session: Session) -> datetime | None:
        """Return when a session's maximum run time is over."""
        return lifetime.end_of(session, self.projects.get(session.spec.project))

    def _end_those_due(self) -> None:
        for name, session in self.sessions.items():
            done, bound = self._done(session), self._bound(session)
            if done and done <= self.now and (not bound or done <= bound):
                self.sessions[name] = lifecycle.move(session, "done", self.now)
            elif bound and bound <= self.now:
                bounded = lifetime.bounded(session, self.projects.get(session.spec.project))
                ended = lifetime.end(bounded, self.now)
                self.sessions[name] = lifecycle.finish_end(ended, self.now)

    def _settle(self) -> None:
        """Run cycles until nothing changes."""
        self._end_those_due()
        for _ in range(MOST_CYCLES):
            decided = plan(self.snapshot)
            self._again, self._fair = decided.again, decided.fair
            self.rounds += 1
            self._count(decided)
            if not apply_plan(decided, self.sessions, self.now):
                return
        raise Internal(f"The scheduler has not settled after {MOST_CYCLES} cycles.")

    def _count(self, decided: Plan) -> None:
        for eviction in decided.evictions:
            self.tallying.note_eviction(self.sessions[eviction.session], self.now)
        for decision in decided.decisions:
            if isinstance(decision.outcome, Placement):
                self.tallying.note_start(self.sessions[decision.session])

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
