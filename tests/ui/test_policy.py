"""The policy for idle sessions, in shells and notebooks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from jupyter_gpuquota.client.connection.protocol import to_json
from jupyter_gpuquota.core.idle.policy import Subject
from jupyter_gpuquota.core.idle.replay import Stretch
from jupyter_gpuquota.errors import (
    InvalidFields,
    InvalidRequest,
    NotAllowed,
    NotFound,
    Outdated,
)
from jupyter_gpuquota.model.idleness import Activity, Idleness, Signal
from jupyter_gpuquota.model.policy import RULES, Policy, PolicyRequest
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.completion import Source, candidates
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.client.inmemory import InMemory
from tests.fakes import Instead, record


@pytest.fixture
def gpu(client, console):
    def gpu(line: str):
        return run(client, parse(split_line(line), terminal=True), console)

    return gpu


def wrong(gpu, line: str) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        gpu(line)
    return {field.field: field.message for field in caught.value.fields}


def row(text: str, first: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.startswith(first))


def test_all_levels_are_shown_in_one_table(gpu):
    assert row(gpu("policy show").text, "RULE") == ["RULE", "built-in"]
    gpu("policy set everyone idle_timeout=2h warn_before=15m")
    gpu("policy set kind:train action=notify")
    view = gpu("policy set project:team-a idle_timeout=4h")
    assert row(view.text, "RULE") == [
        "RULE",
        "built-in",
        "everyone",
        "project:team-a",
        "kind:train",
    ]
    assert row(view.text, "idle_timeout ") == ["idle_timeout", "never", "2h", "4h", "-"]
    assert row(view.text, "warn_before") == ["warn_before", "10m", "15m", "-", "-"]
    assert {line.split()[0] for line in view.text.splitlines()[1:]} == set(RULES)
    assert "<table" in view.html
    found = {(r["level"], r["rule"]): r["value"] for r in view.records}
    assert found["everyone", "warn_before"] == "15m"
    assert found["project:team-a", "idle_timeout"] == "4h"
    assert msgspec.json.decode(to_json(view.document), type=Policy) == view.data


def test_problems_of_the_file_are_shown_with_its_policy(gpu, backend):
    warning = "The quota file q.yaml cannot be used: Line 9: there is no key 'x'."
    backend.resident.board.warn("test", (warning,))
    view = gpu("policy show")
    assert view.text.splitlines()[-2:] == ["", warning]
    assert "q.yaml cannot be used" in str(view.body)


def test_rules_that_are_not_named_keep_their_values(gpu, backend):
    gpu("policy set everyone --idle-timeout 2h action=stop")
    gpu("policy set everyone action=suspend")
    (level,) = backend.policing.policy().levels
    assert (level.rules.idle_timeout, level.rules.action) == (7200, "suspend")


def test_rules_and_levels_are_unset(gpu, backend):
    gpu("policy set everyone idle_timeout=2h action=stop")
    gpu("policy unset everyone action")
    with pytest.raises(NotFound, match="everyone does not set action"):
        gpu("policy unset everyone action")
    gpu("policy unset everyone idle_timeout")
    assert backend.policing.policy().levels == ()
    with pytest.raises(NotFound, match="everyone sets no rule"):
        gpu("policy unset everyone")
    gpu("policy set everyone idle_timeout=2h action=stop")
    gpu("policy unset everyone")
    assert backend.policing.policy().levels == ()


def test_problems_name_the_rule_and_the_level(gpu):
    gpu("policy set project:team-a idle_timeout=4h")
    line = "policy set everyone warn_before=2h idle_timeout=1h"
    assert list(wrong(gpu, line)) == ["idle_timeout of everyone"]
    line = "policy set everyone warn_before=soon keep_alives=many"
    said = ["warn_before of everyone", "keep_alives of everyone"]
    assert list(wrong(gpu, line)) == said
    assert wrong(gpu, "policy set project:team-z action=stop") == {
        "project:team-z": "Unknown project: 'team-z'."
    }
    with pytest.raises(InvalidFields) as caught:
        gpu("policy set everyone idle_timout=2h graze=1m")
    assert [(f.field, f.hint) for f in caught.value.fields] == [
        ("idle_timout", "Did you mean idle_timeout or idle_timeout_min?"),
        ("graze", "Did you mean grace?"),
    ]
    assert wrong(gpu, "policy set everyone action action=stop idle_timeout= grace=1 grace=2") == {
        "action": "Its value is missing.",
        "idle_timeout": "Its value is missing.",
        "grace": "It is given twice.",
    }


@pytest.mark.parametrize(
    "line",
    [
        "policy",
        "policy set",
        "policy set everyone",
        "policy show everyone",
        "policy explain",
        "policy explain exp1 idle_timeout",
        "policy exempt user:ana --reason x",
        "policy unexempt",
        "policy unset everyone --until 3d",
        "policy show -p team-a",
        "policy show --dry-run",
        "policy try everyone idle_timeout=2h",
        "policy show --idle-timeout 2h",
        "policy set --idle-timeout 2h",
        "policy unset everyone --idle-timeout 2h",
    ],
)
def test_wrong_combinations_are_refused(gpu, line):
    with pytest.raises(InvalidRequest):
        gpu(line)


def test_exemptions_are_added_and_removed(gpu, client, backend):
    session = client.sessions.submit("exp1", gpu=0.5)
    gpu('policy exempt user:ana --until 3d --reason "demo for the board"')
    gpu("policy exempt session:exp1 --until 2099-03-01T18:00+01:00 --reason long")
    whom = {e.who: e.until for e in backend.policing.policy().exemptions}
    assert whom[f"session:{session.id}"] == datetime(2099, 3, 1, 17, tzinfo=UTC)
    assert timedelta(days=2) < whom["user:ana"] - datetime.now(UTC) < timedelta(days=4)
    text = gpu("policy show").text
    assert row(text, "user:ana")[-4:] == ["demo", "for", "the", "board"]
    assert row(text, "session:exp1")[1:3] == ["2099-03-01", "17:00"]
    assert "session:exp1 is exempt" not in text
    gpu("policy exempt user:ana --until 1d --reason shorter")
    assert len(backend.policing.policy().exemptions) == 2
    gpu("policy exempt session:exp1 --until 1d --reason shorter")
    assert {e.reason for e in backend.policing.policy().exemptions} == {"shorter"}
    assert len(backend.policing.policy().exemptions) == 2
    gpu("policy unexempt session:exp1")
    gpu("policy unexempt user:ana")
    assert backend.policing.policy().exemptions == ()
    for line in ("policy unexempt user:ana", "policy unexempt session:gone"):
        with pytest.raises(NotFound):
            gpu(line)


def test_problems_of_an_exemption_name_its_words(gpu):
    gpu("policy exempt user:ana --until 3d --reason long")
    assert list(wrong(gpu, "policy exempt ben --until never --reason ' '")) == [
        "who",
        "reason",
        "until",
    ]
    assert wrong(gpu, "policy exempt user:ben --until 2001-01-01 --reason x") == {
        "until": "This time has passed."
    }
    for who, message in (
        ("session:gone", "Session 'gone' not found."),
        ("project:gone", "Unknown project: 'gone'."),
    ):
        assert wrong(gpu, f"policy exempt {who} --until 1d --reason x") == {"who": message}


def test_an_explanation_names_the_level_of_each_rule_and_the_signals(
    gpu, client, backend, transport
):
    client.sessions.submit("exp1", gpu=0.5, project="team-a")
    gpu("policy set everyone idle_timeout=2h")
    gpu("policy set project:team-a action=stop")
    view = gpu("policy explain exp1")
    assert row(view.text, "idle_timeout ") == ["idle_timeout", "2h", "everyone", "-"]
    assert row(view.text, "action") == ["action", "stop", "project:team-a", "-"]
    assert "No activity check yet." in view.text
    assert "exp1: active" not in view.text
    now = datetime.now(UTC)
    since = now - timedelta(minutes=22, seconds=5)
    idle = Idleness(
        since=since,
        rule="idle_timeout",
        level="project:team-a",
        action="stop",
        acts=since + timedelta(hours=2),
    )
    signals = tuple(
        Signal(name=name, state="idle", last=since, detail="Nothing.")
        for name in ("kernels", "terminals", "gpu")
    )

    async def activity(session_id: str) -> Activity:
        await backend.policing.activity(session_id)
        return Activity(session=session_id, at=now, signals=signals, idle=idle)

    seen = Instead(backend.policing, activity=activity)
    transport.backend = replace(backend, policing=seen)
    gpu('policy exempt user:me --until 2099-01-01T00:00Z --reason "A demo."')
    view = gpu("policy explain exp1")
    said = f"will be stopped at {since + timedelta(hours=2):%H:%M} UTC by team-a's policy."
    for text in (
        "exp1: idle for 22 min (no kernel, terminal or GPU activity), " + said,
        "exp1 is exempt until 2099-01-01 00:00 UTC: A demo.",
    ):
        assert text in view.text
    assert "a&#x27;s policy" in view.html
    assert row(view.text, "kernels")[1] == "idle"
    assert [r["rule"] for r in view.records] == list(RULES)
    assert set(msgspec.json.decode(to_json(view.document))) == {"policy", "activity"}
    client.sessions.stop("exp1")
    assert (
        "exp1 is stopped. Only running sessions have activity." in gpu("policy explain exp1").text
    )


def test_details_show_the_effective_policy(gpu, client):
    client.sessions.submit("exp1", gpu=0.5, project="team-a")
    assert row(gpu("describe exp1").text, "idle policy")[2:] == ["none"]
    gpu("policy set everyone idle_timeout=2h warn_before=15m")
    gpu("policy set project:team-a gpu_idle_timeout=30m")
    said = "idle_timeout 2h (everyone), warn_before 15m (everyone), action suspend (built-in)"
    text = gpu("describe exp1").text
    assert f"{said}, gpu_idle_timeout 30m (project:team-a)" in text


def test_a_session_is_kept_alive(gpu, client, backend):
    client.sessions.submit("exp1", gpu=0.5)
    gpu("policy set everyone idle_timeout=2h keep_alive=2h")
    before = datetime.now(UTC)
    view = gpu("keep-alive exp1 30m")
    until = client.sessions.get("exp1").kept.until
    assert before < until - timedelta(minutes=30) < datetime.now(UTC)
    assert view.text == f"exp1 is kept alive until {until:%H:%M} UTC."
    assert view.records == [{"name": "exp1", "kept_until": until, "times": 1}]
    listed = gpu("list").text
    assert f"exp1: kept alive until {until:%H:%M} UTC" in listed
    with pytest.raises(NotAllowed, match="2h at a time"):
        gpu("keep-alive exp1 3h")
    assert list(wrong(gpu, "keep-alive exp1 soon")) == ["span"]
    assert client.keep_alive("exp1").kept.times == 2


def test_the_audit_log_shows_changed_rules(gpu):
    gpu("policy set everyone idle_timeout=2h")
    gpu("policy set everyone idle_timeout=1h")
    gpu("policy exempt user:ana --until 2099-01-01T00:00Z --reason long")
    lines = gpu("project audit").text.splitlines()
    assert "user:ana is exempt until 2099-01-01 00:00 UTC: long" in lines[1]
    assert "everyone idle_timeout 2h → 1h" in lines[2]
    assert "everyone idle_timeout unset → 2h" in lines[3]


def test_only_administrators_set_the_policy(gpu, backend, transport):
    transport.user = "ben"
    assert gpu("policy show").data == backend.policing.policy()
    for line in (
        "policy set everyone idle_timeout=2h",
        "policy exempt user:ana --until 3d --reason x",
    ):
        with pytest.raises(NotAllowed):
            gpu(line)


def test_the_second_of_two_concurrent_changes_is_refused(client, backend):
    made = client.policy.set("everyone", idle_timeout="2h")
    later = client.policy.set("everyone", idle_timeout="3h")
    with pytest.raises(Outdated):
        client.context.call("policy.put", body=PolicyRequest(revision=made.revision))
    assert backend.policing.policy().levels == later.levels


def test_a_dry_run_says_whom_it_would_have_ended_and_changes_nothing(gpu, client, backend):
    session = client.sessions.submit("exp1", gpu=0.5, project="team-a")
    assert gpu("policy set everyone idle_timeout=1d --dry-run").text == (
        "No activity is recorded yet."
    )
    now = int(datetime.now(UTC).timestamp())
    who = Subject(session.id, "me", "team-a", "interactive")
    record(backend, [Stretch(who, now - 9000, now, idle=True)])
    for line, count in (
        ("policy set everyone idle_timeout=1d --dry-run", "0 idle sessions"),
        ("policy set everyone idle_timeout=45m --dry-run", "1 idle session"),
        ("policy set everyone idle_timeout=45m action=notify --dry-run", "0 idle sessions"),
    ):
        view = gpu(line)
        assert view.text == (
            f"It would have ended {count} in the last 2 h 30 min (no earlier activity is recorded)."
        )
        assert view.text in view.html
        assert backend.policing.policy().levels == ()
    gpu("policy set everyone idle_timeout=45m warn_before=5m")
    assert "ended 0 idle sessions" in gpu("policy unset everyone --dry-run").text
    assert len(backend.policing.policy().levels) == 1
    line = "policy set everyone warn_before=soon --dry-run"
    assert list(wrong(gpu, line)) == ["warn_before of everyone"]


@pytest.mark.parametrize(
    ("line", "example"),
    [
        ("policy set idle_timeout=30m", "idle_timeout=30m"),
        ("policy set idle_timeout=30m action=stop", "idle_timeout=30m action=stop"),
        ("policy set --idle-timeout 30m", "idle_timeout=30m"),
        ("policy set", "idle_timeout=2h"),
    ],
)
def test_a_level_that_is_missing_is_asked_for(gpu, line, example):
    with pytest.raises(InvalidRequest) as caught:
        gpu(line)
    assert caught.value.message == "Choose a level: everyone, project:NAME or kind:KIND."
    assert caught.value.hint == f"For example: policy set everyone {example}."


def test_a_short_timeout_needs_no_second_rule(gpu):
    gpu("policy set everyone idle_timeout=5m")
    assert list(wrong(gpu, "policy set everyone warn_before=10m")) == ["idle_timeout of everyone"]


def test_levels_rules_and_values_are_completed(gpu, client, backend):
    client.sessions.submit("exp1", gpu=0.5)
    gpu("policy set everyone idle_timeout=2h")
    gpu("policy exempt user:ana --until 3d --reason long")
    source = Source(lambda: InMemory(backend))
    for words, some in (
        (["policy"], {"show", "set", "explain"}),
        (["policy", "set"], {"everyone", "project:team-a", "kind:train", "--grace"}),
        (["policy", "set", "everyone"], {"idle_timeout=", "action=suspend", "action=notify"}),
        (["policy", "unset"], {"everyone"}),
        (["policy", "unset", "everyone"], {"idle_timeout"}),
        (["policy", "explain"], {"exp1"}),
        (["policy", "exempt"], {"user:me", "session:exp1", "project:team-b"}),
        (["policy", "unexempt"], {"user:ana"}),
        (["keep-alive"], {"exp1"}),
    ):
        assert some <= set(candidates(words, source)), words
    assert "everyone" not in candidates(["policy", "set", "everyone"], source)


def test_a_program_does_the_same(client):
    client.sessions.submit("exp1", gpu=0.5)
    client.policy.set("everyone", idle_timeout="2h")
    found = client.policy.explain("exp1")
    assert found.rules[0].level == "everyone"
    assert client.activity("exp1").looked is False
    assert client.keep_alive("exp1", "1h").kept.times == 1
    client.policy.exempt("user:ana", until=datetime(2099, 1, 1, tzinfo=UTC), reason="x")
    client.policy.unexempt("user:ana")
    assert client.policy.unset("everyone").levels == ()


def test_a_notebook_sets_a_policy(client, console):
    line = "policy set everyone idle_timeout=2h"
    view = run(client, parse(split_line(line), terminal=False), console)
    assert "<table" in view.html
