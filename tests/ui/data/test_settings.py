"""`data lakes` and `data rules` of admins."""

from __future__ import annotations

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidRequest, NotFound
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.settings import (
    CacheSettings,
    DataChangePreview,
    DataSettings,
)
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.client.answering import Answering

SETTINGS = DataSettings(
    lakes=(Lake(name="main", url="s3://ours/lake", default=True),),
    cache=CacheSettings(unused=7200, projects={"team-a": 0}),
    revision="r7",
)
PREVIEW = DataChangePreview(message="1 version would go.", evicted=("digits@3fa9",), freed=7)


@pytest.fixture
def server() -> Answering:
    return Answering({"lakes.settings": SETTINGS, "lakes.put": SETTINGS, "lakes.preview": PREVIEW})


@pytest.fixture
def say(server, console):
    def say(line: str):
        args = parse(split_line(f"data {line}"), terminal=True)
        return run(Client(transport=server), args, console)

    return say


def test_rules_are_shown(say):
    text = say("rules").text
    assert "unused versions stay:" in text
    assert "2h" in text
    assert "until the room is needed" in text
    assert "90% of the capacity" in text


def test_a_lake_is_added_to_the_others(server, say):
    say("lakes set disk file:///data --projects team-a --default")
    sent = server.asked[-1].body
    assert sent["revision"] == "r7"
    assert [(lake["name"], lake["default"]) for lake in sent["lakes"]] == [
        ("main", False),
        ("disk", True),
    ]
    assert sent["lakes"][1]["projects"] == ["team-a"]
    assert sent["cache"]["unused"] == "2h"


def test_one_with_that_name_is_replaced(server, say):
    say("lakes set main gs://new")
    (lake,) = server.asked[-1].body["lakes"]
    assert lake["url"] == "gs://new"


def test_a_lake_that_is_not_set_cannot_be_forgotten(say):
    with pytest.raises(NotFound, match="Lake 'disk' is not set"):
        say("lakes delete disk")


@pytest.mark.parametrize("line", ["lakes delete main --dry-run", "rules --unused 1h --dry-run"])
def test_a_dry_run_only_previews(server, say, line):
    assert say(line).text == "1 version would go.\n  digits@3fa9"
    assert "lakes.put" not in server.routes


def test_rules_that_are_not_named_stay(server, say):
    say("rules --high-water 80% --project team-b=7d --dataset digits=0")
    assert server.asked[-1].body["cache"] == {
        "unused": "2h",
        "high_water": 0.8,
        "projects": {"team-b": "7d"},
        "datasets": {"digits": "0"},
    }


@pytest.mark.parametrize("line", ["rules --dry-run", "rules --high-water x", "rules --project a"])
def test_mistakes(say, line):
    with pytest.raises(InvalidRequest):
        say(line)
