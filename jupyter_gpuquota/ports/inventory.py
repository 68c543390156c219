"""Projects, nodes, devices and the environments of sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ..core.requests.feasibility import Fit
from ..model.environments import Environment, LaunchPlace
from ..model.nodes import Reading
from ..model.pods import ContainerRules
from ..model.quota import Project, Rules
from ..model.resources import Node, Share
from ..model.sessions import Kind, SessionRequest


class Inventory(Protocol):
    """The projects, nodes and environments of a backend."""

    @property
    def source(self) -> str:
        """Where GPUs come from: `nvml`, `simulated`, `cluster` or `none`."""

    @property
    def local_files(self) -> bool:
        """Whether sessions see this machine's folders and Python prefixes."""

    @property
    def containers(self) -> ContainerRules | None:
        """What options of containers may be; None if sessions are processes, without options."""

    def projects(self) -> tuple[Project, ...]:
        """Return the projects."""

    def rules(self) -> Rules:
        """Return the rules for all projects."""

    def nodes(self) -> tuple[Node, ...]:
        """Return nodes and devices."""

    def readings(self) -> Mapping[str, Reading]:
        """Return the newest reading of each device, by its UUID."""

    def fit(
        self, share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project
    ) -> Fit:
        """Return a share rounded up to what the nodes can give, or why it can never be had."""

    async def environments(self) -> tuple[Environment, ...]:
        """Return the environments that sessions may start from."""

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Look up the environment and the folder that a request names."""
