"""Commands that launch trainings of several processes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.commands.sessions.request import read
from jupyter_gpuquota.ui.grammar import parse, split_line
from jupyter_gpuquota.ui.views.sessions import gpus_of
from tests.builders import make_session
from tests.ui.conftest import Notes


@pytest.mark.parametrize(
    ("option", "framework"),
    [("", "torch"), ("--framework torch", "torch"), ("--framework mpi", "mpi")],
)
def test_the_request_has_its_processes(option: str, framework: str) -> None:
    line = f"submit exp-1 -g 1 --processes 4 {option} -- torchrun train.py"
    called, request, problems = read(parse(split_line(line), terminal=True))
    assert (called, problems) == ("exp-1", ())
    assert (request["processes"], request["kind"]) == (4, "train")
    assert request["command"] == ["torchrun", "train.py"]
    assert request["framework"] == framework


@pytest.mark.parametrize("option", ["", "--framework mpi"])
def test_what_is_taken_of_a_template_is_not_replaced(option: str) -> None:
    line = f"submit exp-1 --template large --processes 2 {option} -- train"
    _, request, _ = read(parse(split_line(line), terminal=True))
    assert ("framework" in request) == bool(option)


def test_a_backend_that_cannot_start_them_together_refuses(client: Client) -> None:
    line = "submit exp-1 -p team-a --processes 2 -- python train.py"
    with pytest.raises(InvalidFields) as caught:
        run(client, parse(split_line(line), terminal=False), Notes())
    [problem] = caught.value.fields
    assert (problem.field, "Kueue" in problem.hint) == ("processes", True)


def test_one_that_is_queued_shows_the_gpus_of_all() -> None:
    session = make_session("exp-1", "1", kind="train", command=("train",))
    several = replace(session, spec=replace(session.spec, processes=4))
    assert (gpus_of(session), gpus_of(several)) == ("1", "4")
