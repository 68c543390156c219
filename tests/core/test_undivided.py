"""Where one project has all GPUs, no reason and no preview speaks of projects or quotas."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core.forecast.previews import preview
from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.core.scheduling.undivided import plain_reason
from jupyter_gpuquota.model.messages.build import message, reason
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.sessions import Kind, Session
from tests.builders import (
    NOW,
    make_node,
    make_placement,
    make_project,
    make_session,
    make_slice,
    make_spec,
)

NODES = [make_node("n1", 2)]
ALONE = [make_project("ana-lab", "2")]
WORDS = ("quota", "project", "fair share", "borrow", "ana-lab")


def running(name: str, index: int, kind: Kind) -> Session:
    """Return a session that holds a GPU."""
    held = make_placement(make_slice(index, 1000))
    return make_session(name, "1", "running", placement=held, project="ana-lab", kind=kind)


def snapshot(held: Kind, *queued: Session) -> ClusterSnapshot:
    """Return a machine whose GPUs are in use by sessions of a kind."""
    return ClusterSnapshot(
        [running("r0", 0, held), running("r1", 1, held), *queued], ALONE, NODES, NOW
    )


def is_plain(found: Reason | None, text: str) -> bool:
    """Return whether neither a text nor a reason has a word about quotas."""
    said = f"{text} {found.message} {found.hint} {found.more}" if found else text
    return not any(word in said.lower() for word in WORDS)


@pytest.mark.parametrize("held", ["interactive", "interactive-spot", "train"])
@pytest.mark.parametrize("kind", ["interactive", "interactive-spot", "train"])
@pytest.mark.parametrize("gpu", ["0.5", "1", "2"])
def test_nothing_speaks_of_quotas(held: Kind, kind: Kind, gpu: str) -> None:
    ahead, behind = (
        make_session(name, gpu, project="ana-lab", kind=kind, age=age)
        for name, age in (("ahead", 60), ("behind", 1))
    )
    for decision in plan(snapshot(held, ahead, behind)).decisions:
        outcome = decision.outcome
        assert isinstance(outcome, Reason)
        assert is_plain(outcome, "")
        assert outcome.code not in ("OverQuota", "OverLimit")
    shown = preview(make_spec(gpu=gpu, kind=kind, project="ana-lab"), snapshot(held, ahead))
    assert is_plain(shown.reason, shown.message)


def test_an_interactive_session_is_told_what_others_like_it_use() -> None:
    queued = make_session("q", "0.5", project="ana-lab")
    (decision,) = plan(snapshot("interactive", queued)).decisions
    assert isinstance(decision.outcome, Reason)
    assert decision.outcome.message == (
        "Interactive sessions already use 2 of 2 GPUs; this one needs 0.5 GPU."
    )
    assert decision.outcome.hint == "Starts when 0.5 GPU of that is released."


def test_a_training_is_told_what_is_in_use() -> None:
    queued = make_session("q", "1", project="ana-lab", kind="train")
    (decision,) = plan(snapshot("train", queued)).decisions
    assert isinstance(decision.outcome, Reason)
    assert decision.outcome.message == "2 of 2 GPUs are in use; 1 GPU requested."


def test_what_else_a_reason_says_stays() -> None:
    why = reason("NoNodeFits", "node.none", raw="0/1 nodes").extended(
        message("quota.holders", holders="ana-lab/2000/0")
    )
    assert plain_reason(why) == reason("NoNodeFits", "node.none", raw="0/1 nodes")
    bound = reason("OverLimit", "quota.limit", project="a", used=1, limit=1, more=1, missing=1)
    assert plain_reason(bound) == bound
