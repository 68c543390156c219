"""Of kernel messages as much is read as is needed, in each of their forms."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.server.ingress.replay.messages import Request, parts_of, request_in
from tests.server.ingress.kernel_messages import execute, header, stream


def test_a_request_names_its_cell() -> None:
    assert request_in(execute("r1", "page-1", "c7")) == Request("r1", "page-1", "c7")


def test_a_request_is_known_by_its_beginning() -> None:
    assert request_in(execute("r1", "page-1", "c7", "x" * 50_000)[:16_384]) == Request(
        "r1", "page-1", "c7"
    )


def test_the_older_form_is_read_too() -> None:
    old = {"channel": "shell", "header": header("execute_request", "r1", "page-1"), "metadata": {}}
    assert request_in(json.dumps(old).encode()) == Request("r1", "page-1", "")


def test_a_message_is_made_json() -> None:
    parts = parts_of(stream("½\n", "r1", "m1"))
    assert parts
    read = json.loads(parts.as_json())
    assert (read["channel"], read["content"]) == ("iopub", {"name": "stdout", "text": "½\n"})
    assert (read["header"]["msg_id"], read["parent_header"]["msg_id"]) == ("m1", "r1")


@given(st.binary(max_size=200) | st.binary(max_size=60).map(lambda tail: b"\7" + bytes(7) + tail))
def test_anything_else_is_no_request(data: bytes) -> None:
    assert request_in(data) is None


@given(st.integers(0, 200))
def test_a_message_that_is_cut_off_does_no_harm(size: int) -> None:
    whole = execute("r1", "page-1")
    assert request_in(whole[:size]) in (None, Request("r1", "page-1", "cell-1"))
