"""Claims, their volumes and classes as watches show them; each kind is optional but claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...core.volumes.uses import uses_of
from ...model.sessions import Session, SessionSpec
from ...model.volumes.mounts import Mount
from ...model.volumes.volumes import StorageClass, Volume
from ..faults import error as explained
from ..labels import SESSION
from ..objects.cluster import ResourceQuota
from ..objects.pods import Event, Pod
from ..objects.storage import Claim, ClassOfStorage
from ..resources import (
    ATTRIBUTES_CLASSES,
    CLAIMS,
    EVENTS,
    NODES,
    PERSISTENT_VOLUMES,
    PODS,
    RESOURCE_QUOTAS,
    STORAGE_CLASSES,
)
from ..shares.gpu_node import HOSTNAME
from ..state.attached import Attached
from ..watching.watches import Watches
from . import modes, reading, ties, uses
from .facts import Facts, Mounted, attached
from .ties import Hidden
from .used import Key


class Sight:
    """What is known of the claims of projects. Everything comes from memory.

    `projects` returns the names of all projects, `sessions` all sessions.
    """

    def __init__(
        self,
        watches: Watches,
        hidden: Hidden,
        projects: Callable[[], Iterable[str]],
        sessions: Callable[[], Sequence[Session]],
    ) -> None:
        self._watches = watches
        self._hidden = hidden
        self._projects = projects
        self._sessions = sessions
        self.claims = watches.cache(CLAIMS)
        self._volumes = watches.cache(PERSISTENT_VOLUMES)
        self._classes = watches.cache(STORAGE_CLASSES)
        self._levels = watches.cache(ATTRIBUTES_CLASSES)
        self._quotas = watches.cache(RESOURCE_QUOTAS)
        self._nodes = watches.cache(NODES)
        self._pods = watches.cache(PODS)
        self._events = watches.cache(EVENTS)
        self._mounting: Mapping[Key, Sequence[Pod]] | None = None
        self._pods.subscribe(self._forget)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call a function after each change that may concern volumes; return what ends this."""

        def moved(_: object) -> None:
            changed()

        watched: tuple[Any, ...] = (
            self.claims,
            self._volumes,
            self._classes,
            self._levels,
            self._pods,
            self._events,
        )
        ends = [cache.subscribe(moved) for cache in watched]

        def end() -> None:
            for each in ends:
                each()

        return end

    def all(self, used: dict[Key, int]) -> tuple[Volume, ...]:
        """Return all volumes by project and name; `used` are the bytes that were measured."""
        sessions = self._sessions()
        known = uses_of(sessions)
        others = uses.others(self._pods.values(), {session.id for session in sessions})
        events = self._events_of_claims()
        found = []
        for project in dict.fromkeys(self._projects()):
            for claim in self.claims.values(project):
                if not self._hidden.hides(claim):
                    around = reading.Around(
                        volume=self._volumes.get("", claim.spec.volume_name),
                        storage_class=self._class_of(claim),
                        events=tuple(events.get(claim.metadata.uid, ())),
                        used=used.get(claim.key),
                        uses=(*known.get(claim.key, ()), *others.get(claim.key, ())),
                    )
                    found.append(reading.volume_of(claim, around))
        return tuple(sorted(found, key=lambda each: (each.project, each.name)))

    def classes(self) -> tuple[StorageClass, ...]:
        """Return the storage classes, the default one first; none where they may not be read."""
        levels = defaultdict(list)
        for level in self._levels.values():
            levels[level.driver_name].append(level.metadata.name)
        found = (
            StorageClass(
                name=each.metadata.name,
                default=reading.is_default(each),
                provisioner=each.provisioner,
                expandable=each.allow_volume_expansion,
                waits=reading.waits(each),
                levels=tuple(sorted(levels[each.provisioner])),
                modes=modes.of_driver(each.provisioner),
            )
            for each in self._classes.values()
        )
        return tuple(sorted(found, key=lambda each: (not each.default, each.name)))

    def problems(self) -> Iterator[str]:
        """Yield what may not be read."""
        if refusal := self._watches.refusal(CLAIMS):
            yield f"Volumes cannot be shown. {explained(refusal).message}"
            return
        hidden = [project for project in dict.fromkeys(self._projects()) if not self.reads(project)]
        if hidden:
            yield f"The volumes of {', '.join(hidden)} may not be read."
        if refusal := self._watches.refusal(STORAGE_CLASSES):
            yield f"Storage classes are not known. {explained(refusal).message}"

    def reads(self, project: str) -> bool:
        """Return whether the claims of a project may be read."""
        return not self._watches.forbidden(CLAIMS, namespace=project)

    def claim(self, project: str, name: str) -> Claim | None:
        """Return a claim that is listed, None for any other."""
        found = self.claims.get(project, name)
        return None if found is None or self._hidden.hides(found) else found

    def facts(self, claim: Claim, session: str) -> Facts:
        """Return what matters when the session with this name is to mount a claim."""
        volume, nodes = self._volumes.get("", claim.spec.volume_name), self._nodes.values()
        reachable = ties.reachable(volume, nodes) if volume and nodes else None
        return Facts(claim, self._mounted(claim, session), reachable, volume=volume)

    def known(
        self, project: str, session: str, mounts: Iterable[Mount], home: Mount | None = None
    ) -> Mapping[str, Facts]:
        """Return the facts of the claims that the session with this name is to mount, by name.

        `home` is the claim of its owner's home folder, if that is one.
        """
        claims = self._claims(project, mounts, home)
        return {
            name: replace(self.facts(claim, session), home=home is not None and home.volume == name)
            for name, claim in claims.items()
        }

    def attached(self, spec: SessionSpec, home: Mount | None = None) -> tuple[Attached, ...]:
        """Return the volumes that tie a session to nodes, as others mount them there now."""
        known = {
            name: Facts(
                claim,
                self._mounted(claim, spec.name),
                home=home is not None and home.volume == name,
            )
            for name, claim in self._claims(spec.project, spec.mounts, home).items()
        }
        tied = {each.node for facts in known.values() for each in facts.mounted}
        nodes = filter(None, (self._nodes.get("", name) for name in tied if name))
        hosts = {node.metadata.name: node.metadata.labels.get(HOSTNAME, "") for node in nodes}
        mounts = (*([home] if home else []), *spec.mounts)
        return attached(mounts, known, {name: host for name, host in hosts.items() if host})

    def mounted(self) -> frozenset[tuple[Key, str]]:
        """Return which claims are mounted on which nodes, also those that are not listed."""
        mounting = self._by_claim().items()
        return frozenset((key, pod.spec.node_name) for key, pods in mounting for pod in pods)

    def quotas(self, project: str) -> Sequence[ResourceQuota]:
        """Return the ResourceQuotas of a project."""
        return self._quotas.values(project)

    def _claims(
        self, project: str, mounts: Iterable[Mount], home: Mount | None
    ) -> Mapping[str, Claim]:
        """Return the claims of mounts by name: those that are listed, and the home folder's."""
        found = {mount.volume: self.claim(project, mount.volume) for mount in mounts}
        if home:
            found[home.volume] = self.claims.get(project, home.volume)
        return {name: claim for name, claim in found.items() if claim}

    def _mounted(self, claim: Claim, session: str) -> tuple[Mounted, ...]:
        """Return the pods that mount a claim now, besides those of the session with this name."""
        pods = self._by_claim().get(claim.key, ())
        names = {each.id: each.spec.name for each in self._sessions()} if pods else {}
        users = []
        for pod in pods:
            user = names.get(pod.metadata.labels.get(SESSION, ""), "")
            if not user or user != session:
                users.append(Mounted(user or pod.metadata.name, pod.spec.node_name))
        return tuple(users)

    def _by_claim(self) -> Mapping[Key, Sequence[Pod]]:
        """Return the pods that hold each claim, or are about to; many sessions may ask for them."""
        if self._mounting is None:
            self._mounting = uses.pods_of(self._pods.values())
        return self._mounting

    def _forget(self, _: object) -> None:
        self._mounting = None

    def _class_of(self, claim: Claim) -> ClassOfStorage | None:
        return self._classes.get("", claim.spec.storage_class_name or "")

    def _events_of_claims(self) -> dict[str, list[Event]]:
        found = defaultdict(list)
        for event in self._events.values():
            if event.involved_object.kind == CLAIMS.kind:
                found[event.involved_object.uid].append(event)
        return found
