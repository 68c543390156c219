"""The domain's types are the wire's."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_gpuquota import errors
from jupyter_gpuquota.errors import BY_CODE, FieldError, GpuQuotaError, InvalidFields
from jupyter_gpuquota.model.resources import Placement, Slice, gpus_text, memory_text
from jupyter_gpuquota.model.routes.table import ROUTES, route
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from tests.builders import make_placement, make_session, make_slice


def test_a_session_survives_the_wire() -> None:
    session = make_session("x", "0.5", "running", placement=make_placement(make_slice(0, 500)))
    assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session


def test_what_we_are_asked_is_strict_and_what_we_say_is_tolerant() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(b'{"name": "x", "gpus": 1}', type=SessionRequest)
    body = msgspec.json.encode({"node": "n1", "invented_later": 1})
    assert msgspec.json.decode(body, type=Placement) == Placement(node="n1")


@pytest.mark.parametrize(
    ("slices", "text"),
    [
        ([{}], "n1"),
        ([{"uuid": "GPU-4f2a9c1d-77aa"}], "n1 GPU 4f2a9c1d"),
        ([{"uuid": "MIG-4f2a9c1d-77aa"}], "n1 GPU 4f2a9c1d"),
        ([{"index": 3, "uuid": "GPU-4f2a9c1d"}, {"index": 0}], "n1 GPU 3, 0"),
    ],
)
def test_a_place_is_said_as_far_as_it_is_known(slices, text) -> None:
    pieces = tuple(Slice(milli=500, memory=0, **known) for known in slices)
    assert Placement(node="n1", slices=pieces).text == text


def test_routes_are_named_once_and_only_get_reads() -> None:
    assert len({row.name for row in ROUTES}) == len(ROUTES)
    assert len({(row.method, row.path) for row in ROUTES}) == len(ROUTES)
    plain = [row for row in ROUTES if row.need != "admin"]
    gets = [row for row in plain if row.method == "GET"]
    assert {row.permission for row in gets} == {"read"}
    assert {row.permission for row in plain if row.method != "GET"} == {"write", "execute"}
    runs = {"create", "resume", "resize", "exec", "exec_stream", "terminal", "type"}
    assert {row.name for row in ROUTES if row.permission == "execute"} == {
        "jobs.start",
        "snapshots.create",
        "snapshots.restore",
        *(f"sessions.{verb}" for verb in runs),
    }
    assert {row.permission for row in ROUTES if row.need == "admin"} == {"admin"}
    assert route("sessions.create").status == 201


def test_every_error_has_a_code_of_its_own() -> None:
    def tree(root: type[GpuQuotaError]) -> set[type[GpuQuotaError]]:
        return {root}.union(*(tree(child) for child in root.__subclasses__()))

    shared = {error for error in tree(GpuQuotaError) if error.__module__ == errors.__name__}
    assert set(BY_CODE.values()) == shared - {GpuQuotaError}
    assert all(error.code == code for code, error in BY_CODE.items())


def test_an_error_prints_what_rule_and_what_next() -> None:
    error = InvalidFields(
        "1 invalid field.",
        hint="Correct it.",
        fields=(FieldError("gpu", "Too much.", "Ask for less."),),
    )
    assert str(error).splitlines() == [
        "1 invalid field.",
        "  gpu: Too much. Ask for less.",
        "Correct it.",
    ]


@pytest.mark.parametrize(
    ("milli", "text"), [(0, "0"), (500, "0.5"), (143, "0.143"), (2000, "2"), (2500, "2.5")]
)
def test_gpus_are_written_without_superfluous_zeros(milli: int, text: str) -> None:
    assert gpus_text(milli) == text


def test_memory_is_written_in_gib_where_exact() -> None:
    assert (memory_text(8192), memory_text(7630)) == ("8 GiB", "7630 MiB")
