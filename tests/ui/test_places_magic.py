"""`%gpu` where there are several clusters: what it answers, and what it says of mistakes."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyter_gpuquota import Client
from jupyter_gpuquota.clusters.backend import united
from jupyter_gpuquota.clusters.members import Member, Members
from jupyter_gpuquota.control.storage.fallbacks import FallbackStore
from jupyter_gpuquota.errors import InvalidFields, Unsupported
from jupyter_gpuquota.ui.magics import GpuMagics
from tests.client.inmemory import InMemory
from tests.fakes import make_backend

Gpu = Callable[[str], Any]


@pytest.fixture
def client(tmp_path: Path) -> Client:
    """A client of a controller with the clusters `lab` and `cloud`."""
    lab = Member("lab", make_backend, "lab")
    cloud = Member("cloud", lambda: make_backend([{"name": "ml", "quota": "4"}]), "lab")
    cloud.problem = ""
    both = united(Members([lab, cloud]), FallbackStore(tmp_path / "fallbacks.sqlite"), 600)
    return Client(transport=InMemory(both, url="http://lab/"))


@pytest.fixture
def gpu(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gpu]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shell = InteractiveShell(history_manager=None)
    shell.register_magics(GpuMagics(shell, client))
    yield lambda line: shell.run_line_magic("gpu", line)
    atexit.unregister(shell.atexit_operations)
    shell.atexit_operations()


def test_a_session_is_launched_with_its_places(gpu: Gpu) -> None:
    tried = gpu("submit exp1 -g 1 -p team-a --interactive --on lab,cloud --dry-run").text
    assert "\nlab: " in tried
    assert "\ncloud: " in tried
    session = gpu("submit exp1 -g 1 -p team-a --interactive --on lab,cloud --on-wait 10m").data
    assert [place.project for place in session.fallback.places] == ["team-a", "cloud/ml"]
    assert "lab (now), then cloud" in gpu("describe exp1").text
    assert "cloud/ml" in gpu("quota").text


@pytest.mark.parametrize(
    ("options", "field", "said"),
    [
        ("--on lab,moon", "on[1]", "No cluster or template is named 'moon'"),
        ("--on lab,", "on[1]", "A name is missing"),
        ("--on lab,lab", "on[1]", "lab is listed twice"),
        ("--on lab,cloud --on-wait soon", "on_wait", "Not a duration"),
        ("--on lab,cloud --on-wait 5s", "on_wait", "at least 10 seconds"),
        ("--on-wait 10m", "on_wait", "It needs a list of places"),
        ("-p cloud/ml --data faces", "data[0]", "The cluster cloud has no datasets"),
    ],
)
def test_a_mistake_is_named_with_its_field(gpu: Gpu, options: str, field: str, said: str) -> None:
    with pytest.raises(InvalidFields) as caught:
        gpu(f"submit exp1 -g 1 --interactive {options}")
    (found,) = caught.value.fields
    assert found.field == field
    assert said in found.message


def test_projects_of_another_cluster_are_not_set_here(gpu: Gpu) -> None:
    for line in ("project set cloud/ml --quota 2", "project delete cloud/ml"):
        with pytest.raises(InvalidFields) as caught:
            gpu(line)
        assert caught.value.fields[0].hint == "Set it where cloud is set up."


def test_another_cluster_says_whose_snapshots_there_are(gpu: Gpu) -> None:
    gpu("submit exp1 -g 1 -p cloud/ml --interactive")
    with pytest.raises(Unsupported) as caught:
        gpu("snapshot create exp1")
    assert "of lab" in caught.value.hint


@pytest.mark.parametrize("on", [None, 3])
def test_what_is_no_list_is_refused(client: Client, on: Any) -> None:
    with pytest.raises(InvalidFields) as caught:
        client.sessions.preview("exp1", gpu=1, on=on)
    assert caught.value.fields[0].message == f"It must be a list of texts, not {on!r}."
