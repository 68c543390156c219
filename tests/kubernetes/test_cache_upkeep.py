"""What time brings to the caches of projects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from jupyter_gpuquota.kubernetes.datasets.upkeep import Upkeep
from jupyter_gpuquota.model.datasets.caches import CachedVersion, Lease
from tests.builders import NOW

LEASE = Lease(session="s1", name="team-a/exp-1", since=NOW)
COPY = ("faces", "v1")


@dataclass
class Cache:
    """A cache with one copy, where a Job works; it lists what is noted."""

    namespace: str = "team-a"
    running: bool = True
    leases: tuple[Lease, ...] = ()
    noted: list[set[tuple[str, str]]] = field(default_factory=list)

    @property
    def marks(self) -> Cache:
        return self

    def versions(self) -> list[CachedVersion]:
        dataset, version = COPY
        return [
            CachedVersion(
                dataset=dataset,
                version=version,
                state="cached",
                size=1,
                files=1,
                used=NOW,
                leases=self.leases,
            )
        ]

    async def use(self, used: dict[tuple[str, str], Any]) -> None:
        self.noted.append(set(used))


@pytest.mark.asyncio
async def test_a_use_is_noted_when_it_begins_and_when_it_ends() -> None:
    cache = Cache()
    unused = cast("Any", None)
    upkeep = Upkeep(cast("Any", [cache]), unused, unused, unused)
    for leases in ((), (LEASE,), (LEASE,), (), (), (LEASE,)):
        cache.leases = leases
        await upkeep.step()
    assert cache.noted == [set(), {COPY}, set(), {COPY}, set(), {COPY}]
