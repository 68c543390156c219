"""Commands that launch trainings of several processes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import GpuQuotaError, InvalidFields
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.commands.sessions.request import read
from jupyter_gpuquota.ui.grammar import parse, split_line
from jupyter_gpuquota.ui.views.sessions import gpus_of
from tests.builders import make_session
from tests.ui.conftest import Notes


@pytest.mark.parametrize("name", ["submit-dist", "submit-mpi", "submit"])
def test_the_request_has_its_processes(name: str) -> None:
    line = f"{name} exp-1 -g 1 --processes 4 -- torchrun train.py"
    called, request, problems = read(parse(split_line(line), terminal=True))
    assert (called, problems) == ("exp-1", ())
    assert (request["processes"], request["kind"]) == (4, "train")
    assert request["command"] == ["torchrun", "train.py"]
    assert request["framework"] == ("mpi" if name == "submit-mpi" else "torch")


def test_what_is_taken_of_a_template_is_not_replaced() -> None:
    for name, given in (("submit-dist", False), ("submit-mpi", True)):
        line = f"{name} exp-1 --template large --processes 2 -- train"
        _, request, _ = read(parse(split_line(line), terminal=True))
        assert ("framework" in request) == given


def test_their_number_must_be_given() -> None:
    with pytest.raises(GpuQuotaError, match="--processes"):
        parse(split_line("submit-dist exp-1 -g 1 -- python train.py"), terminal=False)


def test_a_backend_that_cannot_start_them_together_refuses(client: Client) -> None:
    line = "submit-dist exp-1 -p team-a --processes 2 -- python train.py"
    with pytest.raises(InvalidFields) as caught:
        run(client, parse(split_line(line), terminal=False), Notes())
    [problem] = caught.value.fields
    assert (problem.field, "Kueue" in problem.hint) == ("processes", True)


def test_one_that_is_queued_shows_the_gpus_of_all() -> None:
    session = make_session("exp-1", "1", kind="train", command=("train",))
    several = replace(session, spec=replace(session.spec, processes=4))
    assert (gpus_of(session), gpus_of(several)) == ("1", "4")
