"""The front end's types are those of the model."""

from __future__ import annotations

import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from jupyter_gpuquota.api.json_schema import PUBLIC, components, name_of, words_of
from jupyter_gpuquota.api.schema import LABEXTENSION, routes_ts
from jupyter_gpuquota.model.routes import ROUTES
from jupyter_gpuquota.model.sessions import STATES


def test_the_committed_routes_are_those_of_the_table():
    assert (LABEXTENSION / "src" / "api" / "routes.ts").read_text("utf-8") == routes_ts()


def test_the_front_end_knows_no_route_that_it_cannot_call():
    text = routes_ts()
    for row in ROUTES:
        assert (f"'{row.name}'" in text) is not (row.internal or row.streams)


@pytest.mark.skipif(
    not (LABEXTENSION / "node_modules" / "json-schema-to-typescript").is_dir(),
    reason="the front end's node_modules are not there",
)
def test_the_committed_types_are_those_of_the_model():
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_gpuquota.api.schema", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_what_we_say_always_has_all_its_fields():
    schemas = components(PUBLIC, "#/")
    assert set(schemas["Session"]["required"]) == set(schemas["Session"]["properties"])
    assert schemas["SessionRequest"]["required"] == ["name"]
    assert schemas["PageSession"]["properties"]["items"]["items"] == {"$ref": "#/Session"}
    assert {name_of(row.response) for row in PUBLIC} <= set(schemas)


def test_a_vocabulary_is_a_type_of_its_own_that_names_what_is_known_and_takes_any_text():
    schemas = components(PUBLIC, "#/")
    assert schemas["Session"]["properties"]["state"] == {"$ref": "#/State"}
    assert schemas["Session"]["properties"]["actions"]["items"] == {"$ref": "#/Action"}
    assert words_of(schemas["State"]) == STATES
    validator = Draft202012Validator(schemas["State"])
    assert validator.is_valid("running")
    assert validator.is_valid("hibernating")
    assert not validator.is_valid(1)


def test_a_request_takes_the_known_words_only():
    kind = components(PUBLIC, "#/")["SessionRequest"]["properties"]["kind"]
    assert set(kind["enum"]) == {"interactive", "interactive-spot", "train"}


def test_the_front_end_reads_a_vocabulary_by_its_name():
    text = (LABEXTENSION / "src" / "api" / "models.ts").read_text("utf-8")
    assert "  state: State;" in text
    assert "export type Goal = 'run' | 'suspend' | 'stop' | 'requeue' | (string & {});" in text
