"""Hosts of sessions, by a pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.control.new_session import new_id
from jupyter_gpuquota.core.hosts import SESSION_ID, Place, parse
from jupyter_gpuquota.errors import InvalidRequest

ID = "sabcdefghi23"


def test_every_new_id_fits_into_a_host() -> None:
    assert all(re.fullmatch(SESSION_ID, new_id()) for _ in range(200))


@pytest.mark.parametrize(
    ("text", "place", "lab_port", "host"),
    [
        ("{session}.gpu.example.org", Place(ID), None, f"{ID}.gpu.example.org"),
        ("{session}.gpu.example.org", Place(ID, 6006), None, f"{ID}-6006.gpu.example.org"),
        ("{session}.localhost", Place(ID), 8888, f"{ID}.localhost:8888"),
        ("{session}.gpu.example.org:8443", Place(ID), 8888, f"{ID}.gpu.example.org:8443"),
        ("gpu-{session}.example.org", Place(ID, 80), None, f"gpu-{ID}-80.example.org"),
        ("{session}-gpu.Example.ORG", Place(ID, 80), None, f"{ID}-80-gpu.example.org"),
    ],
)
def test_a_place_has_one_host(text: str, place: Place, lab_port: int | None, host: str) -> None:
    assert parse(text).host_of(place, lab_port) == host


@given(port=st.integers(0, 65535), before=st.sampled_from(["", "x-", "s2"]))
def test_a_host_leads_back_to_its_place(port: int, before: str) -> None:
    pattern = parse(before + "{session}.gpu.example.org")
    place = Place(new_id(), port)
    assert pattern.place_at(pattern.host_of(place, None)) == place


def test_case_and_a_last_dot_do_not_change_a_host() -> None:
    assert parse("{session}.gpu.example.org").place_at(f"{ID.upper()}.GPU.example.org.") == Place(
        ID
    )


@pytest.mark.parametrize(
    "name",
    [
        "gpu.example.org",
        "lab.gpu.example.org",
        f"{ID}.other.example.org",
        f"{ID}.gpuxexample.org",
        f"x.{ID}.gpu.example.org",
        f"{ID}.gpu.example.org.evil.example",
        f"{ID}-0.gpu.example.org",
        f"{ID}-06006.gpu.example.org",
        f"{ID}-65536.gpu.example.org",
        f"{ID}-.gpu.example.org",
        f"{ID}x.gpu.example.org",
        f"{ID}\n.gpu.example.org",
        "127.0.0.1",
        "",
    ],
)
def test_other_hosts_are_no_sessions(name: str) -> None:
    assert parse("{session}.gpu.example.org").place_at(name) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gpu.example.org", "must contain {session} once"),
        ("{session}.{session}.example.org", "must contain {session} once"),
        ("a.{session}.example.org", "first label"),
        ("{session}", "at least one dot"),
        ("https://{session}.example.org", "without https://"),
        ("{session}.example.org/x", "without https://"),
        ("{session}.exam_ple.org", "must be a host name"),
        ("{session}..org", "must be a host name"),
        ("-{session}.example.org", "must be a host name"),
        ("{session}.example.org:0", "must be a host name"),
        ("{session}.example.org:70000", "at most 65535"),
        ("a" * 46 + "{session}.example.org", "more than 63"),
    ],
)
def test_a_pattern_that_cannot_be_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=re.escape(why)):
        parse(text)
