"""Where a request with several places goes next: a table of cases, and any sequence of events."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from jupyter_gpuquota.core import fallback_views, fallbacks
from jupyter_gpuquota.core.fallbacks import Act, Event, Place, Record, Step, next_act
from jupyter_gpuquota.model.messages.build import reason
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.struct import Message
from tests.builders import NOW, make_session, make_spec

HERE, CLOUD, FAR = "", "cloud", "far"
ALL = frozenset({HERE, CLOUD, FAR})
MINUTE = timedelta(minutes=1)


def place(cluster: str, refused: str = "") -> Place:
    name = cluster or "lab"
    project = f"{cluster}/team-a" if cluster else "team-a"
    return Place(name=name, cluster=name, spec=make_spec(project=project), refused=refused)


def record(step: Step = "waiting", current: int = 0, **fields: object) -> Record:
    given_ = {
        "id": "id-exp-1",
        "owner": "me",
        "created": NOW,
        "since": NOW,
        "wait": 600,
        "places": (place(HERE), place(CLOUD), place(FAR)),
    }
    return Record(**given_ | {"step": step, "current": current} | fields)


QUEUED = make_session()
STARTED = structs.replace(make_session(state="running"), run=1)
ONCE = structs.replace(make_session(), run=1)
STOPPED = make_session(state="stopped")
NOTED = (Event(at=NOW, what=Message(text="moved the session")),)
LATE, EARLY = NOW + 10 * MINUTE, NOW + 9 * MINUTE


@pytest.mark.parametrize(
    ("found", "session", "usable", "now", "act"),
    [
        (record("submitting"), None, ALL, NOW, Act.SUBMIT),
        (record("submitting"), QUEUED, ALL, NOW, Act.ARRIVED),
        (record("submitting"), STARTED, ALL, NOW, Act.ARRIVED),
        (record("submitting", 1), None, {HERE}, NOW, Act.NOTHING),
        (record(), QUEUED, ALL, EARLY, Act.NOTHING),
        (record(), QUEUED, ALL, LATE, Act.WITHDRAW),
        (record(), QUEUED, {HERE}, LATE, Act.NOTHING),
        (record(), QUEUED, {HERE, FAR}, LATE, Act.WITHDRAW),
        (record(), QUEUED, {CLOUD, FAR}, LATE, Act.NOTHING),
        (record(), STARTED, ALL, LATE, Act.SETTLE),
        (record(), ONCE, ALL, LATE, Act.SETTLE),
        (record(), STOPPED, ALL, EARLY, Act.SETTLE),
        (record(), None, ALL, EARLY, Act.FORGET),
        (record(current=2), QUEUED, ALL, LATE, Act.NOTHING),
        (record(last=True), QUEUED, ALL, LATE, Act.NOTHING),
        (record("withdrawing"), QUEUED, ALL, LATE, Act.WITHDRAW),
        (record("withdrawing"), None, ALL, LATE, Act.GO_ON),
        (record("withdrawing"), STARTED, ALL, LATE, Act.SETTLE),
        (record("withdrawing"), None, {CLOUD}, LATE, Act.NOTHING),
        (record("settled"), QUEUED, ALL, LATE, Act.NOTHING),
        (record("settled"), None, ALL, LATE, Act.FORGET),
        (record("settled"), None, {CLOUD}, LATE, Act.NOTHING),
        (record("ended"), None, ALL, LATE, Act.NOTHING),
        (record("ended"), QUEUED, ALL, LATE, Act.END),
        (record("ended"), STARTED, ALL, LATE, Act.END),
        (record("ended"), STOPPED, ALL, LATE, Act.SETTLE),
        (record("settled", events=NOTED), None, {CLOUD}, LATE, Act.AUDIT),
        (record("submitting", events=NOTED), None, ALL, NOW, Act.AUDIT),
    ],
)
def test_what_is_done_next(
    found: Record, session: Session | None, usable: frozenset[str], now: datetime, act: Act
) -> None:
    assert next_act(found, session, usable, now) is act


def test_it_goes_on_to_the_next_that_can_be_used() -> None:
    at_once = fallbacks.went_on(record("withdrawing"), ALL, NOW)
    assert [each.what.args["span"] for each in at_once.events] == [0]
    after = fallbacks.went_on(record("withdrawing"), ALL, LATE)
    assert (after.current, after.step, after.since) == (1, "submitting", LATE)
    assert [line.message for line in after.steps] == ["Waited 10 min in lab; now in cloud"]
    assert fallbacks.went_on(record("withdrawing"), {HERE, FAR}, LATE).current == 2
    # None of them: it is created in the next all the same, as soon as that can be reached.
    assert fallbacks.went_on(record("withdrawing"), {HERE}, LATE).current == 1


def test_the_last_place_waits_without_limit() -> None:
    assert fallbacks.due(fallbacks.arrived(record("submitting", 1), NOW)) == LATE
    last = fallbacks.arrived(record("submitting", 2), NOW)
    assert fallbacks.due(last) is None


def test_a_place_that_refuses_is_left_out() -> None:
    after = fallbacks.refused(record("submitting", 1), "The name is taken.", LATE)
    assert (after.current, after.places[1].refused) == (2, "The name is taken.")
    back = fallbacks.refused(after, "No.", LATE)
    assert (back.current, back.step, back.last) == (0, "submitting", True)
    assert fallbacks.due(fallbacks.arrived(back, LATE)) is None
    none = fallbacks.refused(back, "Closed.", LATE)
    assert (none.step, none.state) == ("ended", "failed")
    assert fallback_views.alone(none).reason == reason("NoPlace", "fallback.refused", why="Closed.")
    again = fallbacks.again(none, LATE)
    assert (again.current, again.step) == (0, "submitting")
    assert [each.refused for each in again.places] == ["", "", ""]


def test_what_happens_is_an_event_for_the_audit_log_until_it_is_there() -> None:
    moved = fallbacks.went_on(record("withdrawing"), ALL, LATE)
    refused = fallbacks.refused(moved, "The name is taken.", LATE)
    nowhere = structs.replace(refused, places=(place(HERE, "No."), place(CLOUD, "No."), place(FAR)))
    ended = fallbacks.refused(nowhere, "Closed.", LATE)
    assert [each.what.text for each in ended.events] == [
        "moved the session team-a/exp-1 of me from lab to cloud (cloud/team-a): "
        "it had not started after 10 min",
        "moved the session cloud/team-a/exp-1 of me from cloud to far (far/team-a): "
        "cloud refused it: The name is taken.",
        "ended the session far/team-a/exp-1 of me: no place takes it; far refused it: Closed.",
    ]
    assert {each.at for each in ended.events} == {LATE}
    assert fallbacks.audited(ended).events == ()


def test_a_session_is_shown_with_its_list() -> None:
    why = reason("OverQuota", "reclaim.stopping")
    session = structs.replace(QUEUED, reason=why)
    shown = fallback_views.shown(record(), session, ALL)
    assert shown.fallback is not None
    assert (shown.fallback.cluster, shown.fallback.until, shown.fallback.next) == ("lab", LATE, 1)
    assert shown.reason is not None
    assert shown.reason.message.endswith("it goes on to cloud.")
    away = fallback_views.shown(record(), session, {HERE})
    assert away.reason is not None
    assert away.reason.message.endswith("It goes on to cloud once that can be reached.")
    assert away.fallback is not None
    assert (away.fallback.until, away.fallback.next) == (None, 1)
    running = fallback_views.shown(fallbacks.settled(record()), STARTED, ALL)
    assert running.reason is None
    assert running.fallback is not None
    assert (running.fallback.until, running.fallback.next) == (None, None)


def test_a_template_is_named_with_its_cluster() -> None:
    places = (place(HERE), structs.replace(place(HERE), name="small"))
    found = record(places=places)
    queued = structs.replace(QUEUED, reason=reason("OverQuota", "reclaim.stopping"))
    shown = fallback_views.shown(found, queued, ALL).reason
    assert shown is not None
    assert shown.message.endswith("it goes on to small (lab).")
    after = fallbacks.went_on(fallbacks.withdrawing(found), ALL, LATE)
    assert after.steps[0].message == "Waited 10 min in lab; now in small (lab)"


def test_a_session_in_no_place_is_queued_all_the_same() -> None:
    session = fallback_views.alone(record("submitting", 1))
    assert (session.id, session.state, session.spec.project) == (
        "id-exp-1",
        "waiting",
        "cloud/team-a",
    )
    assert session.reason is not None
    assert session.reason.message == "Moves to cloud."
    assert session.fallback is not None
    assert session.fallback.moving


class World:
    """Clusters and a controller that may be killed after each call."""

    def __init__(self) -> None:
        self.record, self.now, self.usable = record("submitting"), NOW, set(ALL)
        self.there: dict[int, Session] = {}
        self.log: set[tuple[datetime, str]] = set()

    def later(self) -> None:
        self.now += 10 * MINUTE

    def starts(self) -> None:
        self.there = dict.fromkeys(self.there, STARTED)

    def goes(self) -> None:
        self.usable.discard(CLOUD)

    def comes(self) -> None:
        self.usable.add(CLOUD)

    def acts(self, *, lost: bool = False, refuses: bool = False) -> None:
        """Do what is due; its answer may be `lost` with the controller."""
        found, now = self.record, self.now
        session = self.there.get(found.current)
        act = next_act(found, session, self.usable, now)
        steps = {
            Act.ARRIVED: lambda: fallbacks.arrived(found, now),
            Act.GO_ON: lambda: fallbacks.went_on(found, self.usable, now),
            Act.SETTLE: lambda: fallbacks.settled(found),
            Act.SUBMIT: lambda: self.submit(lost=lost, refuses=refuses),
            Act.WITHDRAW: lambda: self.withdraw(session, lost=lost),
            Act.AUDIT: lambda: self.audit(lost=lost),
            Act.NOTHING: lambda: found,
        }
        self.record = steps[act]()

    def audit(self, *, lost: bool) -> Record:
        self.log |= pending(self.record)
        return self.record if lost else fallbacks.audited(self.record)

    def submit(self, *, lost: bool, refuses: bool) -> Record:
        if refuses:
            return fallbacks.refused(self.record, "No.", self.now)
        self.there[self.record.current] = QUEUED
        return self.record if lost else fallbacks.arrived(self.record, self.now)

    def withdraw(self, session: Session | None, *, lost: bool) -> Record:
        assert session == QUEUED
        del self.there[self.record.current]
        noted = fallbacks.withdrawing(self.record)
        return noted if lost else fallbacks.went_on(noted, self.usable, self.now)


def pending(found: Record) -> set[tuple[datetime, str]]:
    return {(event.at, event.what.text) for event in found.events}


EVENTS = {
    "acts": World.acts,
    "acts, and is killed": lambda world: world.acts(lost=True),
    "is refused": lambda world: world.acts(refuses=True),
    "starts": World.starts,
    "later": World.later,
    "the cloud goes": World.goes,
    "the cloud comes": World.comes,
}


@given(names=st.lists(st.sampled_from(sorted(EVENTS)), max_size=40))
def test_it_is_never_in_two_places_and_never_leaves_once_it_has_started(names: list[str]) -> None:
    world, started = World(), False
    for name in names:
        EVENTS[name](world)
        assert len(world.there) <= 1
        assert not started or STARTED in world.there.values()
        assert len(world.log | pending(world.record)) == len(world.record.steps)
        started = STARTED in world.there.values()
