"""What a quota file may say, and what is said of one that cannot be used."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.control.settings.quota_file import SIZE_LIMIT, Present, QuotaFile
from jupyter_gpuquota.control.settings.quota_file import read as read_bytes
from tests.builders import make_node, make_project
from tests.local.test_administration import GOOD

WORDS = ["projects", "groups", "rules", "name", "quota", "nodes", "members", "grace", "a", "1"]
WORDS += ["policy", "levels", "rules", "exemptions", "idle_timeout", "2h"]
YAML = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS))


def read(text, nodes, **options):
    return read_bytes(text.encode(), Present(nodes, **options))


def nested(inner):
    return st.lists(inner) | st.dictionaries(st.sampled_from(WORDS), inner)


def test_looking_at_an_unchanged_quota_file_is_quick(tmp_path):
    path = tmp_path / "quota.yaml"
    path.write_text(GOOD)
    file = QuotaFile(str(path))
    file.look(Present((make_node("dgx1-2"),)))
    begin = time.process_time()
    for _ in range(1000):
        assert not file.changed()
    assert time.process_time() - begin < 1.0
    os.utime(path, ns=(1, 1))
    assert file.changed()


@pytest.mark.parametrize("quota", ["0.125", "'0.125'"])
def test_quotas_and_limits_have_three_decimals(quota):
    text = f"projects:\n  - name: a\n    quota: {quota}\n    limit: 2.375\n"
    (project,) = read(text, (make_node("dgx1-2"),)).projects
    assert (project.quota, project.limit) == (125, 2375)


def test_a_file_that_is_being_written_is_left_for_the_next_look(tmp_path):
    path = tmp_path / "quota.yaml"
    path.write_text(GOOD)

    class Meanwhile(list):
        """Writes the file while it is checked against the nodes."""

        def __iter__(self):
            path.write_text(GOOD + "# and more\n")
            return super().__iter__()

    file = QuotaFile(str(path))
    file.look(Present(Meanwhile([make_node("dgx1-2")])))
    assert (file.settings, file.problem, file.changed()) == (None, "", True)
    file.look(Present((make_node("dgx1-2"),)))
    assert file.settings is not None
    assert not file.changed()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Line 1, projects: Required."),
        ("[]", "Line 1, the file: Must be an object, not a list."),
        (
            "projects: [",
            "Line 1: Invalid YAML: while parsing a flow node: expected the node content",
        ),
        ("projects: \x1f", "Line 1: Invalid YAML: special characters"),
        ("projects: 3", "Line 1, projects: Must be a list, not 3."),
        (
            "projects:\n  - name: a\n    qouta: 1\n",
            "Line 3, projects[0].qouta: Unknown field. Did you mean quota?",
        ),
        (
            "projects:\n  - name: a\n    quota: 1\n    quota: 2\n",
            "Line 4: The key 'quota' is already set above.",
        ),
        ("projects:\n  - name: a\n    quota: -1\n", "Line 3, projects[0].quota: '-1'"),
        ("projects:\n  - name: a\n    quota: .nan\n", "Line 3, projects[0].quota: '.nan'"),
        (
            "projects:\n  - {name: a, quota: 1}\n  - {name: a, quota: 1}\n",
            "Line 3, projects[1].name",
        ),
        ("projects:\n  - name: A B\n    quota: 1\n", "Line 2, projects[0].name"),
        ("projects:\n  - name: a\n", "Line 2, projects[0].quota: Required."),
        ("projects: []\ngroups:\n  - name: g\n    nodes: [gone]\n", "Line 4, groups[0].nodes[0]"),
        ("projects: []\nrules:\n  grace: ever\n", "Line 3, rules.grace"),
        ("projects: &a []\ngroups: *a\n", "Line 2: *a is not supported"),
        ("projects: &a [*a]\n", "Line 1: *a is not supported"),
        ("projects: !!python/object:os.system []\n", "Line 1: The tag"),
        ("projects: []\nrules: {revision: 3}\n", "rules.revision: Unknown field."),
        (
            "projects: []\nlakes:\n  - name: main\n    url: s3://key:geheim@bucket\n",
            "Line 4, lakes[0].url: The URL must contain no credentials or other parameters.",
        ),
        (
            "projects: []\nlakes:\n  - {name: main, url: s3://a, projects: [gone]}\n",
            "Line 3, lakes[0].projects[0]: Unknown project: 'gone'.",
        ),
        ("projects: []\ncache:\n  unused: soon\n", "Line 3, cache.unused: Not a duration."),
        (
            "projects: []\ncache:\n  projects: {gone: 1d}\n",
            "Line 3, cache.projects.gone: Unknown project: 'gone'.",
        ),
        (
            "projects: []\nvolumes:\n  - {name: scans, folder: /a, projects: [gone]}\n",
            "Line 3, volumes[0].projects: Unknown project: 'gone'",
        ),
        (
            "projects: []\nvolumes:\n  - name: scans\n    folder: data\n    projects: []\n",
            "Line 4, volumes[0].folder: It is not an absolute path.",
        ),
        ("projects: []\npolicy: 3\n", "Line 2, policy: Must be an object, not 3."),
        ("projects: []\npolicy: {revision: 3}\n", "policy.revision: Unknown field."),
        (
            "projects: []\npolicy:\n  levels:\n    - level: everyone\n      rules:\n"
            "        idle: 2h\n",
            "Line 6, policy.levels[0].rules.idle: Unknown field. Fields: idle_timeout",
        ),
        (
            "projects: []\npolicy:\n  levels:\n    - level: project:gone\n",
            "Line 4, policy.levels[0].level: Unknown project: 'gone'",
        ),
        (
            "projects: []\npolicy:\n  levels:\n    - level: everyone\n      rules:\n"
            "        idle_timeout: 5m\n        warn_before: 10m\n",
            "Line 6, policy.levels[0].rules.idle_timeout: The warning comes 10 min before",
        ),
        (
            "projects: []\npolicy:\n  exemptions:\n    - who: user:ana\n"
            "      until: 2026-03-01\n      reason: A demo.\n",
            "Line 5, policy.exemptions[0].until: The time zone is missing",
        ),
        (
            "projects: []\npolicy:\n  exemptions:\n    - who: project:team-z\n"
            "      until: 2026-03-01T00:00Z\n      reason: A demo.\n",
            "Line 4, policy.exemptions[0].who: Unknown project: 'team-z'.",
        ),
    ],
)
def test_a_bad_quota_file_is_refused_with_its_line(text, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (what it says is the point)
        read(text, (make_node(),))
    assert said in str(caught.value)


POLICY = """\
projects:
  - {name: team-a, quota: 1}
policy:
  levels:
    - level: project:team-a
      rules: {idle_timeout: 1h}
    - level: everyone
      rules:
        idle_timeout: 2h
        action: suspend
  exemptions:
    - {who: user:ana, until: 2026-03-01T18:00:00+01:00, reason: A demo.}
"""


def test_the_policy_is_read_with_times_as_they_are_written():
    found = read(POLICY, (make_node(),)).policy
    everyone, team = found.levels
    assert (everyone.level, team.level) == ("everyone", "project:team-a")
    assert (everyone.rules.idle_timeout, everyone.rules.action) == (7200, "suspend")
    assert found.exemptions[0].until == datetime(2026, 3, 1, 17, tzinfo=UTC)


ENGINE = """\
policy:
  levels:
    - level: project:team-a
      rules: {idle_timeout: 1h}
lakes:
  - {name: main, url: s3://ours, projects: [team-a]}
templates:
  - {name: half, request: {project: team-a, gpu: 0.5}}
"""


def test_where_an_engine_has_the_projects_the_file_names_them():
    owned = (make_project("team-a"),)
    found = read(ENGINE, (make_node(),), owned=owned)
    assert found.projects == owned
    assert [level.level for level in found.policy.levels] == ["project:team-a"]
    assert read("rules: {consolidate: true}", (), owned=()).rules.consolidate
    with pytest.raises(ValueError, match="Unknown project: 'team-a'"):
        read(ENGINE, (make_node(),), owned=(make_project("team-b"),))
    with pytest.raises(ValueError, match="Line 1, projects: The cluster's engine has the projects"):
        read("projects: []", (), owned=owned)


def test_projects_of_an_engine_that_come_later_are_taken_into_account(tmp_path):
    path = tmp_path / "quota.yaml"
    path.write_text(ENGINE)
    file = QuotaFile(str(path))
    file.look(Present((make_node(),), owned=()))
    assert "Unknown project: 'team-a'" in file.problem
    file.look(Present((make_node(),), owned=(make_project("team-a"),)))
    assert (file.problem, file.changed()) == ("", False)
    assert file.settings.policy.levels[0].rules.idle_timeout == 3600


@pytest.mark.parametrize("written", ["010", "+10", "10", "10.0"])
def test_a_number_is_what_people_read(written):
    (project,) = read(f"projects: [{{name: a, quota: {written}}}]", (make_node(),)).projects
    assert project.quota == 10_000


@pytest.mark.parametrize(
    "text",
    [
        "projects: " + "[" * 200_000,
        "projects:\n" + "- " * 100_000,
        "? " * 100_000,
        "{a: " * 50_000,
        "\n".join(" " * i + "a:" for i in range(600)),
    ],
    ids=["lists", "dashes", "questions", "mappings", "indents"],
)
def test_deep_nesting_is_refused_early(text):
    with pytest.raises(ValueError, match="More than 20 lists"):
        read(text, (make_node(),))


def test_the_largest_file_is_read_and_a_larger_one_refused(tmp_path):
    path = tmp_path / "quota.yaml"
    team = "  - {{name: team-{}, quota: 1, members: [ana, group:ml]}}\n"
    path.write_text("projects:\n" + "".join(map(team.format, range(4000))))
    file = QuotaFile(str(path))
    file.look(Present((make_node(),)))
    assert len(file.settings.projects) == 4000
    path.write_text(path.read_text() + "#" * SIZE_LIMIT)
    file.look(Present((make_node(),)))
    assert "larger than 256 KiB" in file.problem
    assert len(file.settings.projects) == 4000


def test_irregular_files_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        file = QuotaFile(str(path))
        file.look(Present((make_node(),)))
        assert "not a regular file" in file.problem


def test_of_very_many_mistakes_some_are_named():
    with pytest.raises(ValueError, match=r"And \d+ more\.") as caught:
        read("".join(f"k{i}: 1\n" for i in range(5000)), (make_node(),))
    assert len(str(caught.value)) < 5000


def test_people_are_accounts_and_groups_of_accounts():
    text = "projects:\n  - name: a\n    quota: 1\n    members: [ana, group:ml]\n"
    text += "    leads: [cho]\n    viewers: [group:finance]\n"
    (project,) = read(text, (make_node(),)).projects
    assert project.members == ("ana", "group:ml")
    assert (project.leads, project.viewers) == (("cho",), ("group:finance",))
    with pytest.raises(ValueError, match=r"Line 5, projects\[0\]\.leads\[1\]: cho is listed twice"):
        read(text.replace("[cho]", "[cho, cho]"), (make_node(),))


def test_a_timeout_is_measured_by_how_often_it_is_looked():
    with pytest.raises(ValueError, match="Line 6, policy"):
        read(POLICY, (make_node(),), every=3600)


@given(st.one_of(st.text(), st.recursive(YAML, nested, max_leaves=12).map(yaml.safe_dump)))
@example("? [a, b]\n: 1\nprojects: []")
@example("projects:\n  - {name: 1, quota: 2020-01-01}")
@example("projects: [" * 2000)
@example("projects:\n  - {name: a, quota: " + "9" * 5000 + "}")
@example("rules: {grace: !!binary aGVsbG8=}\nprojects: []")
@example("projects: {}\ngroups: !!set {a, b}")
@example("policy: {levels: [{level: everyone, rules: {idle_timeout: 1:1}}]}\nprojects: []")
def test_whatever_a_file_says_is_taken_or_refused(text):
    with suppress(ValueError):
        assert read(text, (make_node(),)).source == "file"


def test_all_mistakes_are_said_at_once():
    text = """
projects:
  - {name: a, quota: 1, colour: red}
policy:
  levels:
    - level: everyone
      rules: {idel: 3, idle_timeout: 5m, warn_before: 10m, action: explode}
    - level: project:nope
  exemptions:
    - {who: user:ana, until: 2026-03-01T18:00, reason: ""}
"""
    with pytest.raises(ValueError, match="colour") as caught:
        read(text, ())
    said = str(caught.value)
    for mistake in (
        "Line 7, policy.levels[0].rules.idel: Unknown field.",
        "policy.levels[0].rules.idle_timeout: The warning comes",
        "policy.levels[0].rules.action: 'explode'",
        "policy.levels[1].level: Unknown project: 'nope'",
        "policy.exemptions[0].until: The time zone is missing",
        "policy.exemptions[0].reason: Enter a reason",
    ):
        assert mistake in said


TEMPLATES = (
    GOOD
    + """\
templates:
  - name: half
    title: Half a GPU
    on_shutdown: suspend
    request: {project: team-a, gpu: 0.5, kind: interactive, memory: 8Gi, data: [faces@v1]}
"""
)


def test_a_file_sets_templates_for_everybody():
    (template,) = read(TEMPLATES, (make_node("dgx1-2"),)).templates
    assert (template.name, template.scope, template.owner) == ("half", "admin", "")
    assert (template.title, template.on_shutdown) == ("Half a GPU", "suspend")
    assert (template.request.gpu, template.request.data) == ("0.5", ("faces@v1",))


def test_every_mistake_in_a_template_is_named_with_its_line():
    wrong = TEMPLATES.replace("gpu: 0.5", "gpu: many, priority: 101").replace(
        "- name: half", "- name: H"
    )
    with pytest.raises(ValueError, match=r"Line 17, templates\[0\]\.name") as caught:
        read(wrong, (make_node("dgx1-2"),))
    for field in ("gpu", "priority"):
        assert f"Line 20, templates[0].request.{field}:" in str(caught.value)


def test_mistakes_in_a_project_and_in_templates_are_said_together():
    wrong = TEMPLATES.replace("quota: 2.5", "quota: many").replace("8Gi", "much")
    with pytest.raises(ValueError, match=r"projects\[0\]\.quota") as caught:
        read(wrong, (make_node("dgx1-2"),))
    assert "templates[0].request.memory:" in str(caught.value)
