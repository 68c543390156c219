"""Scenarios: a machine, its projects, and what happens to them step by step."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from .sessions import Kind
from .struct import Model, Number, Open, Request

Stand = Literal["waiting", "running", "done", "deleted", "refused", "stopped", "failed"]
"""The states of a session in a scenario, where starts and ends take no time."""

Span = str | int
"""A duration: seconds, or `90s`, `30m`, `2h`, `1d`, also combined (`1h30m`)."""

Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
Amount = Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
Whole = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class NodeWish(Request, frozen=True, kw_only=True):
    """A node with `gpus` equal GPUs of `memory` MiB each. See `model.resources.Node`."""

    name: str
    gpus: Count
    memory: Amount
    model: str = "GPU"
    labels: tuple[str, ...] = ()
    separate: bool = False


class AffinityWish(Request, frozen=True, kw_only=True):
    """The node groups for each kind of session; see `model.quota.Affinity`."""

    interactive: tuple[str, ...] = ()
    train: tuple[str, ...] = ()


class ProjectWish(Request, frozen=True, kw_only=True):
    """A project, or a change of one; amounts are GPUs. See `model.quota.Project`."""

    name: str
    quota: Number | UnsetType = UNSET
    weight: Number | None | UnsetType = UNSET
    limit: Number | None | UnsetType = UNSET
    priority: Whole | UnsetType = UNSET
    node_affinity: AffinityWish | UnsetType = UNSET
    interactive_duration: Span | UnsetType = UNSET
    min_runtime: Span | UnsetType = UNSET


class RulesWish(Request, frozen=True, kw_only=True):
    """A change of the rules; see `model.quota.Rules`."""

    consolidate: bool | UnsetType = UNSET
    min_runtime: Span | UnsetType = UNSET
    grace: Span | UnsetType = UNSET


class RunningWish(Request, frozen=True, kw_only=True):
    """Where a session runs already."""

    node: str
    devices: tuple[Count, ...]


class SubmitStep(Request, frozen=True, kw_only=True):
    """A request for a session that is done after `duration` of run time; 0: never.

    It was submitted `age` ago, and may be `running` since then.
    """

    name: str
    project: str
    kind: Kind = "interactive"
    gpu: Number = ""
    memory: Number = ""
    compute: Number = ""
    priority: int = 50
    node_type: str = ""
    duration: Span = 0
    running: RunningWish | None = None
    age: Span = 0


class SetStep(Request, frozen=True, kw_only=True):
    """A change of a project or of the rules, or a new project."""

    project: ProjectWish | None = None
    rules: RulesWish | None = None


class RemoveStep(Request, frozen=True, kw_only=True):
    """The deletion of a project; its sessions stay."""

    project: str


class LoseStep(Request, frozen=True, kw_only=True):
    """The failure of GPUs of a node."""

    node: str
    gpus: tuple[Count, ...]


class ProjectExpectation(Request, frozen=True, kw_only=True):
    """The expected state of a project; amounts are GPUs, `waiting` counts sessions."""

    allocated: Number | UnsetType = UNSET
    quota: Number | UnsetType = UNSET
    over: Number | UnsetType = UNSET
    waiting: int | UnsetType = UNSET


class SessionExpectation(Request, frozen=True, kw_only=True):
    """The expected state of a session; `devices` are pairs of index and milli-GPU."""

    state: Stand | UnsetType = UNSET
    node: str | UnsetType = UNSET
    devices: tuple[tuple[int, int], ...] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Expectation(Request, frozen=True, kw_only=True):
    """What must be true; anything left out may have any value."""

    projects: dict[str, ProjectExpectation] = msgspec.field(default_factory=dict)
    sessions: dict[str, SessionExpectation] = msgspec.field(default_factory=dict)
    free: Number | UnsetType = UNSET


class Step(Request, frozen=True, kw_only=True):
    """One event: exactly one of the fields is set. What is submitted as a list comes at once."""

    submit: SubmitStep | tuple[SubmitStep, ...] | None = None
    delete: tuple[str, ...] | None = None
    advance: Span | None = None
    expect: Expectation | None = None
    change: SetStep | None = msgspec.field(default=None, name="set")
    remove: RemoveStep | None = None
    lose: LoseStep | None = None

    @property
    def submits(self) -> dict[str, SubmitStep]:
        """Return what is submitted, by its path in the step."""
        if isinstance(self.submit, SubmitStep):
            return {"submit": self.submit}
        return {f"submit[{i}]": each for i, each in enumerate(self.submit or ())}

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the names of the fields that are set, as they are written."""
        names = ("submit", "delete", "advance", "expect", "change", "remove", "lose")
        found = (name for name in names if getattr(self, name) is not None)
        return tuple("set" if name == "change" else name for name in found)


class Scenario(Request, frozen=True, kw_only=True):
    """A whole scenario; `name` tells it from others."""

    name: str = ""
    nodes: tuple[NodeWish, ...]
    projects: tuple[ProjectWish, ...] = ()
    steps: tuple[Step, ...] = ()


class ProjectStanding(Model, frozen=True, kw_only=True):
    """The state of a project, in GPUs; `waiting` counts sessions."""

    allocated: int | float
    quota: int | float
    over: int | float
    waiting: int


class SessionStanding(Model, frozen=True, kw_only=True):
    """The state of a session; `devices` are pairs of index and milli-GPU."""

    state: Open[Stand]
    node: str = ""
    devices: tuple[tuple[int, int], ...] = ()
    reason: str = ""
    message: str = ""


class Played(Model, frozen=True, kw_only=True):
    """How one of several scenarios ended; `problems` are expectations that were not met."""

    name: str
    ok: bool
    problems: tuple[str, ...]
    projects: dict[str, ProjectStanding]
    sessions: dict[str, SessionStanding]
    free: int | float
    rounds: int


class Standing(Model, frozen=True, kw_only=True):
    """The state after a step, which counts from 1; `free` in GPUs."""

    step: int
    projects: dict[str, ProjectStanding]
    sessions: dict[str, SessionStanding]
    free: int | float
