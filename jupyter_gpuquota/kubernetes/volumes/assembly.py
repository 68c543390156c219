"""Volumes of a cluster, as its configuration wants them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...control.board import Board
from ...core.scheduling.queue import nodes_for
from ...model.quota import Project
from ...model.sessions import SessionRequest, SessionSpec
from ...model.struct import Message
from ...model.volumes.mounts import Mount
from ...ports.backend import Backend
from ..api import Api
from ..builders.volumes import claim_of
from ..config import KubernetesConfig
from ..resident.cluster import prometheus
from ..state.attached import Attached, sentence
from ..watching.watches import Watches
from . import ties
from .capability import ClusterVolumes
from .manifests import SessionClaims
from .sight import Sight
from .ties import Hidden
from .upkeep import Upkeep


class ClusterClaims:
    """Everything of a cluster that belongs to shared volumes, from `start` to `close`.

    `wake` looks at a session soon.
    """

    def __init__(
        self,
        config: KubernetesConfig,
        board: Board,
        api: Api,
        watches: Watches,
        wake: Callable[[str], None],
    ) -> None:
        self._board = board
        self._wake = wake
        hidden = Hidden(
            homes=config.containers().claims,
            cache=config.dataset_claim,
        )
        sight = Sight(
            watches,
            hidden,
            lambda: [project.name for project in board.settings.projects],
            lambda: board.sessions,
        )
        self._sight = sight
        self._defaults = config.pod_defaults()
        self._upkeep = Upkeep(sight, prometheus(config), self._changed, self._remounted)
        self._volumes = ClusterVolumes(api, sight, self._nodes, self._upkeep, self._home_of)
        self.of_sessions = SessionClaims(api, sight.classes, lambda: board.sessions)

    async def start(self) -> None:
        """Begin to publish changes."""
        await self._upkeep.start()

    async def close(self) -> None:
        """End; claims stay."""
        await self._upkeep.close()

    def added_to(self, backend: Backend) -> Backend:
        """Return the record of a backend with these."""
        return replace(backend, volumes=self._volumes)

    def attached(self, spec: SessionSpec, owner: str) -> tuple[Attached, ...]:
        """Return the volumes that tie a request to nodes, as others mount them there now."""
        home = self._home_of(owner)
        return self._sight.attached(spec, home) if spec.mounts or home else ()

    def told(self, spec: SessionSpec, owner: str) -> tuple[Message, ...]:
        """Return where a request will run as its volumes are there."""
        known = self._sight.known(spec.project, spec.name, spec.mounts, self._home_of(owner))
        reachable = (ties.sentence(name, facts.volume) for name, facts in known.items())
        return (*map(sentence, self.attached(spec, owner)), *filter(None, reachable))

    def _home_of(self, owner: str) -> Mount | None:
        """Return how the home folder of a user is mounted, None where it is no claim."""
        template, path = self._defaults.home_claim, self._defaults.home
        return Mount(volume=claim_of(owner, template), path=path) if template else None

    def _changed(self) -> None:
        """Show what has changed."""
        self._board.touch("volumes")

    def _remounted(self) -> None:
        """Look at the sessions that wait: other nodes may have their volumes."""
        for session in self._board.sessions:
            if session.state == "waiting" and (session.spec.mounts or self._defaults.home_claim):
                self._wake(session.id)

    def _nodes(self, request: SessionRequest, project: str) -> frozenset[str] | None:
        """Return the nodes on which a session may run, None if nodes may not be read."""
        nodes = self._board.nodes
        if not nodes:
            return None
        known = (each for each in self._board.settings.projects if each.name == project)
        found = next(known, Project(name=project, quota=0))
        names = nodes_for(found, request.kind, request.node_type, nodes)
        wants_gpu = str(request.gpu) not in ("", "0") or request.gpu_memory or request.mig_profile
        return frozenset(
            node.name
            for node in nodes
            if (names is None or node.name in names)
            and (node.devices or not wants_gpu)
            and not node.problem
        )
