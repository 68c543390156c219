"""What the conditions of a session's Workload mean. Their texts are those of Kueue 0.19.2."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.engines.engine import Admission
from jupyter_gpuquota.kubernetes.engines.kueue.admission import Reader
from jupyter_gpuquota.kubernetes.engines.kueue.forecast import Wanted
from jupyter_gpuquota.kubernetes.engines.kueue.queues import find_queues
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.kubernetes.kueue.objects import Raw, nested, said, state, team, uid, workload

TEAMS = [*team("team-a", 2000), *team("team-b", 2000)]
MINE = make_session("exp-1", project="team-a", gpu="1", kind="train")


def pending(text: str, reason: str = "Pending") -> Raw:
    return said("QuotaReserved", "False", reason, text)


def preempted(by: str, reason: str, text: str) -> list[Raw]:
    told = (
        f"Preempted to accommodate a workload (UID: {uid(by)}, JobUID: "
        f"13f91cca-f645-461d-ba57-7564c194f317) due to {text}; preemptor path: /gpus/team-b; "
        "preemptee path: /gpus/team-a"
    )
    return [said("Evicted", "True", "Preempted", told), said("Preempted", "True", reason, told)]


def read(objects: Sequence[Raw], *others: Session, session: Session = MINE) -> Admission:
    found = state(*objects)
    reader = Reader(found, find_queues(found), lambda: (session, *others))
    share = session.spec.share
    return reader.admission(
        session, Wanted(session.spec.project, session.spec.kind, share, share.milli, 50)
    )


def mine(*conditions: Raw, milli: int = 1000, **fields: Any) -> Raw:
    return workload("team-a", "gpu-exp-1", milli, conditions=conditions, **fields)


def test_a_session_without_gpus_needs_no_quota() -> None:
    session = make_session("cpu", project="team-a")
    assert read(TEAMS, session=session) == Admission()


def test_a_session_that_kueue_has_not_seen_is_not_admitted() -> None:
    assert read(TEAMS) == Admission(admitted=False)


def test_an_admitted_session() -> None:
    assert read([*TEAMS, mine(held="team-a")]) == Admission()


def test_one_that_kueue_is_about_to_admit_has_no_reason() -> None:
    found = read([*TEAMS, mine()])
    assert not found.admitted
    assert found.queue is not None
    assert (found.queue.reason, found.queue.position) == (None, 1)


def test_one_that_kueue_passes_over_without_a_word_is_told_by_the_numbers() -> None:
    like_it = workload("team-a", "gpu-older", 1000, conditions=[pending("x")])
    busy = [
        workload("team-a", "a1", 2000, held="team-a"),
        workload("team-b", "b1", 2000, held="team-b"),
    ]
    found = read([*TEAMS, *busy, like_it, mine()])
    assert found.queue is not None
    assert found.queue.reason is not None
    assert found.queue.reason.key == "quota.borrow_all"


REASONS = [
    (
        "couldn't assign flavors to pod set main: insufficient unused quota for lab/milligpu in "
        "flavor v100, 1k more needed",
        "Pending",
        "OverQuota",
        "quota.borrow_all",
    ),
    ("LocalQueue nosuch doesn't exist", "Inadmissible", "QueueMissing", "queue.missing"),
    ("ClusterQueue team-a is inactive", "Inadmissible", "QueueMissing", "queue.inactive"),
    (
        "couldn't assign flavors to pod set main: resource memory unavailable in ClusterQueue",
        "Pending",
        "QueueMissing",
        "queue.refuses",
    ),
]


@pytest.mark.parametrize(("text", "why", "code", "key"), REASONS)
def test_reasons(text: str, why: str, code: str, key: str) -> None:
    busy = [
        workload("team-a", "a1", 2000, held="team-a"),
        workload("team-b", "b1", 2000, held="team-b"),
    ]
    found = read([*TEAMS, *busy, mine(pending(text, why))])
    assert found.queue is not None
    assert found.queue.reason is not None
    assert (found.queue.reason.code, found.queue.reason.key) == (code, key)
    assert found.queue.reason.raw == text


def test_positions_count_from_one() -> None:
    older = workload("team-a", "gpu-older", 1000, created="2026-01-01T00:00:00Z")
    found = read([*TEAMS, mine(pending("x")), older])
    assert found.queue is not None
    assert found.queue.position == 2


def test_a_reclaimed_session_names_the_one_that_took_its_gpus() -> None:
    taker = make_session("needs-it", project="team-b", gpu="2")
    told = preempted("gpu-needs-it", "InCohortReclamation", "reclamation within the cohort")
    found = read(
        [*TEAMS, workload("team-b", "gpu-needs-it", 2000), mine(*told, pending("x"))], taker
    )
    assert not found.admitted
    assert found.reclaim is not None
    assert (found.reclaim.session, found.reclaim.name) == (taker.id, "needs-it")
    assert (found.reclaim.project, found.reclaim.at) == (
        "team-b",
        datetime(2026, 11, 22, 12, 41, 3, tzinfo=UTC),
    )
    assert found.reason is not None
    assert found.reason.code == "Reclaimed"
    assert found.reason.message == (
        "Preempted by a session of team-b, which is entitled to GPUs that team-a had borrowed."
    )
    assert "preemptor path" in found.reason.raw
    assert found.queue is not None


def test_a_preemptor_that_has_gone_is_known_by_its_queue() -> None:
    told = preempted("gpu-gone", "InCohortReclamation", "reclamation within the cohort")
    found = read([*TEAMS, mine(*told, pending("x"))])
    assert found.reclaim is not None
    assert (found.reclaim.project, found.reclaim.session) == ("team-b", "")


def test_a_colleague_with_priority_is_named() -> None:
    taker = make_session("urgent", project="team-a", gpu="2")
    told = preempted("gpu-urgent", "InClusterQueue", "prioritization in the ClusterQueue")
    found = read([*TEAMS, workload("team-a", "gpu-urgent", 2000), mine(*told)], taker)
    assert found.reason is not None
    assert found.reason.message == "Preempted by urgent, which has priority over it."


def test_who_waits_for_a_reclaim_is_told_from_whom() -> None:
    told = preempted("gpu-exp-1", "InCohortReclamation", "reclamation within the cohort")
    leaving = workload("team-b", "b1", 2000, held="team-b", conditions=told)
    found = read([*TEAMS, leaving, mine(pending("Pending the preemption of 1 workload(s)"))])
    assert found.queue is not None
    assert found.queue.reason is not None
    assert found.queue.reason.code == "BeingReclaimed"
    assert found.queue.reason.message == "GPUs are being released for it by a session of team-b."


def test_an_eviction_that_is_no_reclaim_keeps_the_raw_words() -> None:
    told = said("Evicted", "True", "PodsReadyTimeout", "Exceeded the PodsReady timeout")
    found = read([*TEAMS, mine(told, pending("x"))])
    assert found.reclaim is None
    assert found.reason is not None
    assert (found.reason.code, found.reason.raw) == ("Evicted", "Exceeded the PodsReady timeout")


def test_once_readmitted_the_old_eviction_counts_no_more() -> None:
    again = [
        said("Evicted", "False", "QuotaReserved", "Previously: Preempted …"),
        said("Preempted", "False", "QuotaReserved", "Previously: Preempted …"),
    ]
    assert read([*TEAMS, mine(*again, held="team-a")]) == Admission()


def test_interactive_sessions_are_told_of_their_own_quota() -> None:
    session = make_session("exp-1", project="team-a", gpu="1", kind="interactive")
    held = workload("team-a", "s1", 2000, "interactive", held="team-a-interactive", priority=100)
    objects = [*nested("team-a", 2000), held, mine(pending("x"), queue="interactive")]
    found = read(objects, session=session)
    assert found.queue is not None
    assert found.queue.reason is not None
    assert found.queue.reason.key == "quota.interactive"


def test_shares_by_memory_are_told_as_requested() -> None:
    session = make_session("exp-1", project="team-a", gpu="", gpu_memory="8Gi", kind="train")
    found = state(*TEAMS, mine(pending("x")), workload("team-b", "b", 4000, held="team-b"))
    reader = Reader(found, find_queues(found), lambda: (session,))
    admission = reader.admission(session, Wanted("team-a", "train", Share(memory=8192), 250, 50))
    assert admission.queue is not None
    assert admission.queue.reason is not None
    assert "8 GiB requested" in admission.queue.reason.message
