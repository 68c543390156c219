"""The policy for idle sessions as an admin sets it in a shell, with a controller that keeps it."""

from __future__ import annotations

import json
import re

from tests.shell import wait_for


def test_a_policy_is_set_refused_explained_and_kept(shell):
    assert "built-in  everyone" in shell.ok("policy", "set", "everyone", "idle_timeout=2h")
    refused = shell("policy", "set", "everyone", "warn_before=3h")
    assert refused.code == 2
    assert "  idle_timeout of everyone: The warning comes 3h before, but" in refused.err
    assert "levels[" not in refused.err
    refused = shell("submit", "exp1", "--idle-timeout", "3h", "--", "sleep", "600")
    assert refused.code == 2
    assert "idle_timeout: 3h is longer than the most that everyone's policy allows" in refused.err
    shell.ok("submit", "exp1", "--idle-timeout", "1h", "--wait", "--", "sleep", "600")
    found = shell.json("policy", "explain", "exp1")
    rules = {rule["rule"]: (rule["value"], rule["level"]) for rule in found["policy"]["rules"]}
    assert rules["idle_timeout"] == ("1h", "session")
    assert "exp1 is kept alive until" in shell.ok("keep-alive", "exp1", "30m")
    too_long = shell("keep-alive", "exp1", "2h")
    assert (too_long.code, "1h at a time" in too_long.err) == (5, True)
    shell.ok("project", "set", "team-c", "--quota", "1")
    shell.ok("policy", "set", "project:team-c", "idle_timeout=1h")
    shell.ok("project", "delete", "team-c")
    levels = [level["level"] for level in shell.json("policy", "show")["levels"]]
    assert levels == ["everyone"]
    said = [entry["what"] for entry in shell.json("audit")["items"]]
    assert said[:2] == ["changed the policy: without team-c", "deleted project team-c"]


def test_a_policy_is_tried_before_anything_was_recorded(shell):
    said = shell.json("policy", "try", "everyone", "idle_timeout=30m")
    assert isinstance(said["message"], str)
    error = json.loads(shell("policy", "try", "everyone", "idle_timeout=1s", "--json").err)
    assert [field["field"] for field in error["fields"]] == ["idle_timeout of everyone"]


def test_the_end_of_a_longest_life_is_told_wherever_a_session_is(shell):
    shell.ok("policy", "set", "project:team-a", "train_life=30m")
    shell.ok("submit", "old", "--project", "team-a", "--wait", "--", "sleep", "600")
    said = r"is stopped at \d\d:\d\d UTC: longest life, team-a's policy"
    assert re.search(f"old: {said}", shell.ok("list"))
    assert re.search(f"old {said}[.]", shell.ok("policy", "explain", "old"))
    described = shell.ok("describe", "old")
    assert re.search(f"longest life: +{said}", described)
    assert "train_life 30m (project:team-a)" in described
    shell.ok("keep-alive", "old", "30m")
    shell.ok("suspend", "old", "--wait")
    assert "old: " not in shell.ok("list")
    described = shell.ok("describe", "old")
    assert not re.search("kept alive|longest life", described)
    shell.ok("delete", "old")
    shell.ok("policy", "unset", "project:team-a")


def test_an_exemption_is_for_a_session_there_is_and_runs_out(shell):
    refused = shell("policy", "exempt", "session:exp3", "--until", "3d", "--reason", "A demo.")
    assert refused.code == 2
    assert "  who: There is no session 'exp3'." in refused.err
    shell.ok("submit", "exp3", "--wait", "--", "sleep", "600")
    shown = shell.ok("policy", "exempt", "session:exp3", "--until", "2s", "--reason", "A demo.")
    assert "session:exp3" in shown
    (kept,) = shell.json("policy", "show")["exemptions"]
    assert kept["who"] == f"session:{shell.json('describe', 'exp3')['id']}"
    wait_for(lambda: "(over)" in shell.ok("policy", "show"))
    shell.ok("policy", "set", "kind:train", "action=notify")
    assert shell.json("policy", "show")["exemptions"] == []
    shell.ok("policy", "unset", "kind:train")
    shell.ok("stop", "exp3", "--wait")
    shell.ok("delete", "exp3")
