"""`resize` restarts a session with a given or recommended share."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields, InvalidRequest, WrongState
from jupyter_gpuquota.model.resources import Usage
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.builders import make_node
from tests.client.inmemory import InMemory
from tests.fakes import Instead, make_backend


def measured() -> Backend:
    """Return a backend with real GPUs, on which every session has used 3 GiB for five hours."""
    backend = make_backend(nodes=(make_node("n1", 4, simulated=False),))

    def sessions() -> tuple[Session, ...]:
        now = datetime.now(UTC)
        used = Usage(at=now, memory=3072, peak=3072, since=now - timedelta(hours=5))
        return tuple(msgspec.structs.replace(s, usage=used) for s in backend.sessions.all())

    return replace(backend, sessions=Instead(backend.sessions, all=sessions))


@pytest.fixture
def gpu(preferred, console):
    client = Client(transport=InMemory(measured(), url="http://lab/"))

    def gpu(line: str):
        return run(client, parse(split_line(line), terminal=False), console)

    gpu("submit exp1 -g 1 --interactive")
    return gpu


def test_resize_takes_the_given_share(gpu):
    assert "exp1 is running" in gpu("resize exp1 -g 0.5").text
    assert gpu("describe exp1").data.placement.milli == 500
    assert gpu("resize exp1 --gpu-memory 4Gi --wait").data[0].spec.share.memory == 4096


def test_shares_have_three_decimals(gpu):
    assert "0.125 GPU" in gpu("submit exp2 -g 0.125 --interactive --dry-run").text
    gpu("resize exp1 -g 0.125")
    assert gpu("describe exp1").data.placement.milli == 125
    with pytest.raises(InvalidFields, match=r"smallest step, 0\.001 GPU\. Use 0\.125"):
        gpu("resize exp1 -g 0.1255")


def test_resize_takes_the_recommended_share(gpu):
    assert "0.15 would suffice" in gpu("describe exp1").text
    assert gpu("resize exp1").data[0].spec.share.milli == 150
    with pytest.raises(InvalidRequest, match="the share fits"):
        gpu("resize exp1")


def test_an_impossible_share_is_refused_and_nothing_stops(gpu):
    for line in ("resize exp1 -g 1.5", "resize exp1 -g 0.5 --gpu-memory 4Gi", "resize exp1 -g 9"):
        with pytest.raises(InvalidFields):
            gpu(line)
    with pytest.raises(WrongState, match="already"):
        gpu("resize exp1 -g 1")
    assert gpu("describe exp1").data.placement.milli == 1000


def test_without_measurements_there_is_no_recommendation(client, console):
    client.sessions.submit("exp1", gpu=0.5, kind="interactive")
    with pytest.raises(InvalidRequest, match="simulated"):
        run(client, parse(["resize", "exp1"], terminal=False), console)


def test_a_volume_is_mounted_and_the_share_stays(client, console):
    def gpu(line):
        return run(client, parse(split_line(line), terminal=False), console)

    client.volumes.create("notes", size="1Gi")
    client.sessions.submit("exp1", gpu=0.5, kind="interactive")
    with pytest.raises(InvalidFields, match="lacking"):
        gpu("resize exp1 -v lacking:/there")
    (resized,) = gpu("resize exp1 -v notes:/notes --wait").data
    assert (resized.state, resized.spec.share.milli) == ("running", 500)
    assert [(each.volume, each.path) for each in resized.spec.mounts] == [("notes", "/notes")]
    with pytest.raises(InvalidFields, match="/notes"):
        gpu("resize exp1 -v notes:/notes")
