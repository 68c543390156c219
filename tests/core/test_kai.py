"""What KAI Scheduler decides in 1,550 situations, compared with what our core does.

`kai/situations.jsonl.gz` has one situation a line, and what KAI came to rest in: which sessions
run, and the fair shares. docs/quotas.md names the classes of what differs, with their counts.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.model.quota import Project, Rules
from jupyter_gpuquota.model.resources import MILLI, Node
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW, make_node, make_placement, make_session, make_slice
from tests.core.rounds import play

FILE = Path(__file__).parent / "kai" / "situations.jsonl.gz"
DOCS = Path(__file__).parents[2] / "docs" / "quotas.md"

Situation = dict[str, Any]


def milli(gpus: float) -> int:
    return round(gpus * MILLI)


def read() -> Iterator[Situation]:
    with gzip.open(FILE, "rt") as lines:
        yield from map(json.loads, lines)


def session_of(wish: Situation) -> Session:
    """Return a session as it is at the start."""
    created = NOW - timedelta(minutes=wish["age_minutes"])
    fields = {"project": wish["project"], "kind": wish["kind"]}
    priority = wish.get("priority", 50)
    made = make_session(wish["name"], str(wish["gpu"]), priority=priority, **fields)
    made = msgspec.structs.replace(made, created=created, since=created)
    if place := wish.get("running"):
        part = min(MILLI, milli(wish["gpu"]))
        slices = [make_slice(index, part) for index in place["devices"]]
        held = make_placement(*slices, node=place["node"])
        return msgspec.structs.replace(made, state="running", started=created, placement=held)
    return made


def project_of(wish: Situation) -> Project:
    amounts = {key: milli(wish[key]) for key in ("quota", "weight", "limit") if key in wish}
    return Project(name=wish["name"], priority=wish.get("priority", 100), **amounts)


def outcome(situation: Situation) -> tuple[set[str], dict[str, int]]:
    """Return the sessions that run in the end, and the fair shares."""
    nodes: list[Node] = [make_node(node["name"], node["gpus"]) for node in situation["nodes"]]
    projects = [project_of(wish) for wish in situation["projects"]]
    sessions = [session_of(wish) for wish in situation["sessions"]]
    rules = Rules(consolidate=situation["consolidate"])
    rest, plans = play(sessions, projects, nodes, rules)
    return {name for name, s in rest.items() if s.state == "running"}, dict(plans[-1].fair)


def used(situation: Situation, names: Iterable[str]) -> Counter[str]:
    """Return what sessions hold, by project."""
    wishes = {wish["name"]: wish for wish in situation["sessions"]}
    held: Counter[str] = Counter()
    for name in names:
        held[wishes[name]["project"]] += milli(wishes[name]["gpu"])
    return held


def class_of(situation: Situation) -> str:
    """Return how an outcome compares with KAI's."""
    running, fair = outcome(situation)
    theirs = set(situation["kai"]["running"])
    if running == theirs:
        return "same"
    if any(fair[name] != milli(share) for name, share in situation["kai"]["fair"].items()):
        return "shares"
    ours, kais = used(situation, running), used(situation, theirs)
    if ours == kais:
        return "victims"
    return "fuller" if ours.total() > kais.total() else "kept"


@pytest.fixture(scope="module")
def classes() -> Counter[str]:
    return Counter(class_of(each) for each in read() if each["kai"]["settled"])


def test_most_sessions_run_that_run_under_kai(classes: Counter[str]) -> None:
    assert classes.total() == 1550
    assert classes["same"] >= 0.93 * classes.total()


def test_most_projects_hold_what_they_hold_under_kai() -> None:
    found = [used(each, outcome(each)[0]) == used(each, each["kai"]["running"]) for each in read()]
    assert sum(found) >= 0.95 * len(found)


def test_the_docs_count_what_differs(classes: Counter[str]) -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", DOCS.read_text(), re.MULTILINE)
    assert {name: int(count) for name, count in rows} == dict(classes)
