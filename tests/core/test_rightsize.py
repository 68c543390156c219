"""Which share a session would do with."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.usage.rightsize import advise
from jupyter_gpuquota.model.resources import Node, Usage
from jupyter_gpuquota.model.sessions import Session
from tests.builders import (
    NOW,
    make_device,
    make_mig_device,
    make_node,
    make_placement,
    make_session,
    make_share,
    make_slice,
)

GIB = 1024
NODES = (make_node("n1", 4, simulated=False, memory=16 * GIB),)


def measured(
    gpu: str = "1", peak: float = 3.1, hours: float = 5, count: int = 1, **share: str
) -> Session:
    """Return a session that runs and has used so many GiB."""
    since = NOW - timedelta(hours=hours)
    usage = Usage(at=NOW, memory=1, peak=int(peak * GIB), since=since)
    placed = make_placement(*(make_slice(i) for i in range(count)))
    session = make_session("x", gpu, "running", placement=placed, **share)
    return msgspec.structs.replace(session, usage=usage, started=since)


@pytest.mark.parametrize(
    ("session", "verdict", "share", "said"),
    [
        (
            measured(),
            "smaller",
            make_share("0.25"),
            "peak 3.1 of 16 GiB over 5 h: 0.25 would suffice, judging by memory only.",
        ),
        (measured("0.5"), "smaller", make_share("0.25"), "peak 3.1 of 8 GiB over 5 h: 0.25"),
        (measured("0.25"), "fits", None, "peak 3.1 of 4 GiB over 5 h: the share fits."),
        (
            measured("0.1"),
            "larger",
            make_share("0.25"),
            "it exceeds its share; 0.25 would suffice.",
        ),
        (measured(peak=0), "smaller", make_share("0.05"), "peak 0 of 16 GiB over 5 h: 0.05"),
        (measured(peak=15.9), "fits", None, "the share fits."),
        (
            measured(hours=0.5),
            "early",
            None,
            "over 30 min: too early for a recommendation (after 1 h).",
        ),
        (measured("3", peak=20, count=3), "smaller", make_share("2"), "20 of 48 GiB"),
        (measured("1.5", peak=13, count=2), "smaller", make_share("1"), "13 of 24 GiB"),
        (measured("1.5", peak=20, count=2), "fits", None, "20 of 24 GiB"),
        (
            measured("", gpu_memory="8Gi"),
            "smaller",
            make_share(gpu_memory="3584Mi"),
            "peak 3.1 of 8 GiB over 5 h: 3584 MiB would suffice, judging by memory only.",
        ),
    ],
)
def test_the_next_step_above_the_peak_would_do(session, verdict, share, said):
    advice = advise(session, NODES, NOW)
    assert (advice.verdict, advice.share) == (verdict, share)
    assert said in advice.message


def test_of_mig_the_smallest_profile_that_is_there_would_do():
    device = make_mig_device(0, ("1g.5gb", "2g.10gb", "3g.20gb"))
    session = measured("", mig_profile="3g.20gb", peak=4.6)
    advice = advise(session, (Node(name="n1", devices=(device,)),), NOW)
    assert (advice.verdict, advice.share) == ("smaller", make_share(mig_profile="2g.10gb"))
    assert "MIG 2g.10gb would suffice" in advice.message


@pytest.mark.parametrize(
    ("session", "nodes", "said"),
    [
        (measured(""), NODES, "uses no GPU"),
        (measured(), (make_node("n1", 4),), "simulated GPUs"),
        (make_session("x", "1"), NODES, "it has not run"),
        (
            msgspec.structs.replace(measured(), usage=Usage(at=NOW)),
            NODES,
            "GPU memory is not measured",
        ),
        (
            msgspec.structs.replace(measured(), placement=None, state="stopped", ended=NOW),
            (Node(name="n1", devices=(make_device(0), make_device(1, memory=8 * GIB))),),
            "differ",
        ),
    ],
)
def test_what_cannot_be_measured_is_said(session, nodes, said):
    if nodes is not NODES and "simulated" not in said:
        devices = tuple(msgspec.structs.replace(d, simulated=False) for d in nodes[0].devices)
        nodes = (msgspec.structs.replace(nodes[0], devices=devices),)
    advice = advise(session, nodes, NOW)
    assert (advice.verdict, advice.share) == ("unmeasured", None)
    assert said in advice.message


def test_a_session_that_has_ended_is_advised_by_what_it_used():
    ended = msgspec.structs.replace(
        measured(), placement=None, state="stopped", ended=NOW - timedelta(hours=2)
    )
    advice = advise(ended, NODES, NOW)
    assert (advice.verdict, advice.seconds) == ("smaller", 3 * 3600)


@given(st.integers(0, 16 * GIB), st.sampled_from(["0.05", "0.3", "1", "2"]))
def test_what_is_advised_has_room_for_the_peak(peak: int, gpu: str) -> None:
    session = measured(gpu)
    assert session.usage is not None
    used = msgspec.structs.replace(session.usage, peak=peak)
    share = advise(msgspec.structs.replace(session, usage=used), NODES, NOW).share
    if share is not None:
        assert share.milli * 16 * GIB // 1000 >= peak
        assert share.milli % 50 == 0
