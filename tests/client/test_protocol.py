"""Questions become the HTTP of the route table, answers become models or errors."""

from __future__ import annotations

import os
import re

import msgspec
import pytest

from jupyter_gpuquota.api.statuses import status_of
from jupyter_gpuquota.client.connection.protocol import Call, Reply, decode, encode, to_json
from jupyter_gpuquota.errors import (
    BY_CODE,
    FieldError,
    GpuQuotaError,
    Internal,
    InvalidFields,
    NoServer,
    NotAllowed,
    Unavailable,
    VersionMismatch,
)
from jupyter_gpuquota.model.about import About
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.routes.table import ROUTES
from jupyter_gpuquota.model.sessions import LogQuery, SessionQuery, SessionRequest
from jupyter_gpuquota.model.struct import Problem, problem_of
from tests.each import each

ABOUT = About(
    version="1", api=1, backend="b", user="me", source="none", simulated=False, capabilities=()
)


@each(ROUTES, lambda row: row.name)
def test_every_route_can_be_asked(row):
    args = dict.fromkeys(re.findall(r"{(\w+)}", row.path), "abc")
    message = encode(Call(row.name, args))
    assert (message.method, message.target) == (row.method, row.path.format(**args))


def test_only_what_differs_from_the_default_is_asked():
    ask = Call("sessions.list", query=SessionQuery(project="a&b", state="running,waiting"))
    assert encode(ask).target == "/sessions?project=a%26b&state=running%2Cwaiting"
    assert encode(Call("sessions.log", {"id": "x"}, query=LogQuery())).target == "/sessions/x/log"
    assert encode(Call("sessions.log", {"id": "x"}, query=LogQuery(tail=3))).target.endswith(
        "?tail=3"
    )


@pytest.mark.parametrize("odd", ["../about", "a/b", "x?y=1", "%2e%2e", "ä"])
def test_an_argument_never_leaves_its_place_in_the_path(odd):
    target = encode(Call("sessions.stop", {"id": odd})).target
    assert target.startswith("/sessions/")
    assert target.endswith("/stop")
    assert target.count("/") == 3
    assert "?" not in target


def test_a_body_is_json():
    body = encode(Call("sessions.exec", {"id": "x"}, body=ExecRequest(command=("ls",)))).body
    assert msgspec.json.decode(body) == {"command": ["ls"], "timeout": 60}


def test_an_answer_is_a_model_and_unknown_fields_do_not_matter():
    newer = {**msgspec.to_builtins(ABOUT), "of_tomorrow": 1}
    assert decode(Call("about.get"), Reply(200, msgspec.json.encode(newer))) == ABOUT


@each(BY_CODE.values())
def test_every_error_crosses_the_wire_unchanged(kind):
    sent = kind("What happened.", hint="What to do.", fields=(FieldError("gpu", "Bad.", "Good."),))
    reply = Reply(status_of(sent), msgspec.json.encode(problem_of(sent)))
    with pytest.raises(GpuQuotaError) as caught:
        decode(Call("about.get"), reply)
    assert type(caught.value) is kind
    assert (caught.value.message, caught.value.hint) == (sent.message, sent.hint)
    assert caught.value.fields == sent.fields


def test_an_error_that_we_do_not_know_is_still_one_of_ours():
    body = msgspec.json.encode(Problem(code="OfTomorrow", message="New."))
    with pytest.raises(Internal, match="New"):
        decode(Call("about.get"), Reply(418, body))


@pytest.mark.parametrize(
    ("status", "kind"),
    [(302, NotAllowed), (401, NotAllowed), (403, NotAllowed), (404, NoServer), (502, Unavailable)],
)
@pytest.mark.parametrize("body", [b"<html>", b"", b'{"message": "Forbidden", "reason": null}'])
def test_an_answer_of_somebody_else_is_told_apart(status, kind, body):
    with pytest.raises(kind):
        decode(Call("about.get"), Reply(status, body))


@pytest.mark.parametrize("body", [b"", b"[]", b'{"version": 1}', b"<html>"])
def test_an_answer_that_cannot_be_understood_is_a_mismatch_of_versions(body):
    with pytest.raises(VersionMismatch):
        decode(Call("about.get"), Reply(200, body))


def test_documents_of_the_shell_are_those_of_the_wire():
    assert msgspec.json.decode(to_json(ABOUT), type=About) == ABOUT
    keyed = FieldError("a", "b", key="field.near", args={"near": "c"})
    error = NoServer("Gone.", hint="Wait.", fields=(keyed,))
    assert msgspec.json.decode(to_json(error), type=Problem) == problem_of(error)


def test_text_that_is_no_utf_8_is_refused_field_by_field():
    odd = os.fsdecode(b"b\xfcro")
    asked = SessionRequest(name="a", folder=f"/{odd}", command=("cat", odd), env={"X": odd})
    with pytest.raises(InvalidFields) as caught:
        encode(Call("sessions.create", body=asked))
    assert {problem.field for problem in caught.value.fields} == {"folder", "command[1]", "env.X"}
    for ask in (
        Call("sessions.list", query=SessionQuery(name=odd)),
        Call("sessions.get", args={"id": odd}),
    ):
        with pytest.raises(InvalidFields, match=r"^1 invalid field\."):
            encode(ask)
