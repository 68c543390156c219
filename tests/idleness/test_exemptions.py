"""Whom the policy may except, and until when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import msgspec
import pytest

from jupyter_gpuquota.core.idle.exemptions import current, named, without_project
from jupyter_gpuquota.core.idle.policy import NO_POLICY
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.policy import (
    Exemption,
    ExemptionRequest,
    Policy,
    PolicyLevel,
    PolicyRequest,
    PolicyRules,
)
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW, make_session

PROJECTS = ("team-a", "team-b")
SESSIONS = (
    make_session("one", project="team-a"),
    msgspec.structs.replace(make_session("both", project="team-a"), id="id-a"),
    msgspec.structs.replace(make_session("both", project="team-b"), id="id-b"),
    # It is called what another one has as its id.
    msgspec.structs.replace(make_session("id-one", project="team-b"), id="id-c"),
)


def exemption(who: str, hours: int = 1, reason: str = "A demo.") -> Exemption:
    return Exemption(who=who, until=NOW + timedelta(hours=hours), reason=reason)


def policy(*exemptions: Exemption) -> Policy:
    return msgspec.structs.replace(NO_POLICY, exemptions=exemptions)


def name(
    *whom: str, before: Policy = NO_POLICY, sessions: Sequence[Session] = SESSIONS
) -> tuple[list[str], dict[str, tuple[str, str]]]:
    asked = tuple(ExemptionRequest(who=who, until="", reason="") for who in whom)
    found, wrong = named(PolicyRequest(exemptions=asked), before, PROJECTS, sessions)
    errors = {error.field: (error.message, error.hint) for error in wrong}
    return [each.who for each in found.exemptions], errors


@pytest.mark.parametrize(
    ("who", "kept"),
    [
        ("session:one", "session:id-one"),
        ("session: one ", "session:id-one"),
        ("session:id-one", "session:id-one"),
        ("session:id-a", "session:id-a"),
        ("session:team-b/both", "session:id-b"),
        ("session:team-b/id-one", "session:id-c"),
        ("project:team-b", "project:team-b"),
        ("user:anybody", "user:anybody"),
        ("nonsense", "nonsense"),  # it is refused elsewhere
        ("session:", "session:"),
        ("project:", "project:"),
    ],
)
def test_a_session_is_kept_by_its_id(who: str, kept: str) -> None:
    assert name(who) == ([kept], {})


@pytest.mark.parametrize(
    ("who", "message", "hint"),
    [
        (
            "session:two",
            "Session 'two' not found.",
            "Sessions: both, id-one, one.",
        ),
        ("session:team-b/one", "Session 'team-b/one' not found.", "Did you mean one or id-one?"),
        (
            "session:both",
            "2 sessions are named both: team-a/both, team-b/both.",
            "Add the project",
        ),
        ("project:team-z", "Unknown project: 'team-z'.", "Projects: team-a and team-b."),
    ],
)
def test_who_cannot_be_found_is_no_one_to_except(who: str, message: str, hint: str) -> None:
    _, wrong = name("user:ana", who)
    assert list(wrong) == ["exemptions[1].who"]
    said, advice = wrong["exemptions[1].who"]
    assert said == message
    assert hint in advice


def test_a_hint_names_a_few_of_the_sessions() -> None:
    many = [make_session(f"s{n:02}") for n in range(30)]
    _, wrong = name("session:gone", sessions=many)
    assert wrong["exemptions[0].who"][1].endswith("s08, s09, ….")
    _, wrong = name("session:gone", sessions=())
    assert wrong["exemptions[0].who"][1].endswith("No sessions yet.")


def test_who_is_gone_meanwhile_stays() -> None:
    whom = ("session:id-gone", "project:team-gone", "session:both")
    before = policy(*map(exemption, whom))
    assert name(*whom, before=before) == (list(whom), {})
    _, wrong = name(*whom, "session:id-other", before=before)
    assert list(wrong) == ["exemptions[3].who"]


def test_what_is_over_goes_unless_it_is_new() -> None:
    before = policy(exemption("user:ana", -1))
    later = exemption("user:ben")
    both = policy(*before.exemptions, later)
    assert current(both, before, NOW).exemptions == (later,)
    with pytest.raises(InvalidFields, match=r"^1 invalid field\.") as caught:
        current(both, NO_POLICY, NOW)
    assert [field.field for field in caught.value.fields] == ["exemptions[0].until"]


def test_what_is_over_must_be_prolonged_to_be_changed() -> None:
    before = policy(exemption("user:ana", -1))
    with pytest.raises(InvalidFields):
        current(policy(exemption("user:ana", -1, "A longer demo.")), before, NOW)
    longer = policy(exemption("user:ana", 2))
    assert current(longer, before, NOW) == longer


def test_a_new_exemption_replaces_the_one_that_stands() -> None:
    before = policy(exemption("user:ana", 5), exemption("user:ben"))
    shorter = exemption("user:ana", 2)
    found = current(policy(*before.exemptions, shorter), before, NOW)
    assert found.exemptions == (before.exemptions[1], shorter)
    again = policy(*before.exemptions, before.exemptions[0])
    assert current(again, before, NOW) == before


def test_nothing_is_said_of_a_project_that_is_gone() -> None:
    level = PolicyLevel(level="project:team-a", rules=PolicyRules(idle_timeout=60))
    everyone = PolicyLevel(level="everyone", rules=PolicyRules(idle_timeout=120))
    whole = msgspec.structs.replace(
        policy(exemption("user:ana"), exemption("project:team-a")), levels=(everyone, level)
    )
    left = without_project(whole, "team-a")
    assert left.levels == (everyone,)
    assert [each.who for each in left.exemptions] == ["user:ana"]
    assert without_project(left, "team-a") == left
