"""The front end's types are those of the model."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from jupyter_gpuquota.api.json_schema import PUBLIC, components, name_of, words_of
from jupyter_gpuquota.api.messages_schema import messages_ts
from jupyter_gpuquota.api.schema import LABEXTENSION, routes_ts
from jupyter_gpuquota.model.routes.table import ROUTES
from jupyter_gpuquota.model.sessions import STATES


def test_the_committed_routes_are_those_of_the_table():
    assert (LABEXTENSION / "src" / "api" / "routes.ts").read_text("utf-8") == routes_ts()


def test_the_committed_messages_are_those_of_the_catalog():
    folder = LABEXTENSION / "src" / "api" / "messages"
    assert {path.name: path.read_text("utf-8") for path in folder.iterdir()} == messages_ts()


def test_every_text_is_a_literal_that_can_be_extracted():
    text = "".join(messages_ts().values())
    calls = re.findall(r"trans\.(?:__|_n)\((.)", text)
    assert len(calls) > 200
    assert set(calls) <= {"'", '"'}


def test_a_plural_counts_by_its_first_argument():
    assert (
        "trans._n('%2 free in total, but no node has a whole GPU free.', "
        "'%2 free in total, but no node has %1 whole GPUs free.', "
        "Number(a.devices), f.gpus(a.free))"
    ) in messages_ts()["reasons.ts"]


def test_the_front_end_knows_no_route_that_it_cannot_call():
    text = routes_ts()
    for row in ROUTES:
        assert (f"'{row.name}'" in text) is not (row.internal or row.streams)


def test_every_noun_that_is_read_as_a_whole_has_its_model_and_its_route():
    text = routes_ts()
    assert "  quota: Quota;" in text
    assert "  quota: routes.quotaGet," in text
    assert "  nodes: routes.nodesList," in text
    assert "routes.sessionsGet," not in text


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
    session = schemas["Session"]
    # What answers of older versions lack.
    older = {"expected", "fallback", "listening", "unmeasured"}
    assert set(session["required"]) == set(session["properties"]) - older
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
