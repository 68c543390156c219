"""Every word of a preview is what then happens."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.core import lifecycle
from jupyter_gpuquota.core.forecast.impact import SteadyState, settle
from jupyter_gpuquota.core.forecast.previews import preview
from jupyter_gpuquota.core.forecast.waiting import starts
from jupyter_gpuquota.core.idle import lifetime
from jupyter_gpuquota.core.names import mention
from jupyter_gpuquota.core.requests.feasibility import check_possible
from jupyter_gpuquota.core.scheduling.holders import held_by
from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.quota import Project, Rules
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import MILLI, Node, Placement, Share
from jupyter_gpuquota.model.sessions import Session, SessionSpec
from tests.builders import NOW, make_node, make_spec
from tests.core.rounds import play
from tests.core.test_fairness import NAMES, arrivals, nodes, projects, rules, waves, wishes

ID = "\uffff"

fates = st.lists(st.sampled_from(["stays", "stays", "stops", "ends"]), min_size=20, max_size=20)
"""What running sessions do: stay, stop now, or end at a known time."""


def state_of(
    found: list[list[tuple[str, str, dict[str, str], int]]],
    teams: tuple[Project, ...],
    machines: list[Node],
    admin: Rules,
    after: list[str],
) -> ClusterSnapshot:
    """Return a state in which some sessions are being stopped, and the ends of others are known."""
    sessions: dict[str, Session] = {}
    for wave in waves(found):
        sessions, _ = play([*sessions.values(), *wave], teams, machines, admin)
    now = NOW + timedelta(hours=1)
    changed = []
    for number, (session, fate) in enumerate(zip(sessions.values(), after, strict=False)):
        if fate == "stops" and session.placement:
            changed.append(lifecycle.request_end(session, "stop", now))
        elif fate == "ends" and session.placement:
            ends = now + timedelta(minutes=10 + number // 2)
            changed.append(msgspec.structs.replace(session, ends=ends))
        else:
            changed.append(session)
    return ClusterSnapshot(changed, teams, machines, now, admin)


def asked(state: ClusterSnapshot, spec: SessionSpec) -> ClusterSnapshot:
    """Return the state with a request."""
    now = state.now
    new = Session(id=ID, spec=spec, owner="", state="waiting", since=now, created=now, path="")
    return replace(state, sessions=[*state.sessions, new])


def starts_now(state: ClusterSnapshot, spec: SessionSpec) -> bool:
    """Return whether a request starts at once and runs on, at nobody's cost."""
    outcome = {d.session: d.outcome for d in plan(asked(state, spec)).decisions}[ID]
    rest = settle(asked(state, spec))
    return isinstance(outcome, Placement) and not rest.lost and bool(rest.sessions[ID].placement)


asks = st.one_of(
    wishes,
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(["interactive", "interactive-spot", "train"]),
        st.integers(1, 999).map(lambda milli: {"gpu": f"{milli / 1000:.3f}"}),
        st.sampled_from([0, 10, 100]),
    ),
)
settings_of_admins = st.one_of(
    rules, st.builds(Rules, consolidate=st.booleans(), min_runtime=st.sampled_from([300, 5400]))
)


@settings(max_examples=settings().max_examples // 2)
@given(arrivals, projects, nodes, settings_of_admins, fates, asks)
@example(
    [
        [
            ("team-a", "interactive", {"gpu": "1"}, 10),
            ("team-a", "interactive-spot", {"gpu": "0.1"}, 10),
            ("team-c", "interactive", {"gpu": "0.1"}, 10),
            ("team-c", "interactive-spot", {"gpu": "0.3"}, 10),
        ],
        [
            ("team-b", "interactive", {"gpu": "0.3"}, 10),
            ("team-b", "interactive-spot", {"gpu": "0.3"}, 10),
        ],
        [("team-b", "interactive", {"gpu": "0.1"}, 10)],
    ],
    (
        Project(name="team-a", quota=0, weight=1000, priority=50),
        Project(name="team-b", quota=300, priority=50),
        Project(name="team-c", quota=300, priority=100),
    ),
    [make_node("n0", 1)],
    Rules(),
    ["stays"] * 20,
    ("team-a", "interactive-spot", {"gpu": "0.1"}, 10),
)  # it starts on what is taken back for another session
@example(
    [
        [
            ("team-a", "interactive", {"gpu": "0.1"}, 10),
            ("team-a", "interactive", {"gpu": "0.1"}, 10),
            ("team-a", "interactive", {"gpu": "1"}, 10),
            ("team-a", "interactive", {"gpu": "0.1"}, 10),
            ("team-a", "interactive", {"gpu": "0.3"}, 10),
        ],
        [
            ("team-a", "interactive", {"gpu": "0.1"}, 10),
            ("team-a", "interactive", {"gpu": "0.1"}, 10),
            ("team-a", "interactive", {"gpu": "3"}, 10),
            ("team-a", "interactive-spot", {"gpu": "0.3"}, 10),
        ],
    ],
    (
        Project(name="team-a", quota=4000, priority=50),
        Project(name="team-b", quota=0, priority=50),
        Project(name="team-c", quota=0, priority=50),
    ),
    [make_node("n0", 1), make_node("n1", 1), make_node("n2", 3)],
    Rules(),
    ["stays", "stays", "stops", *["stays"] * 17],
    ("team-a", "interactive-spot", {"gpu": "0.3"}, 10),
)  # the place where it would start is needed for another session
def test_what_is_said_comes_true(
    found: list[list[tuple[str, str, dict[str, str], int]]],
    teams: tuple[Project, ...],
    machines: list[Node],
    admin: Rules,
    after: list[str],
    wish: tuple[str, str, dict[str, str], int],
) -> None:
    state = state_of(found, teams, machines, admin, after)
    team, kind, share, priority = wish
    spec = make_spec("new", project=team, kind=kind, priority=priority, **share)
    project = next(each for each in teams if each.name == team)
    if check_possible(spec.share, spec.kind, "", machines, project):
        return
    said = preview(spec, state)
    rest = settle(asked(state, spec))
    runs = rest.sessions[ID].placement is not None
    anyway = set(settle(state).lost)
    held = [s for s in state.sessions if s.placement]
    lost = [s for s in held if s.id in rest.lost and s.id not in anyway]
    if said.verdict in {"fits", "borrows"}:
        assert starts_now(state, spec) or (runs and not lost)
        assert rest.sessions[ID].placement == said.placement
    elif said.verdict == "reclaims":
        assert runs
        in_order = [s for name in rest.lost for s in lost if s.id == name]
        assert said.sentences[1].args["sessions"] == mention(in_order, team)
        assert said.sentences[1].args["freed"] == sum(map(held_by, lost)) > 0
        assert said.preempts == tuple(s.id for s in in_order)
        if said.sentences[0].key == "preview.within":
            assert rest.started(ID) == 1
            assert not any(s.state == "stopping" for s in held)
    elif runs:
        assert said.reason is not None
        assert said.reason.code == "BeingReclaimed"
        assert said.queue_position == rest.decision(ID).ahead + 1
        assert not lost
    else:
        _waits_as_said(said, state, spec, rest)


def _waits_as_said(
    said: Preview, state: ClusterSnapshot, spec: SessionSpec, rest: SteadyState
) -> None:
    decision = next(d for d in rest.last.decisions if d.session == ID)
    assert isinstance(decision.outcome, Reason)
    assert (said.reason, said.queue_position) == (decision.outcome, decision.ahead + 1)
    if said.nearest:
        assert starts_now(state, msgspec.structs.replace(spec, share=said.nearest))
        if more := _next(said.nearest, spec.share):
            assert not starts_now(state, msgspec.structs.replace(spec, share=more))
    assert starts(asked(state, spec)).get(ID) == said.expected
    if said.expected:
        assert not _runs_at(state, spec, said.expected - timedelta(seconds=1))
        assert _runs_at(state, spec, said.expected)


def _next(share: Share, below: Share) -> Share | None:
    """Return the next larger share of the same form that is smaller than another one."""
    more = share.milli + (MILLI if share.devices else 1)
    small = bool(share.milli) and more < min(below.milli, MILLI if not share.devices else more + 1)
    return msgspec.structs.replace(share, milli=more) if small else None


def _runs_at(state: ClusterSnapshot, spec: SessionSpec, at: datetime) -> bool:
    """Return whether a request runs at a later time, if nothing unknown happens.

    Nothing may end then, but the time for which the minimum run time protects sessions.
    """
    sessions = dict(settle(asked(state, spec)).sessions)
    moments = sorted({at, *(s.ends for s in sessions.values() if s.ends and s.ends <= at)})
    for moment in moments:
        for session in list(sessions.values()):
            if session.placement and session.ends and session.ends <= moment:
                ended = lifetime.end(session, moment)
                sessions[session.id] = lifecycle.finish_end(ended, moment)
        now = replace(state, sessions=tuple(sessions.values()), now=moment)
        sessions = dict(settle(now).sessions)
    return sessions[ID].placement is not None
