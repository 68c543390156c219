"""The policy for idle sessions, set in a shell, with a running controller."""

from __future__ import annotations

import json
import re

from tests.shell import wait_for


def test_a_policy_is_set_refused_explained_and_kept(shell):
    assert "built-in  everyone" in shell.ok("policy", "set", "everyone", "idle_timeout=2h")
    refused = shell("policy", "set", "everyone", "warn_before=3h")
    assert refused.code == 2
    assert "  idle_timeout of everyone: The warning comes 3 h before, but" in refused.err
    assert "levels[" not in refused.err
    refused = shell("submit", "exp1", "--idle-timeout", "3h", "--", "sleep", "600")
    assert refused.code == 2
    assert (
        "idle_timeout: Above the maximum set by everyone's policy. Use at most 2 h." in refused.err
    )
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
    said = [entry["what"] for entry in shell.json("project", "audit")["items"]]
    assert said[:2] == ["removed team-c from the policy", "deleted project team-c"]


def test_a_policy_can_be_previewed_without_records(shell):
    said = shell.json("policy", "set", "everyone", "idle_timeout=30m", "--dry-run")
    assert isinstance(said["message"], str)
    line = ("policy", "set", "everyone", "idle_timeout=1s", "--dry-run", "--json")
    error = json.loads(shell(*line).err)
    assert [field["field"] for field in error["fields"]] == ["idle_timeout of everyone"]


def test_the_maximum_run_time_is_shown_with_the_session(shell):
    shell.ok("policy", "set", "project:team-a", "train_life=30m")
    shell.ok("submit", "old", "--project", "team-a", "--wait", "--", "sleep", "600")
    said = r"at \d\d:\d\d UTC: maximum run time [(]team-a's policy[)]"
    assert re.search(f"old: ends {said}", shell.ok("list"))
    assert re.search(f"old ends {said}[.]", shell.ok("policy", "explain", "old"))
    described = shell.ok("describe", "old")
    assert re.search(f"ends: +{said}", described)
    assert "train_life 30m (project:team-a)" in described
    shell.ok("keep-alive", "old", "30m")
    shell.ok("suspend", "old", "--wait")
    assert "old: " not in shell.ok("list")
    described = shell.ok("describe", "old")
    assert not re.search("kept alive|maximum run time", described)
    shell.ok("delete", "old")
    shell.ok("policy", "unset", "project:team-a")


def test_an_exemption_names_an_existing_session_and_expires(shell):
    refused = shell("policy", "exempt", "session:exp3", "--until", "3d", "--reason", "A demo.")
    assert refused.code == 2
    assert "  who: Session 'exp3' not found." in refused.err
    shell.ok("submit", "exp3", "--wait", "--", "sleep", "600")
    shown = shell.ok("policy", "exempt", "session:exp3", "--until", "2s", "--reason", "A demo.")
    assert "session:exp3" in shown
    (kept,) = shell.json("policy", "show")["exemptions"]
    assert kept["who"] == f"session:{shell.json('describe', 'exp3')['id']}"
    wait_for(lambda: "(expired)" in shell.ok("policy", "show"))
    shell.ok("policy", "set", "kind:train", "action=notify")
    assert shell.json("policy", "show")["exemptions"] == []
    shell.ok("policy", "unset", "kind:train")
    shell.ok("stop", "exp3", "--wait")
    shell.ok("delete", "exp3")
