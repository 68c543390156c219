"""All errors of a request are reported together."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.api.decoding import (
    Empty,
    decode_body,
    decode_query,
    fits,
    is_id,
    own_query,
)
from jupyter_gpuquota.errors import InvalidFields, InvalidRequest
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.projects import GroupsRequest, NodeGroupRequest, ProjectRequest
from jupyter_gpuquota.model.sessions import LogQuery, SessionQuery, SessionRequest


def problems(body: str, wanted=SessionRequest) -> dict[str, tuple[str, str]]:
    with pytest.raises(InvalidFields) as caught:
        decode_body(body.encode(), wanted)
    return {field.field: (field.message, field.hint) for field in caught.value.fields}


def test_a_request_is_decoded():
    body = b'{"name": "a", "gpu": 0.5, "ports": [8000], "env": {"A": "b"}, "kind": "train"}'
    request = decode_body(body, SessionRequest)
    assert request == SessionRequest(name="a", gpu=0.5, ports=(8000,), env={"A": "b"}, kind="train")


def test_all_wrong_fields_are_reported_together():
    found = problems(
        '{"nam": "a", "gpu": true, "kind": "interactiv", "ports": [1, "x", 3.5],'
        ' "env": {"A": 1}, "priority": null, "command": "python"}'
    )
    assert found == {
        "nam": ("Unknown field.", "Did you mean name?"),
        "name": ("Required.", ""),
        "gpu": ("Must be a number or text, not true.", ""),
        "kind": ("'interactiv' is not possible.", "Choose interactive, interactive-spot or train."),
        "ports[1]": ("Must be a whole number, not 'x'.", ""),
        "ports[2]": ("Must be a whole number, not 3.5.", ""),
        "env.A": ("Must be text, not 1.", ""),
        "priority": ("Must be a whole number, not null.", ""),
        "command": ("Must be a list, not 'python'.", ""),
    }


def test_requests_inside_others_are_read_as_far():
    found = problems(
        '{"quota": [], "node_affinity": {"tran": [], "train": 5}}',
        ProjectRequest,
    )
    assert {name: message for name, (message, _) in found.items()} == {
        "quota": "Must be a number or text, not a list.",
        "node_affinity.tran": "Unknown field.",
        "node_affinity.train": "Must be a list, not 5.",
    }
    assert found["node_affinity.tran"][1] == "Did you mean train?"
    found = problems('{"groups": [{"name": 5, "nodes": [1]}, 7]}', GroupsRequest)
    assert {name: message for name, (message, _) in found.items()} == {
        "groups[0].name": "Must be text, not 5.",
        "groups[0].nodes[0]": "Must be text, not 1.",
        "groups[1]": "Must be an object, not 7.",
    }
    asked = decode_body(b'{"groups": [{"name": "g"}]}', GroupsRequest)
    assert asked == GroupsRequest(groups=(NodeGroupRequest(name="g"),))


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[1",
        "nonsense",
        '{"name": NaN}',
        '{"name": Infinity}',
        "\xff\xfe",
        '{"name": 1e400}',
        '"text"',
        "[]",
        "1",
        "[" * 100_000,
    ],
)
def test_a_body_that_is_no_json_object_is_refused(body):
    with pytest.raises(InvalidRequest, match="body is"):
        decode_body(body.encode("latin1"), SessionRequest)


def test_an_empty_body_asks_for_nothing():
    assert decode_body(b" \n", Empty) == Empty()
    assert problems("") == {"name": ("Required.", "")}


def test_a_route_without_a_request_takes_no_fields():
    assert problems('{"force": true}', Empty)["force"][0] == "Unknown field."


@pytest.mark.parametrize("timeout", ["true", "1.5", '"60"', "null", "[]"])
def test_numbers_are_taken_strictly_from_json(timeout):
    assert list(problems(f'{{"command": ["a"], "timeout": {timeout}}}', ExecRequest)) == ["timeout"]


def test_a_query_is_converted_from_text():
    assert decode_query("cursor=5&tail=0&limit=10", LogQuery) == LogQuery(cursor="5", limit=10)
    assert decode_query("state=running%2Cwaiting", SessionQuery).state == "running,waiting"


def test_wrong_query_arguments_are_reported_together():
    with pytest.raises(InvalidFields) as caught:
        decode_query("limit=x&tail=&bytes=1", LogQuery)
    assert {field.field for field in caught.value.fields} == {"limit", "tail", "bytes"}


def test_a_query_argument_that_is_given_twice_is_refused():
    with pytest.raises(InvalidFields) as caught:
        decode_query("tail=1&tail=2", LogQuery)
    assert [field.field for field in caught.value.fields] == ["tail"]


def test_what_front_ends_add_to_a_query_is_left_out():
    assert own_query("token=secret&limit=5&1767323045000&no_track_activity=1") == "limit=5"
    assert own_query("name=%C3%A4") == "name=%C3%A4"
    assert own_query("") == ""


@pytest.mark.parametrize(
    ("text", "fine"),
    [("a1b2", True), ("A-b_c", True), ("", False), ("..", False), ("a/b", False), ("a.b", False)],
)
def test_only_plain_words_are_ids(text, fine):
    assert is_id(text) is fine


def test_an_id_has_a_bounded_length():
    assert is_id("a" * 64)
    assert not is_id("a" * 65)


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("s1", True),
        ("team-a~exp-1", True),
        ("team-a/exp-1", False),  # it would be another path at the next server
        ("../exp-1", False),
        ("~exp-1", False),
        ("team-a~", False),
        ("cloud~team-a~exp-1", True),
        ("a~b~c~d", False),
    ],
)
def test_a_path_names_a_session_by_id_by_name_or_in_its_project(text, fine):
    assert fits("id", text) is fine
    assert not (fits("name", text) and "~" in text)


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("v1.0", True),
        ("latest", True),
        ("2026-01_b", True),
        ("..", False),
        (".x", False),
        ("", False),
    ],
)
def test_a_path_names_a_version_by_a_tag_too(text, fine):
    assert fits("version", text) is fine
    assert fits("tag", text) is fine
    assert fits("snapshot", text) is fine
    assert not fits("dataset", "v1.0")


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("sha256:e9b2f455", True),
        (f"sha256:{'e9' * 32}", True),
        ("sha256:", False),
        ("sha256:..", False),
        ("md5:e9b2f455", False),
    ],
)
def test_a_path_names_a_snapshot_by_the_digest_of_its_manifest(text, fine):
    assert fits("snapshot", text) is fine
    assert not fits("id", text)


@pytest.mark.parametrize(
    ("argument", "text", "is_right"),
    [
        ("id", "team-a~exp-1", True),
        ("id", "cloud~team-a~exp-1", True),
        ("id", "a~b~c~d", False),
        ("id", "~exp-1", False),
        ("project", "cloud~team-a", True),
        ("project", "a~b~c", False),
        ("volume", "a~b", False),
    ],
)
def test_parts_of_paths_may_begin_with_a_cluster(argument: str, text: str, *, is_right: bool):
    assert fits(argument, text) is is_right
