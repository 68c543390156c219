"""Every scenario beside this file plays as it expects."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core import simulate
from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.simulate import Simulation
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.resources import Placement
from jupyter_gpuquota.model.spans import parse_span
from jupyter_gpuquota.yaml_document import YamlDocument

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.yaml"))


def read(path: Path):
    return simulate.read(YamlDocument(path.read_bytes(), 1 << 20).plain)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_plays_as_it_expects(path):
    scenario = read(path)
    for number, (found, differences) in enumerate(Simulation(scenario).play(), 1):
        assert (found.step, differences) == (number, [])
        for name, session in found.sessions.items():
            assert bool(session.message) or session.state not in {"waiting", "refused"}, name
    assert any(step.expect for step in scenario.steps)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_further_round_changes_nothing(path):
    world = Simulation(read(path))
    for _ in world.play():
        decided = plan(world.snapshot)
        assert not decided.evictions
        assert not any(isinstance(d.outcome, Placement) for d in decided.decisions)


def test_there_are_many_and_each_says_what_it_shows():
    assert len(FILES) > 31
    for path in FILES:
        assert path.read_text().startswith("# "), path.name


def test_the_same_file_plays_the_same():
    def played():
        return [*Simulation(read(FOLDER / "netapp-over-quota.yaml")).play()]

    assert played() == played()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        (90, 90),
        ("90", 90),
        ("90s", 90),
        ("30m", 1800),
        ("1h30m", 5400),
        ("1.5 h", 5400),
        ("2d", 172_800),
    ],
)
def test_lengths_of_time(text, seconds):
    assert parse_span(text) == seconds


@pytest.mark.parametrize("text", ["", "-1", "m", "1h30", "1m1h", "1y", "NaN", "٣m"])
def test_what_is_no_length_of_time(text):
    with pytest.raises(ValueError, match="not a duration"):
        parse_span(text)


NODE = {"name": "n1", "gpus": 1, "memory": 32768}
TEAM = {"name": "a", "quota": "1"}


def problems(*steps, **fields):
    plain = {"nodes": [NODE], "projects": [TEAM], "steps": list(steps), **fields}
    with pytest.raises(InvalidFields) as raised:
        for _ in Simulation(simulate.read(plain)).play():
            pass
    return {field.field: field.message for field in raised.value.fields}


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"nodes": [NODE, NODE]}, "nodes[1].name"),
        ({"projects": [TEAM, TEAM]}, "projects[1].name"),
        ({"projects": [{"name": "a"}]}, "projects[0]"),
        ({"projects": [{**TEAM, "quota": "-1"}]}, "projects[0].quota"),
        ({"projects": [{**TEAM, "quota": ".nan"}]}, "projects[0].quota"),
        ({"projects": [{**TEAM, "limit": "0.0001"}]}, "projects[0].limit"),
        ({"projects": [{**TEAM, "min_runtime": "soon"}]}, "projects[0].min_runtime"),
        ({"projects": [{**TEAM, "wieght": 1}]}, "projects[0].wieght"),
        ({"nodes": [{**NODE, "memory": 0}]}, "nodes[0].memory"),
        ({"nodes": [{**NODE, "gpus": 10**9}]}, "nodes[0].gpus"),
        ({"nodes": {}}, "nodes"),
    ],
)
def test_what_is_wrong_with_a_machine_is_told(fields, where):
    assert [*problems(**fields)] == [where]


@pytest.mark.parametrize(
    ("step", "where"),
    [
        ({}, "steps[0]"),
        ({"advance": "1h", "delete": []}, "steps[0]"),
        ({"advance": "later"}, "steps[0].advance"),
        ({"delete": ["nobody"]}, "steps[0].delete"),
        ({"remove": {"project": "b"}}, "steps[0].remove.project"),
        ({"lose": {"node": "n2", "gpus": [0]}}, "steps[0].lose.node"),
        ({"lose": {"node": "n1", "gpus": [1]}}, "steps[0].lose.gpus"),
        ({"set": {}}, "steps[0].set"),
        ({"set": {"project": {"name": "a", "weight": "x"}}}, "steps[0].set.project.weight"),
        ({"set": {"rules": {"grace": "x"}}}, "steps[0].set.rules.grace"),
        ({"submit": {"name": "s", "project": "a", "kind": "batch"}}, "steps[0].submit.kind"),
        ({"submit": {"name": "s", "project": "a", "duration": "x"}}, "steps[0].submit.duration"),
        ({"expect": {"free": "x"}}, "steps[0].expect.free"),
        ({"expect": {"projects": {"a": {"over": "x"}}}}, "steps[0].expect.projects.a.over"),
    ],
)
def test_what_is_wrong_with_a_step_is_told(step, where):
    assert [*problems(step)] == [where]


def test_a_session_named_twice_is_told_even_if_the_first_is_gone():
    submit = {"submit": {"name": "s", "project": "a"}}
    assert [*problems(submit, {"delete": ["s"]}, submit)] == ["steps[2].submit.name"]


sessions = st.builds(
    dict,
    project=st.sampled_from(["a", "b"]),
    gpu=st.sampled_from(["0.1", "0.5", "1", "2"]),
    kind=st.sampled_from(["interactive", "interactive-spot", "train"]),
    priority=st.sampled_from([10, 90]),
    duration=st.sampled_from(["0", "5m", "2h"]),
)
happenings = st.one_of(
    sessions.map(lambda wish: {"submit": wish}),
    st.sampled_from(["1m", "1h"]).map(lambda span: {"advance": span}),
    st.just({"lose": {"node": "n1", "gpus": [1]}}),
    st.builds(
        lambda name, quota: {"set": {"project": {"name": name, "quota": quota}}},
        st.sampled_from(["a", "b"]),
        st.sampled_from(["0", "1", "3"]),
    ),
    st.booleans().map(lambda on: {"set": {"rules": {"consolidate": on, "min_runtime": "3m"}}}),
)


@given(st.lists(happenings, max_size=12))
def test_whatever_happens_a_scenario_can_be_played(steps):
    named = [
        {"submit": {**step["submit"], "name": f"s{n}"}} if "submit" in step else step
        for n, step in enumerate(steps)
    ]
    nodes = [{"name": "n1", "gpus": 3, "memory": 32768}]
    teams = [{"name": "a", "quota": "1"}, {"name": "b", "quota": "2", "weight": "1"}]
    world = Simulation(simulate.read({"nodes": nodes, "projects": teams, "steps": named}))
    for found, _ in world.play():
        held = sum(milli for s in found.sessions.values() for _, milli in s.devices)
        assert held == round(1000 * sum(p.allocated for p in found.projects.values()))
        assert msgspec.json.encode(found)
