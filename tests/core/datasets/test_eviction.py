"""Which cached versions go, and what may be fetched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.datasets import eviction
from jupyter_gpuquota.model.datasets.caches import CachedVersion, CacheRules, Lease, Pin

NOW = datetime(2026, 1, 10, tzinfo=UTC)
DAY = timedelta(days=1)
LEASE = Lease(session="s-1", name="team-a/exp", since=NOW)


def version(name: str, size: int = 10, days: float = 0, **more: Any) -> CachedVersion:
    fields = {"state": "cached", "files": 1, **more}
    return CachedVersion(dataset="d", version=name, size=size, used=NOW - days * DAY, **fields)


def due(*versions: CachedVersion, capacity: int = 100, **rules: Any) -> list[str]:
    found = eviction.due(versions, capacity, lambda _: CacheRules(**rules), NOW)
    return [each.version for each in found]


def test_what_nobody_used_for_a_day_goes() -> None:
    assert due(version("a", days=1), version("b", days=0.9)) == ["a"]
    assert due(version("a", days=8), unused=timedelta(days=9)) == []
    assert due(version("a", days=800), unused=None) == []


def test_sessions_pins_and_fetches_keep_a_version() -> None:
    pin = Pin(user="ana", until=NOW + DAY)
    kept = [
        version("a", days=9, leases=(LEASE,)),
        version("b", days=9, pins=(pin,)),
        version("c", days=9, state="fetching"),
        version("d", days=9, pins=(Pin(user="ana"),)),
    ]
    assert due(*kept, capacity=1) == []
    assert due(version("e", days=9, pins=(Pin(user="ana", until=NOW),))) == ["e"]


def test_above_the_high_water_mark_the_least_recently_used_goes_first() -> None:
    versions = [version("a", 40, days=0.1), version("b", 40, days=0.2), version("c", 15)]
    assert due(*versions) == ["b"]
    assert due(*versions, high_water=1.0) == []


def test_a_running_fetch_counts_whole() -> None:
    running = version("a", 80, state="fetching", done=30)
    assert eviction.admit([running], 20, 100, 1000, NOW) == eviction.Admission()
    assert eviction.admit([running], 21, 100, 1000, NOW).short == 1
    assert eviction.admit([running], 20, 100, 69, NOW).short == 1


ROOM = st.lists(
    st.builds(
        version,
        st.text("abc", min_size=1, max_size=4),
        st.integers(0, 50),
        st.floats(0, 3),
        state=st.sampled_from(["cached", "fetching", "damaged"]),
        leases=st.sampled_from([(), (LEASE,)]),
    ),
    unique_by=lambda each: each.version,
)


@given(versions=ROOM, size=st.integers(0, 120), free=st.integers(0, 200))
def test_what_is_admitted_fits_and_costs_nobody_a_copy_in_use(
    versions: list[CachedVersion], size: int, free: int
) -> None:
    found = eviction.admit(versions, size, 100, free, NOW)
    assert all(eviction.evictable(each, NOW) for each in found.evict)
    coming = sum(each.size - each.done for each in versions if each.state == "fetching")
    room = eviction.room(versions, 100, free, NOW)
    if found.short:
        assert not found.evict
        assert room.committed - room.evictable + size > 100 or coming + size > (
            free + room.evictable
        )
    else:
        gained = sum(each.size for each in found.evict)
        assert room.committed - gained + size <= 100
        assert coming + size <= free + gained
