"""What Kueue would do with a request: one row per situation."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.kubernetes.engines.kueue.forecast import Outcome, Wanted, forecast
from jupyter_gpuquota.kubernetes.engines.kueue.queues import find_queues
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Kind
from tests.kubernetes.kueue.objects import Raw, nested, state, team, workload


def outcome(objects: list[Raw], milli: int, kind: Kind = "train", project: str = "a") -> Outcome:
    projects = find_queues(state(*objects))
    priority = 100 if kind == "interactive" else 50
    return forecast(Wanted(project, kind, Share(milli=milli), milli, priority), projects)


def held(name: str, milli: int, project: str) -> Raw:
    """Return a workload that runs; those with a higher number in their name began later."""
    return workload(project, name, milli, held=project, created=f"2026-01-01T00:00:0{name[-1]}Z")


FLAT = [*team("a", 4000), *team("b", 2000)]
NESTED = [*nested("a", 4000), *nested("b", 2000)]
STRICT = [*team("a", 4000, borrowing=0), *team("b", 2000)]
POLITE = [*team("a", 4000, reclaim="LowerPriority"), *team("b", 2000)]

TABLE = [
    ("in quota", FLAT, 4000, "train", "fits", 0, [], ""),
    ("part of it borrowed", FLAT, 5000, "train", "borrows", 1000, [], ""),
    ("a quarter", FLAT, 250, "train", "fits", 0, [], ""),
    ("more than there is", FLAT, 7000, "train", "forbidden", 0, [], "OverQuota"),
    ("no borrowing", STRICT, 5000, "train", "forbidden", 0, [], "OverQuota"),
    (
        "taken back from a borrower",
        [*FLAT, held("b1", 2000, "b"), held("b2", 2000, "b")],
        4000,
        "train",
        "reclaims",
        0,
        ["b2"],
        "NoNodeFits",
    ),
    (
        "those in quota are spared",
        [*FLAT, held("b1", 2000, "b"), held("a1", 4000, "a")],
        1000,
        "train",
        "waits",
        0,
        [],
        "OverQuota",
    ),
    (
        "a borrower does not take",
        [*FLAT, held("b1", 2000, "b"), held("a1", 3000, "a")],
        2000,
        "train",
        "waits",
        0,
        [],
        "OverQuota",
    ),
    (
        "equal priority is spared where the policy says so",
        [*POLITE, held("b1", 2000, "b"), held("b2", 2000, "b")],
        4000,
        "train",
        "waits",
        0,
        [],
        "NoNodeFits",
    ),
    (
        "lower priority is not",
        [*POLITE, held("b1", 2000, "b"), held("b2", 2000, "b")],
        4000,
        "interactive",
        "reclaims",
        0,
        ["b2"],
        "NoNodeFits",
    ),
    (
        "own training makes room for a session",
        [*nested("a", 4000), held("a1", 4000, "a")],
        1000,
        "interactive",
        "reclaims",
        0,
        ["a1"],
        "NoNodeFits",
    ),
    (
        "interactive sessions stay in quota",
        [*NESTED, workload("a", "s1", 4000, "interactive", held="a-interactive", priority=100)],
        1000,
        "interactive",
        "waits",
        0,
        [],
        "OverQuota",
    ),
    (
        "training beside them borrows",
        [*NESTED, workload("a", "s1", 4000, "interactive", held="a-interactive", priority=100)],
        1000,
        "train",
        "borrows",
        1000,
        [],
        "",
    ),
    (
        "the interactive queue guarantees its team's training too",
        [*NESTED, held("b1", 3000, "b"), held("b2", 2000, "b"), held("b3", 1000, "b")],
        2000,
        "train",
        "reclaims",
        0,
        ["b2"],
        "NoNodeFits",
    ),
]


@pytest.mark.parametrize(
    ("objects", "milli", "kind", "verdict", "borrowed", "victims", "code"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_the_table(
    objects: list[Raw],
    milli: int,
    kind: Kind,
    verdict: str,
    borrowed: int,
    victims: list[str],
    code: str,
) -> None:
    found = outcome(objects, milli, kind)
    assert (found.verdict, found.borrowed) == (verdict, borrowed)
    assert [w.owner_name for w in found.victims] == victims
    assert (found.reason.code if found.reason else "") == code


def test_a_stopped_queue_starts_nothing() -> None:
    found = outcome(team("a", 4000, stopPolicy="Hold"), 1000)
    assert found.verdict == "waits"
    assert found.reason is not None
    assert (found.reason.code, found.reason.key) == ("QueueMissing", "queue.inactive")


def test_the_numbers_are_told() -> None:
    found = outcome([*STRICT, held("a1", 3500, "a")], 1000)
    assert found.reason is not None
    assert found.reason.message == (
        "a already uses 3.5 of its 4 GPUs; 1 more would exceed the quota, and it may not borrow."
    )
    busy = outcome([*FLAT, held("b1", 2000, "b"), held("a1", 4000, "a")], 1000)
    assert busy.reason is not None
    assert busy.reason.message == (
        "a uses 4 GPUs (quota: 4), so 1 GPU would have to be borrowed, and that many are not free. "
        "In use: a 4, b 2."
    )
