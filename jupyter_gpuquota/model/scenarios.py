"""Scenarios: a machine, its projects, and what happens to them step by step."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from .base import Model, Number, Open, Request
from .sessions import Kind

Stand = Literal["waiting", "running", "done", "deleted", "refused", "stopped", "failed"]
"""The states of a session in a scenario: graces and starts take no time there."""

Span = str | int
"""A length of time: seconds, or `90s`, `30m`, `2h`, `1d`, also put together (`1h30m`)."""

Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
Amount = Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
Whole = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class NodeWish(Request, frozen=True, kw_only=True):
    """Describe a node: `gpus` alike, `memory` in MiB each. See `model.resources.Node`."""

    name: str
    gpus: Count
    memory: Amount
    model: str = "GPU"
    labels: tuple[str, ...] = ()
    separate: bool = False


class AffinityWish(Request, frozen=True, kw_only=True):
    """Name the node groups for each kind of session; see `model.quota.Affinity`."""

    interactive: tuple[str, ...] = ()
    train: tuple[str, ...] = ()


class ProjectWish(Request, frozen=True, kw_only=True):
    """Describe a project, or what changes of it; amounts are GPUs. See `model.quota.Project`."""

    name: str
    quota: Number | UnsetType = UNSET
    weight: Number | None | UnsetType = UNSET
    limit: Number | None | UnsetType = UNSET
    priority: Whole | UnsetType = UNSET
    node_affinity: AffinityWish | UnsetType = UNSET
    interactive_duration: Span | UnsetType = UNSET
    min_runtime: Span | UnsetType = UNSET


class RulesWish(Request, frozen=True, kw_only=True):
    """Say which rules change; see `model.quota.Rules`."""

    consolidate: bool | UnsetType = UNSET
    min_runtime: Span | UnsetType = UNSET
    grace: Span | UnsetType = UNSET


class SubmitStep(Request, frozen=True, kw_only=True):
    """Ask for a session. After `duration` of running time it is done; 0: it goes on."""

    name: str
    project: str
    kind: Kind = "interactive"
    gpu: Number = ""
    memory: Number = ""
    compute: Number = ""
    priority: int = 50
    node_type: str = ""
    duration: Span = 0


class SetStep(Request, frozen=True, kw_only=True):
    """Change or create a project, or change the rules."""

    project: ProjectWish | None = None
    rules: RulesWish | None = None


class RemoveStep(Request, frozen=True, kw_only=True):
    """Delete a project; its sessions are left as they are."""

    project: str


class LoseStep(Request, frozen=True, kw_only=True):
    """Have GPUs of a node fail."""

    node: str
    gpus: tuple[Count, ...]


class ProjectExpectation(Request, frozen=True, kw_only=True):
    """Say what a project has; amounts are GPUs, `waiting` counts sessions."""

    allocated: Number | UnsetType = UNSET
    quota: Number | UnsetType = UNSET
    over: Number | UnsetType = UNSET
    waiting: int | UnsetType = UNSET


class SessionExpectation(Request, frozen=True, kw_only=True):
    """Say how a session stands; `devices` are pairs of index and milli-GPU."""

    state: Stand | UnsetType = UNSET
    node: str | UnsetType = UNSET
    devices: tuple[tuple[int, int], ...] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Expectation(Request, frozen=True, kw_only=True):
    """Say what has to be true; what is left out may be anything."""

    projects: dict[str, ProjectExpectation] = msgspec.field(default_factory=dict)
    sessions: dict[str, SessionExpectation] = msgspec.field(default_factory=dict)
    free: Number | UnsetType = UNSET


class Step(Request, frozen=True, kw_only=True):
    """Be one thing that happens: exactly one of the fields is set."""

    submit: SubmitStep | None = None
    delete: tuple[str, ...] | None = None
    advance: Span | None = None
    expect: Expectation | None = None
    change: SetStep | None = msgspec.field(default=None, name="set")
    remove: RemoveStep | None = None
    lose: LoseStep | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Name the fields that are set, as they are written."""
        names = ("submit", "delete", "advance", "expect", "change", "remove", "lose")
        found = (name for name in names if getattr(self, name) is not None)
        return tuple("set" if name == "change" else name for name in found)


class Scenario(Request, frozen=True, kw_only=True):
    """Be a whole scenario."""

    nodes: tuple[NodeWish, ...]
    projects: tuple[ProjectWish, ...] = ()
    steps: tuple[Step, ...] = ()


class ProjectStanding(Model, frozen=True, kw_only=True):
    """Say what a project has, in GPUs; `waiting` counts sessions."""

    allocated: int | float
    quota: int | float
    over: int | float
    waiting: int


class SessionStanding(Model, frozen=True, kw_only=True):
    """Say how a session stands; `devices` are pairs of index and milli-GPU."""

    state: Open[Stand]
    node: str = ""
    devices: tuple[tuple[int, int], ...] = ()
    reason: str = ""
    message: str = ""


class Standing(Model, frozen=True, kw_only=True):
    """Say what stands after a step, which counts from 1; `free` in GPUs."""

    step: int
    projects: dict[str, ProjectStanding]
    sessions: dict[str, SessionStanding]
    free: int | float
