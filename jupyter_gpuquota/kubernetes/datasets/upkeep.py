"""What time brings to caches: copies that nobody uses go, others are read and hashed again."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from ...core.datasets.eviction import RulesOf, due
from ...errors import GpuQuotaError
from ...model.datasets.caches import CachedVersion
from ..api import Fault
from .marks import Copy
from .project_caches import ProjectCache, ProjectCaches
from .work import Work

_log = logging.getLogger(__name__)

_NOTED = timedelta(minutes=10)
"""How long a use goes on before it is noted again."""
_READ = timedelta(hours=1)
"""After which time an index is read again: claims can be changed by other hands."""
_VERIFIED = timedelta(days=7)
"""After which time a copy is hashed again."""
_RETRIED = timedelta(minutes=10)
"""After which time what has failed is tried again."""

Verify = Callable[[ProjectCache, CachedVersion], Awaitable[None]]
"""Starts to hash a copy again. Raises GpuQuotaError."""


class Upkeep:
    """Keeps the caches of all projects."""

    def __init__(self, projects: ProjectCaches, work: Work, rules: RulesOf, verify: Verify) -> None:
        self._projects = projects
        self._work = work
        self._rules = rules
        self._verify = verify
        self._noted: dict[tuple[str, Copy], datetime] = {}
        self._failed: dict[str, datetime] = {}

    async def step(self) -> None:
        """Do what is due; failures are logged, and tried again later."""
        now = datetime.now(UTC)
        for cache in self._projects:
            if now - self._failed.get(cache.namespace, now - _RETRIED) < _RETRIED:
                continue
            try:
                await self._note(cache, now)
                await self._keep(cache, now)
            except (GpuQuotaError, Fault) as error:
                self._failed[cache.namespace] = now
                _log.warning("the cache of %s cannot be kept: %s", cache.namespace, error)

    async def _keep(self, cache: ProjectCache, now: datetime) -> None:
        """Start one Job, if one is due and none works there."""
        if cache.running:
            return
        if now - cache.read >= _READ:
            await self._work.look(cache)
            return
        versions = cache.versions()
        if going := due(versions, cache.capacity or cache.free, self._rules, now):
            await self._work.evict(cache, [(each.dataset, each.version) for each in going])
            return
        old = (each for each in versions if now - (each.verified or each.used) >= _VERIFIED)
        if oldest := min(old, key=lambda each: each.verified or each.used, default=None):
            await self._verify(cache, oldest)

    async def _note(self, cache: ProjectCache, now: datetime) -> None:
        """Note which copies sessions use, and which they have used until now. Raises Fault."""
        used: dict[Copy, datetime] = {}
        for each in cache.versions():
            copy = (each.dataset, each.version)
            before = self._noted.get((cache.namespace, copy))
            if each.leases and (before is None or now - before >= _NOTED):
                used[copy] = self._noted[cache.namespace, copy] = now
            elif before and not each.leases:
                used[copy] = now
                del self._noted[cache.namespace, copy]
        await cache.marks.use(used)
