"""What each command does, against the real use cases in memory."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from jupyter_gpuquota import Client
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
from jupyter_gpuquota.ui.actions import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from jupyter_gpuquota.ui.screen import tell
from tests.builders import NOW, make_session


@pytest.fixture
def gpu(client, screen):
    """Say a line of `%gpu`."""

    def gpu(line: str):
        return run(client, parse(split_line(line), terminal=False), screen)

    return gpu


def test_submit_answers_with_the_session_and_what_to_do_next(gpu):
    view = gpu("submit exp1 -g 0.5 -p team-b --interactive")
    assert (view.data.spec.name, view.data.spec.project) == ("exp1", "team-b")
    assert "open exp1" in view.text


def test_describe_says_whether_the_share_is_right(gpu, client):
    gpu("submit exp1 -g 0.5 --interactive")
    gpu("submit exp2 --interactive")
    assert "right size:" in gpu("describe exp1").text
    assert "It cannot be measured: the GPU is simulated." in gpu("describe exp1").text
    assert "right size:" not in gpu("describe exp2").text
    assert client.sessions.advice("exp1").verdict == "unmeasured"


def test_whoever_shares_a_project_sees_that_a_session_is_there_and_no_more(gpu, transport):
    gpu("submit exp1 -g 0.5 -e KEY=secret --interactive")
    transport.user = "ben"
    assert [s.spec.name for s in gpu("list").data] == ["exp1"]
    shown = [line.partition(":")[0] for line in gpu("describe exp1").text.splitlines()]
    assert {"name", "status", "user", "share", "placed on"} <= set(shown)
    hidden = {"environment", "folder", "command", "variables", "address"}
    assert not {*hidden, "right size", "idle policy"} & set(shown)
    for verb in ("logs", "stop", "suspend", "keep-alive", "resize", "delete", "open"):
        with pytest.raises(NotAllowed) as caught:
            gpu(f"{verb} exp1")
        assert caught.value.hint, verb
    with pytest.raises(NotAllowed):
        gpu("exec exp1 ls")


def test_submit_with_wait_tells_the_steps(gpu, screen):
    assert gpu("submit exp1 -g 0.5 --interactive --wait").data.state == "running"
    assert screen.lines[-1] == "exp1 is running."


def test_all_that_is_wrong_is_said_at_once_whoever_finds_it(gpu, client):
    with pytest.raises(InvalidFields) as caught:
        gpu("submit bad! -g 1.5 -e A -p team-x")
    assert [f.field for f in caught.value.fields][:2] == ["command", "env.A"]
    assert {f.field for f in caught.value.fields} == {"command", "env.A", "name", "gpu", "project"}
    assert caught.value.message == "5 fields are not acceptable."
    assert client.sessions.list() == ()


def test_a_command_that_is_missing_is_said_though_nobody_answers(screen):
    args = parse(split_line("submit exp1 -g 1"), terminal=False)
    with pytest.raises(InvalidFields) as caught:
        run(Client("http://127.0.0.1:1/"), args, screen)
    assert [f.field for f in caught.value.fields] == ["command"]


def test_a_taken_name_is_refused(gpu):
    gpu("submit exp1 --interactive")
    with pytest.raises(NameTaken):
        gpu("submit exp1 --interactive")


def test_the_list_may_be_filtered(gpu):
    gpu("submit exp1 -p team-a --interactive")
    gpu("submit exp2 -p team-b --interactive")
    gpu("stop exp2")
    assert [s.spec.name for s in gpu("list").data] == ["exp1", "exp2"]
    assert [s.spec.name for s in gpu("list -p team-a").data] == ["exp1"]
    assert [s.spec.name for s in gpu("list --state stopped,failed").data] == ["exp2"]
    nobodys = gpu("list --user somebody")
    assert nobodys.data == ()
    assert nobodys.text == "No session matches."
    assert "No session matches." in nobodys.html


def test_several_are_changed_in_one_line(gpu):
    for name in ("exp1", "exp2"):
        gpu(f"submit {name} --interactive")
    assert [s.state for s in gpu("suspend exp1 exp2").data] == ["suspended"] * 2
    assert [s.state for s in gpu("resume exp1 exp2 --wait").data] == ["running"] * 2
    assert gpu("stop exp1 exp2").text.splitlines() == [
        "exp1 is stopped: Stopped on request.",
        "exp2 is stopped: Stopped on request.",
    ]
    assert gpu("delete exp1 exp2").data == {"deleted": "exp1, exp2"}
    assert gpu("list").data == ()


def test_what_runs_is_deleted_only_if_it_may_be_stopped(gpu):
    gpu("submit exp1 --interactive")
    with pytest.raises(WrongState):
        gpu("delete exp1")
    gpu("delete exp1 --stop")


def test_logs_are_shown_or_followed(gpu, backend, screen):
    session = gpu("submit exp1 --interactive").data
    backend.logs.texts[session.id] = "one\ntwo\n"
    assert gpu("logs exp1").text == "one\ntwo"
    assert gpu("logs exp1 --tail 1").text == "two"
    gpu("stop exp1")
    assert gpu("logs exp1 -f") is None
    assert screen.written == ["one\ntwo\n"]


def test_a_program_runs_through_rest_in_a_notebook(gpu, screen):
    gpu("submit exp1 --interactive")
    assert gpu("exec exp1 echo hi").data.output == "echo hi\n"
    assert gpu("exec exp1 -- ls -l").text == ""
    assert screen.written == ["echo hi\n", "ls -l\n"]
    with pytest.raises(InvalidFields):
        gpu("exec exp1")


def test_a_notebook_gets_a_link(gpu):
    session = gpu("submit exp1 --interactive --port 6006").data
    assert gpu("open exp1").data == {"url": f"/gpuquota/s/{session.id}/"}
    assert gpu("open exp1 --port 6006").data == {"url": f"/gpuquota/s/{session.id}/p/6006/"}
    assert 'target="_blank"' in gpu("open exp1").html
    gpu("stop exp1")
    with pytest.raises(WrongState, match="stopped"):
        gpu("open exp1")


def test_the_views_of_the_machine(gpu):
    assert gpu("quota").data.mine == ("team-a", "team-b")
    assert len(gpu("nodes").records) == 16
    assert gpu("environments").data.environments[0].id == "base"


def test_a_project_may_be_preferred(gpu):
    assert gpu("config project").data == {"project": ""}
    gpu("config project team-b")
    assert gpu("submit exp1 --interactive").data.spec.project == "team-b"
    assert gpu("config project").text == "The preferred project is team-b."
    gpu("config project --unset")
    assert preferences.project() == ""


def test_only_a_project_that_there_is(gpu):
    with pytest.raises(InvalidFields) as caught:
        gpu("config project team-x")
    assert "team-a, team-b" in caught.value.fields[0].hint
    assert preferences.project() == ""
    with pytest.raises(InvalidRequest):
        gpu("config project team-a --unset")


def test_a_preferred_project_that_has_gone_is_named_as_the_cause(gpu):
    preferences.set_project("team-x")
    with pytest.raises(InvalidFields) as caught:
        gpu("submit exp1 --interactive")
    assert "config project" in caught.value.hint
    with pytest.raises(InvalidFields) as caught:
        gpu("submit exp1 --interactive -p team-y")
    assert "config project" not in caught.value.hint


def test_help_is_an_answer(gpu):
    assert "usage: %gpu submit" in gpu("help submit").text
    with pytest.raises(InvalidRequest, match="no command 'nothing'"):
        gpu("help nothing")


def test_an_error_names_what_is_missing(gpu):
    with pytest.raises(NotFound, match="'nothing'"):
        gpu("describe nothing")


def test_each_step_is_told_once(screen):
    steps = tuple(Progress(at=NOW, message=f"step {n}") for n in range(2))
    reason = Reason(code="OverQuota", message="One stands before it.")
    waiting = msgspec.structs.replace(make_session("exp1"), reason=reason)
    moving = msgspec.structs.replace(make_session("exp1", state="starting"), progress=steps[:1])
    running = msgspec.structs.replace(make_session("exp1", state="running"), progress=steps)
    assert list(tell([waiting, waiting, moving, running], screen))[-1] == running
    stopping = msgspec.structs.replace(make_session("exp1", state="stopping"), progress=steps)
    screen_of_stop = type(screen)()
    assert list(tell([stopping], screen_of_stop)) == [stopping]
    assert screen_of_stop.lines == ["exp1 is stopping."]
    assert screen.lines == [
        "exp1 waits: One stands before it.",
        "exp1: step 0",
        "exp1: step 1",
        "exp1 is running.",
    ]


@pytest.mark.parametrize("verb", ["suspend", "stop"])
def test_a_change_does_not_tell_again_how_the_session_started(gpu, backend, screen, verb):
    session = gpu("submit exp1 --interactive").data
    started = (Progress(at=NOW, message="Answering."),)
    backend.resident.board.show(msgspec.structs.replace(session, progress=started))
    gpu(f"{verb} exp1")
    assert screen.lines == []


def test_steps_that_are_newer_than_the_request_are_told_though_their_words_are_not_new(screen):
    old = Progress(at=NOW, message="Answering.")
    new = Progress(at=NOW + timedelta(seconds=9), message="Answering.")
    starting = msgspec.structs.replace(make_session("exp1", state="starting"), progress=(old, new))
    assert list(tell([starting], screen, old=(old,))) == [starting]
    assert screen.lines == ["exp1: Answering."]
