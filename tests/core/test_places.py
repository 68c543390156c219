"""What a request comes to in its places: clusters by project, templates by what they say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.fields import FieldReader
from jupyter_gpuquota.core.requests.places import MOST, Known, placed, read_wait
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.model.templates import Template, TemplateFields

SMALL = Template(name="small", request=TemplateFields(gpu="0.25", project="team-b"))
BURST = Template(
    name="burst",
    request=TemplateFields(
        project="cloud/ml", gpu_memory="8Gi", environment="img:1", memory="16Gi"
    ),
)
KNOWN = Known(
    clusters=("lab", "cloud", "far"),
    templates=(SMALL, BURST),
    projects=("team-a", "team-b", "cloud/team-a", "cloud/ml"),
)


def request(*on: str, **fields: object) -> SessionRequest:
    usual = {"name": "exp-1", "project": "team-a", "gpu": "2", "env": {"A": "1"}, "on_wait": "5m"}
    return SessionRequest(**usual | {"on": on} | fields)


def ask(asked: SessionRequest) -> tuple[list[SessionRequest], list[str]]:
    reader = FieldReader()
    found = placed(asked, KNOWN, reader)
    return found, [f"{each.field}: {each.message}" for each in reader.errors]


def test_a_cluster_is_its_project_of_the_same_name_or_else_its_first() -> None:
    found, errors = ask(request("lab", "cloud"))
    assert [each.project for each in found] == ["team-a", "cloud/team-a"]
    assert not errors
    assert {(each.gpu, each.on, each.on_wait) for each in found} == {("2", (), "")}
    found, _ = ask(request("cloud", "lab", project="cloud/ml"))
    assert [each.project for each in found] == ["cloud/ml", "team-a"]
    found, _ = ask(request("lab", "cloud", project=""))
    assert [each.project for each in found] == ["team-a", "cloud/team-a"]


def test_a_template_replaces_what_it_says() -> None:
    [small, burst], errors = ask(request("small", "burst"))
    assert not errors
    assert (small.project, small.gpu, small.env) == ("team-b", "0.25", {"A": "1"})
    # One form of a share replaces the other.
    assert (burst.project, burst.gpu, burst.gpu_memory) == ("cloud/ml", "", "8Gi")
    assert (burst.environment, burst.memory, burst.name) == ("img:1", "16Gi", "exp-1")


def test_what_is_of_this_machine_is_not_carried_to_where_its_files_are_not_seen() -> None:
    known = replace(KNOWN, files=["lab", "far"])
    asked = request("lab", "cloud", "burst", "small", folder="/home/ana", environment="/opt/py")
    found = placed(asked, known, FieldReader())
    assert [(each.folder, each.environment) for each in found] == [
        ("/home/ana", "/opt/py"),
        ("", ""),
        ("", "img:1"),
        ("/home/ana", "/opt/py"),
    ]


def test_all_that_is_wrong_is_said_at_once() -> None:
    _, errors = ask(request("nowhere", "lab", "far"))
    assert errors == [
        "on[0]: No cluster or template is named 'nowhere'.",
        "on[2]: You may not launch in any project of far.",
    ]
    _, errors = ask(request(*["lab"] * (MOST + 1)))
    assert errors == ["on: Use at most 8 places, not 9."]


@pytest.mark.parametrize(
    ("text", "seconds", "problems"),
    [("", 600, 0), ("10m", 600, 0), ("10s", 10, 0), ("9s", 9, 1), ("soon", 0, 1)],
)
def test_the_wait_is_read(text: str, seconds: int, problems: int) -> None:
    reader = FieldReader()
    assert read_wait(request("lab", on_wait=text), 600, reader) == seconds
    assert len(reader.errors) == problems


@given(on=st.lists(st.sampled_from(["lab", "cloud", "small", "burst"]), unique=True))
def test_each_place_is_a_request_in_a_project_of_the_user(on: list[str]) -> None:
    found, errors = ask(request(*on))
    assert not errors
    assert len(found) == len(on)
    assert all(each.project in KNOWN.projects for each in found)
