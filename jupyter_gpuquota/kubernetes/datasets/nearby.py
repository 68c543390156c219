"""Copies on nodes of the versions that sessions use, where Fluid is configured."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from ..api import Fault
from ..faults import error as explained
from .fluid import Fluid, Near
from .marks import Copy
from .project_cache import ProjectCache
from .project_caches import ProjectCaches

_log = logging.getLogger(__name__)


class Nearby:
    """Lets Fluid load what sessions use, and drop what is not cached any more."""

    def __init__(self, fluid: Fluid, projects: ProjectCaches) -> None:
        self._fluid = fluid
        self._projects = projects
        self._known: dict[tuple[str, Copy], Near] = {}
        self._none: set[tuple[str, Copy]] = set()
        self._trouble: dict[str, str] = {}

    def is_mounted(self, namespace: str, copy: Copy) -> bool:
        """Return whether pods can mount a version."""
        return self._known.get((namespace, copy), Near()).mounted

    def warnings(self) -> Iterator[str]:
        """Yield what does not work: failed loads, and complete ones without a whole copy."""
        yield from self._trouble.values()
        for (_, (dataset, version)), near in sorted(self._known.items(), key=lambda e: e[0]):
            if near.failed:
                yield (
                    f"Fluid has failed to load {dataset}@{version[:12]}; the claim has all of it. "
                    "Its objects say why: kubectl describe dataset,dataload."
                )
            elif near.loaded and not near.is_whole:
                held = "an unknown part" if near.share is None else f"{near.share:.0%}"
                yield (
                    f"Fluid calls the load of {dataset}@{version[:12]} complete, and holds {held} "
                    "of it. The rest is read from the claim."
                )

    async def step(self) -> None:
        """Do what is due; a failure is told, and tried again."""
        for cache in self._projects:
            try:
                await self._step(cache)
            except Fault as fault:
                self._trouble[cache.namespace] = explained(fault).message
                _log.warning("Fluid cannot be used in %s: %s", cache.namespace, fault)
            else:
                self._trouble.pop(cache.namespace, None)

    async def _step(self, cache: ProjectCache) -> None:
        namespace = cache.namespace
        for version in cache.versions():
            copy = (version.dataset, version.version)
            if version.state != "cached":
                continue
            key = (namespace, copy)
            if version.leases and key not in self._known:
                await self._fluid.load(namespace, cache.claim, copy)
            elif key in self._none:
                continue  # nobody has let Fluid load it
            near = await self._fluid.near(namespace, copy)
            # What a controller before this one has loaded is known from now on, too.
            if version.leases or key in self._known or near != Near():
                self._known[key] = near
                self._none.discard(key)
            else:
                self._none.add(key)
        for where, copy in list(self._known):
            if where == namespace and not cache.has(copy):
                await self._fluid.remove(namespace, copy)
                del self._known[where, copy]
