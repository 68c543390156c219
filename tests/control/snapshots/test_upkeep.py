"""Snapshots that are taken and removed by themselves: by rules, a schedule, and at rest."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.snapshots.registry import Registry
from jupyter_gpuquota.control.snapshots.upkeep import Rules, Upkeep
from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.model.ending import Exit
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.snapshots.manifest import Manifest, Trigger
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot, SnapshotRequest, SnapshotRules
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from tests.builders import UNREADABLE, make_session, make_spec
from tests.waiting import wait_for

OWNER = "ana"
HOUR = timedelta(hours=1)


class Taker:
    """Takes snapshots in name only, and restores some; of sessions in `refused` it takes none."""

    def __init__(self, registry: Registry) -> None:
        self.taken: list[tuple[str, Trigger]] = []
        self.restored: set[str] = set()
        self.refused: set[str] = set()
        self.restores = self
        self._registry = registry
        self._made: list[Snapshot] = []

    def needed(self) -> set[str]:
        return self.restored

    def all(self) -> tuple[Snapshot, ...]:
        return (*(each.snapshot for each in self._registry.all()), *self._made)

    async def create(
        self, session: Session, _request: SnapshotRequest, author: str, trigger: Trigger
    ) -> Snapshot:
        if session.id in self.refused:
            raise Conflict("There is no lake for snapshots.")
        self.taken.append((session.spec.name, trigger))
        made = Snapshot(
            id=f"job-{len(self.taken)}",
            session=session.id,
            project=session.spec.project,
            owner=author,
            created=datetime.now(UTC),
            state="making",
        )
        self._made.append(made)
        return made

    def remove_all(self) -> None:
        """Remove what was taken, as a user does."""
        self._made.clear()

    def settle(self, _snapshots: Iterable[Snapshot], _now: datetime) -> None:
        """Do nothing: nothing is really being made."""


class Site:
    """What upkeep works on; controllers come and go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("lake", "own"):
            (folder / name).mkdir()
        self.lake: Objects = connect((folder / "lake").as_uri())
        self.board = Board()
        self.registry = Registry(lambda: {"main": self.lake}, lambda: None)
        self.taker = Taker(self.registry)
        self.rules = Rules(connect((folder / "own").as_uri()))

    @asynccontextmanager
    async def controller(self) -> AsyncIterator[Upkeep]:
        """Look after snapshots for a while."""
        maker = self.taker  # of a maker, only `settle` is called
        upkeep = Upkeep(self.board, self.registry, maker, self.taker, self.rules)  # type: ignore[arg-type]
        upkeep.start()
        try:
            yield upkeep
        finally:
            await upkeep.close()

    async def store(self, count: int, **fields: object) -> list[str]:
        """Store snapshots of one session in the lake, an hour apart; return the oldest first."""
        ids = []
        for number in reversed(range(count)):
            made = Manifest(
                session="s1",
                name="exp-1",
                project="team-a",
                owner=OWNER,
                author=OWNER,
                created=datetime.now(UTC) - (number + 1) * HOUR,
                spec=make_spec(),
            )
            body = identity.encode(replace(made, **fields))
            ids.append(identity.identity(body))
            await self.lake.put(identity.key(OWNER, ids[-1]), body)
        return ids

    def listed(self) -> set[str]:
        """Return the snapshots of the lake."""
        return {each.snapshot.id for each in self.registry.all()}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def session(name: str, state: str, **fields: object) -> Session:
    now = datetime.now(UTC)
    known = {"state": state, "since": now, "started": now - 2 * HOUR, "run": 1}
    return replace(make_session(name, owner=OWNER), **{**known, **fields})


async def test_rules_remove_what_they_do_not_keep_and_nothing_that_is_restored(site: Site) -> None:
    ids = await site.store(4)
    (tagged,) = await site.store(1, tags=("best",), created=datetime.now(UTC) - 9 * HOUR)
    site.taker.restored = {ids[0]}
    await site.rules.put(OWNER, SnapshotRules(keep_last=2))
    async with site.controller():
        await wait_for(lambda: site.listed() == {ids[0], ids[2], ids[3], tagged})


async def test_a_schedule_stores_running_sessions_and_one_that_fails_stops_no_other(
    site: Site,
) -> None:
    await site.rules.put(OWNER, SnapshotRules(every=3600))
    fresh = datetime.now(UTC)
    broken, due = session("broken", "running"), session("due", "running")
    site.taker.refused = {broken.id}
    site.board.show(broken, due, session("new", "running", started=fresh), session("over", "done"))
    async with site.controller():
        said = ["There is no lake for snapshots."]
        await wait_for(lambda: list(site.board.warnings("snapshots")) == said)
        assert site.taker.taken == [("due", "schedule")]


async def test_what_comes_to_rest_is_stored_once_also_by_the_next_controller(site: Site) -> None:
    await site.rules.put(OWNER, SnapshotRules(on_suspend=True, on_finish=True))
    runs = session("exp-1", "running")
    async with site.controller() as upkeep:
        site.board.show(runs)
        upkeep.follow(site.board.sessions)
        quick = session("quick", "done", started=None, exit=Exit(code=0, at=datetime.now(UTC)))
        site.board.show(quick)
        upkeep.follow(site.board.sessions)
        await wait_for(lambda: site.taker.taken == [("quick", "finish")])
        await wait_for_rest(site, "id-quick")
    # It is suspended while no controller looks.
    site.board.show(session("exp-1", "suspended"))
    async with site.controller():
        await wait_for(lambda: site.taker.taken[1:] == [("exp-1", "suspend")])
        await wait_for_rest(site, "id-exp-1")
    site.taker.remove_all()
    last = session("exp-2", "failed")
    async with site.controller() as upkeep:
        site.board.show(last)
        upkeep.follow(site.board.sessions)
        await wait_for(lambda: site.taker.taken[2:] == [("exp-2", "finish")])


async def wait_for_rest(site: Site, session_id: str) -> None:
    """Wait until it is remembered that a session was stored."""

    async def remembered() -> bool:
        return session_id in (await site.rules.rests(OWNER)).runs

    await wait_for(remembered)


async def test_what_a_removed_snapshot_has_left_is_removed(site: Site) -> None:
    [kept] = await site.store(1)
    gone = "0" * 64
    keys = [
        identity.rules_key(OWNER),
        *(identity.file_key(OWNER, each, "1" * 64) for each in (kept, gone)),
        identity.file_key(OWNER, gone, "2" * 64),
        identity.file_key(OWNER, gone, "3" * 64),
    ]
    for key in keys:
        await site.lake.put(key, b"")
    for key in keys[:-1]:
        os.utime(site.folder / "lake" / key, (0, 0))

    async def left() -> bool:
        found = {each.key async for each in site.lake.list(identity.folder(OWNER))}
        return found == {identity.key(OWNER, kept), keys[0], keys[1], keys[4]}

    async with site.controller():
        await wait_for(left)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", UNREADABLE[-1]], ids=range(4))
async def test_rules_that_cannot_be_read_are_told_and_those_of_others_apply(
    site: Site, body: bytes
) -> None:
    key, own = identity.rules_key("aaa"), connect((site.folder / "own").as_uri())
    await own.put(key, body)
    await site.lake.put(layout.commit(identity.tree_dataset(OWNER), 1), body)
    await site.rules.put(OWNER, SnapshotRules(keep_last=1))
    ids = await site.store(2)
    site.board.show(session("exp-1", "running"), replace(session("b", "done"), owner="aaa"))
    async with site.controller():
        await wait_for(lambda: site.listed() == {ids[1]})
        await wait_for(lambda: key in "".join(site.board.warnings("snapshots")))
        await site.rules.put("aaa", SnapshotRules(keep_last=1))
        assert not site.rules.damaged
