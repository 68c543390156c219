"""What each command does, against the real use cases in memory."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from jupyter_gpuquota.client import preferences
from jupyter_gpuquota.errors import (
    InvalidFields,
    InvalidRequest,
    NameTaken,
    NotAllowed,
    NotFound,
    WrongState,
)
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.sessions import Progress
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.console import show_progress
from jupyter_gpuquota.ui.grammar import parse, split_line
from jupyter_gpuquota.ui.parser import HelpRequested
from tests.builders import NOW, make_session


@pytest.fixture
def gpu(client, console):
    """Run a line of `%gpu`."""

    def gpu(line: str):
        return run(client, parse(split_line(line), terminal=False), console)

    return gpu


def test_submit_returns_the_session_and_the_next_step(gpu):
    view = gpu("submit exp1 -g 0.5 -p team-b --interactive")
    assert (view.data.spec.name, view.data.spec.project) == ("exp1", "team-b")
    assert "open exp1" in view.text


def test_submit_names_the_folder_of_the_session(gpu, client):
    view = gpu("submit exp1 --interactive --folder /data")
    folder = client.sessions.get("exp1").spec.folder
    assert folder
    assert view.text.splitlines()[-1] == f"Its folder is {folder}. Open it with `%gpu open exp1`."


def test_describe_shows_the_recommended_size(gpu, client):
    gpu("submit exp1 -g 0.5 --interactive")
    gpu("submit exp2 --interactive")
    assert "recommended size:" in gpu("describe exp1").text
    assert "Not available for simulated GPUs." in gpu("describe exp1").text
    assert "recommended size:" not in gpu("describe exp2").text
    assert client.sessions.advice("exp1").verdict == "unmeasured"


def test_members_see_sessions_of_others_without_their_requests(gpu, transport):
    gpu("submit exp1 -g 0.5 -e KEY=secret --interactive")
    transport.user = "ben"
    assert [s.spec.name for s in gpu("list").data] == ["exp1"]
    shown = [line.partition(":")[0] for line in gpu("describe exp1").text.splitlines()]
    assert {"name", "status", "user", "share", "runs on"} <= set(shown)
    hidden = {"environment", "folder", "command", "variables", "address"}
    assert not {*hidden, "recommended size", "idle policy"} & set(shown)
    for verb in ("logs", "stop", "suspend", "keep-alive", "resize", "delete", "open"):
        with pytest.raises(NotAllowed) as caught:
            gpu(f"{verb} exp1")
        assert caught.value.hint, verb
    with pytest.raises(NotAllowed):
        gpu("exec exp1 ls")


def test_submit_with_wait_shows_progress(gpu, console):
    assert gpu("submit exp1 -g 0.5 --interactive --wait").data.state == "running"
    assert console.lines[-1] == "exp1 is running."


def test_problems_found_here_and_by_the_server_are_reported_together(gpu, client):
    with pytest.raises(InvalidFields) as caught:
        gpu("submit bad! -g 0 -e A -p team-x")
    assert caught.value.fields[0].field == "env.A"
    assert {f.field for f in caught.value.fields} == {"command", "env.A", "name", "gpu", "project"}
    assert caught.value.message == "5 invalid fields."
    assert client.sessions.list() == ()


def test_a_missing_command_is_reported(gpu, client):
    with pytest.raises(InvalidFields) as caught:
        gpu("submit exp1 -g 1")
    assert [f.field for f in caught.value.fields] == ["command"]
    assert client.sessions.list() == ()


def test_a_taken_name_is_refused(gpu):
    gpu("submit exp1 --interactive")
    with pytest.raises(NameTaken):
        gpu("submit exp1 --interactive")


def test_the_list_can_be_filtered(gpu):
    gpu("submit exp1 -p team-a --interactive")
    gpu("submit exp2 -p team-b --interactive")
    gpu("stop exp2")
    assert [s.spec.name for s in gpu("list").data] == ["exp1", "exp2"]
    assert [s.spec.name for s in gpu("list -p team-a").data] == ["exp1"]
    assert [s.spec.name for s in gpu("list --state stopped,failed").data] == ["exp2"]
    nobodys = gpu("list --user somebody")
    assert nobodys.data == ()
    assert nobodys.text == "No matching sessions."
    assert "No matching sessions." in nobodys.html


def test_one_command_changes_several_sessions(gpu):
    for name in ("exp1", "exp2"):
        gpu(f"submit {name} --interactive")
    assert [s.state for s in gpu("suspend exp1 exp2").data] == ["suspended"] * 2
    assert [s.state for s in gpu("resume exp1 exp2 --wait").data] == ["running"] * 2
    assert gpu("stop exp1 exp2").text.splitlines() == [
        "exp1: Stopped on request.",
        "exp2: Stopped on request.",
    ]
    assert gpu("delete exp1 exp2").data == {"deleted": "exp1, exp2"}
    assert gpu("list").data == ()


def test_a_running_session_is_deleted_only_with_stop(gpu):
    gpu("submit exp1 --interactive")
    with pytest.raises(WrongState):
        gpu("delete exp1")
    gpu("delete exp1 --stop")


def test_an_error_names_what_has_been_deleted_before(gpu, console):
    gpu("submit exp1 --interactive")
    gpu("stop exp1")
    with pytest.raises(NotFound, match="'exp2'"):
        gpu("delete exp1 exp2")
    assert console.lines[-1] == "Deleted exp1."


def test_logs_are_shown_or_followed(gpu, backend, console):
    session = gpu("submit exp1 --interactive").data
    backend.logs.texts[session.id] = "one\ntwo\n"
    assert gpu("logs exp1").text == "one\ntwo"
    assert gpu("logs exp1 --tail 1").text == "two"
    gpu("stop exp1")
    assert gpu("logs exp1 -f") is None
    assert console.written == ["one\ntwo\n"]


def test_a_program_runs_through_rest_in_a_notebook(gpu, console):
    gpu("submit exp1 --interactive")
    assert gpu("exec exp1 echo hi").data.output == "echo hi\n"
    assert gpu("exec exp1 -- ls -l").text == ""
    assert console.written == ["echo hi\n", "ls -l\n"]
    with pytest.raises(InvalidFields):
        gpu("exec exp1")


def test_a_notebook_gets_a_link(gpu):
    session = gpu("submit exp1 --interactive --port 6006").data
    assert gpu("open exp1").data == {"url": f"/gpuquota/s/{session.id}/"}
    assert gpu("open exp1 --port 6006").data == {"url": f"/gpuquota/s/{session.id}/p/6006/"}
    assert 'target="_blank"' in gpu("open exp1").html
    gpu("stop exp1")
    with pytest.raises(WrongState, match="not running: Stopped"):
        gpu("open exp1")


def test_the_views_of_the_machine(gpu):
    assert gpu("quota").data.mine == ("team-a", "team-b")
    assert len(gpu("nodes").records) == 16
    assert gpu("environments").data.environments[0].id == "base"


def test_a_preferred_project_is_used(gpu):
    assert gpu("project default").data == {"project": ""}
    gpu("project default team-b")
    assert gpu("submit exp1 --interactive").data.spec.project == "team-b"
    assert gpu("project default").text == "Default project: team-b."
    gpu("project default --unset")
    assert preferences.project() == ""


def test_only_an_own_project_can_be_preferred(gpu):
    with pytest.raises(InvalidFields) as caught:
        gpu("project default team-x")
    assert "team-a, team-b" in caught.value.fields[0].hint
    assert preferences.project() == ""
    with pytest.raises(InvalidRequest):
        gpu("project default team-a --unset")


def test_a_deleted_preferred_project_is_named_as_the_cause(gpu):
    preferences.set_project("team-x")
    with pytest.raises(InvalidFields) as caught:
        gpu("submit exp1 --interactive")
    assert "project default" in caught.value.hint
    with pytest.raises(InvalidFields) as caught:
        gpu("submit exp1 --interactive -p team-y")
    assert "project default" not in caught.value.hint


def test_help_is_an_answer(gpu):
    with pytest.raises(HelpRequested, match="usage: %gpu submit"):
        gpu("help submit")
    with pytest.raises(InvalidRequest, match="Unknown command 'nothing'"):
        gpu("help nothing")


def test_an_error_names_what_is_missing(gpu):
    with pytest.raises(NotFound, match="'nothing'"):
        gpu("describe nothing")


def test_each_step_is_shown_once(console):
    steps = tuple(Progress(at=NOW, message=f"step {n}") for n in range(2))
    reason = Reason(code="OverQuota", message="One stands before it.")
    waiting = msgspec.structs.replace(make_session("exp1"), reason=reason)
    moving = msgspec.structs.replace(make_session("exp1", state="starting"), progress=steps[:1])
    running = msgspec.structs.replace(make_session("exp1", state="running"), progress=steps)
    assert list(show_progress([waiting, waiting, moving, running], console))[-1] == running
    stopping = msgspec.structs.replace(make_session("exp1", state="stopping"), progress=steps)
    screen_of_stop = type(console)()
    assert list(show_progress([stopping], screen_of_stop)) == [stopping]
    assert screen_of_stop.lines == ["exp1 is stopping."]
    assert console.lines == [
        "exp1 is queued: One stands before it.",
        "exp1: step 0",
        "exp1: step 1",
        "exp1 is running.",
    ]


@pytest.mark.parametrize("verb", ["suspend", "stop"])
def test_a_change_does_not_repeat_the_progress_of_the_start(gpu, backend, console, verb):
    session = gpu("submit exp1 --interactive").data
    started = (Progress(at=NOW, message="Answering."),)
    backend.resident.board.show(msgspec.structs.replace(session, progress=started))
    gpu(f"{verb} exp1")
    assert console.lines == []


def test_new_steps_are_shown_even_if_their_text_is_not_new(console):
    old = Progress(at=NOW, message="Answering.")
    new = Progress(at=NOW + timedelta(seconds=9), message="Answering.")
    starting = msgspec.structs.replace(make_session("exp1", state="starting"), progress=(old, new))
    assert list(show_progress([starting], console, old=(old,))) == [starting]
    assert console.lines == ["exp1: Answering."]
