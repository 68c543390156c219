"""What the verbs of sessions do, step by step, against the real use cases."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_gpuquota.client import programs
from jupyter_gpuquota.client import sessions as operations
from jupyter_gpuquota.client.discovery import Home
from jupyter_gpuquota.client.senders import Walk
from jupyter_gpuquota.client.servers import JupyterServer
from jupyter_gpuquota.client.steps import Ask, Emit, Pause
from jupyter_gpuquota.errors import InvalidFields, NoServer, NotFound, Unsupported, WrongState
from tests.builders import make_session

LAB = JupyterServer(url="http://127.0.0.1:8888/user/me/", base_url="/user/me/", root="/root")


def fields_of(caught) -> dict[str, str]:
    return {field.field: field.message for field in caught.value.fields}


def sent(transport) -> dict:
    return msgspec.json.decode(transport.seen[-1].body)


def test_a_session_is_asked_for_in_the_words_of_the_request(sessions, backend):
    session = sessions.submit(
        "exp1", gpu=0.5, project="team-b", kind="train", command=["sleep", "9"]
    )
    assert session.spec.share.milli == 500
    assert (session.spec.project, session.spec.kind) == ("team-b", "train")
    assert session.spec.command == ("sleep", "9")
    assert "stop" in session.actions
    assert backend.sessions.all() == (msgspec.structs.replace(session, actions=()),)


def test_a_preview_changes_nothing(sessions, backend):
    assert sessions.preview("exp1", gpu=2).verdict == "fits"
    assert sessions.preview("exp1", gpu=1.5).verdict == "forbidden"
    assert backend.sessions.all() == ()


@pytest.mark.parametrize("gpu", [0, -1, 1.5, 0.001, float("nan"), float("inf"), "½", "x"])
def test_a_bad_share_is_refused_with_its_field(sessions, backend, gpu):
    with pytest.raises(InvalidFields) as caught:
        sessions.submit("exp1", gpu=gpu)
    assert list(fields_of(caught)) == ["gpu"]
    assert backend.sessions.all() == ()


@pytest.mark.parametrize("field", ["command", "args"])
def test_words_in_one_text_are_not_taken_apart_letter_by_letter(sessions, field):
    with pytest.raises(InvalidFields) as caught:
        sessions.submit("exp1", **{field: "ls -l"})
    assert list(fields_of(caught)) == [field]


def test_an_unknown_wish_is_a_mistake_of_the_program(sessions):
    with pytest.raises(TypeError, match="gpus"):
        sessions.submit("exp1", gpus=1)


class TestAtHome:
    """Over the socket the client fills in what a JupyterLab would."""

    @pytest.fixture
    def at_home(self, make):
        return make(home=Home("/user/me/", "/root"))

    def test_a_jupyter_server_starts_in_the_root_of_the_lab_and_is_shown_there(self, at_home):
        spec = at_home.submit("exp1").spec
        assert (spec.folder, spec.base_url) == ("/root", "/user/me/")

    def test_a_command_runs_where_the_user_is(self, at_home):
        assert at_home.submit("exp1", command=["ls"]).spec.folder == "/here"

    @pytest.mark.parametrize(
        ("said", "meant"), [("sub", "/here/sub"), ("/data", "/data"), ("~/x", "~/x")]
    )
    def test_a_folder_begins_where_the_user_is(self, at_home, said, meant):
        assert at_home.submit("exp1", folder=said).spec.folder == meant

    def test_where_no_lab_runs_the_controller_decides(self, make, transport):
        make(home=Home()).submit("exp1")
        assert (sent(transport)["folder"], sent(transport)["base_url"]) == ("", "/")

    def test_resuming_shows_it_here_from_now_on(self, at_home):
        session = at_home.submit("exp1")
        at_home.suspend(session.id)
        assert at_home.resume("exp1").spec.base_url == "/user/me/"


def test_through_a_jupyter_server_nothing_is_filled_in(make, transport):
    make(home=None).submit("exp1", folder="sub", command=["ls"])
    assert (sent(transport)["folder"], sent(transport)["base_url"]) == ("sub", "/")


def test_the_preferred_project_is_taken(make):
    assert make(project="team-b").submit("exp1").spec.project == "team-b"
    assert make(project="team-b").submit("exp1", project="team-a").spec.project == "team-a"


def test_the_life_of_a_session(sessions):
    assert sessions.submit("exp1", gpu=1).state == "running"
    assert sessions.suspend("exp1", wait=True).state == "suspended"
    assert sessions.stop("exp1", wait=True).state == "stopped"
    with pytest.raises(WrongState):
        sessions.stop("exp1")
    sessions.delete("exp1")
    with pytest.raises(NotFound):
        sessions.get("exp1")


def test_what_runs_is_deleted_only_with_stop(sessions, backend):
    sessions.submit("exp1", gpu=1)
    with pytest.raises(WrongState):
        sessions.delete("exp1")
    sessions.delete("exp1", stop=True)
    assert backend.sessions.all() == ()


def walk(operation, answers):
    """Lead an operation by given answers; return what it asked, emitted and returned."""
    steps, given, walked = [], iter(answers), Walk(operation)
    while walked.step is not None:
        steps.append(walked.step)
        walked.answer(next(given) if isinstance(walked.step, Ask) else None)
    return steps, walked.result


def test_waiting_looks_again_until_the_session_is_on_its_way_no_more(sessions):
    states = ["waiting", "waiting", "starting", "running"]
    answers = [
        msgspec.structs.replace(make_session("exp1", "1", state), revision=str(number))
        for number, state in zip(("1", "1", "2", "3"), states, strict=True)
    ]
    steps, result = walk(operations.watch(sessions.context, "id-exp1"), answers)
    emitted = [step.item.state for step in steps if isinstance(step, Emit)]
    assert emitted == ["waiting", "starting", "running"]  # what did not change is not told again
    assert sum(isinstance(step, Pause) for step in steps) == 3
    assert result.state == "running"


@pytest.mark.parametrize("last", ["running", "failed"])
def test_a_command_that_has_just_started_is_looked_at_once_more(sessions, last):
    states = enumerate(("starting", "running", last))
    answers = [
        msgspec.structs.replace(make_session("exp1", state=s, command=("x",)), revision=str(number))
        for number, s in states
    ]
    steps, result = walk(operations.watch(sessions.context, "id-exp1"), answers)
    assert sum(isinstance(step, Pause) for step in steps) == 2
    assert result.state == last


def test_a_log_is_read_piece_by_piece(sessions, backend):
    session = sessions.submit("exp1")
    backend.logs.texts[session.id] = "".join(f"line {n}\n" for n in range(60_000))
    assert sessions.logs("exp1") == backend.logs.texts[session.id]
    assert sessions.logs("exp1", tail=2) == "line 59998\nline 59999\n"


@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("tail", [0, -1])
def test_less_than_one_line_is_refused(sessions, tail, follow):
    sessions.submit("exp1")
    with pytest.raises(InvalidFields) as caught:
        list(sessions.logs("exp1", tail=tail, follow=follow))
    assert list(fields_of(caught)) == ["tail"]


def test_a_log_is_followed_until_the_session_ends(sessions, backend):
    session = sessions.submit("exp1")
    backend.logs.texts[session.id] = "one\n"
    pieces = sessions.logs("exp1", follow=True)
    assert next(pieces) == "one\n"
    backend.logs.texts[session.id] += "two\n"
    assert next(pieces) == "two\n"
    sessions.stop("exp1")
    assert list(pieces) == []


def test_following_begins_with_the_last_lines(sessions, backend):
    session = sessions.submit("exp1")
    backend.logs.texts[session.id] = "one\ntwo\nthree\n"
    sessions.stop("exp1")
    assert list(sessions.logs("exp1", follow=True, tail=1)) == ["three\n"]


def test_a_program_runs_inside(sessions):
    sessions.submit("exp1")
    assert sessions.exec("exp1", ["echo", "hi"]).output == "echo hi\n"
    with pytest.raises(InvalidFields):
        sessions.exec("exp1", "echo hi")


class TestUrl:
    def test_it_is_below_the_lab_that_shows_the_session(self, make):
        sessions = make(home=Home("/user/me/", "/root"), labs=(LAB,))
        session = sessions.submit("exp1", ports=[6006])
        assert sessions.url("exp1") == f"{LAB.url}gpuquota/s/{session.id}/"
        assert sessions.url("exp1", port=6006) == f"{LAB.url}gpuquota/s/{session.id}/p/6006/"
        with pytest.raises(InvalidFields, match="6007"):
            sessions.url("exp1", port=6007)

    def test_a_command_is_shown_by_its_first_port_if_it_has_one(self, make):
        sessions = make(home=Home("/user/me/", "/root"), labs=(LAB,))
        sessions.submit("board", command=["serve"], ports=[6006, 6007])
        assert sessions.url("board").endswith("/p/6006/")
        sessions.submit("train", command=["train"])
        with pytest.raises(Unsupported):
            sessions.url("train")

    def test_without_a_lab_it_is_said_how_to_start_one(self, sessions):
        sessions.submit("exp1")
        with pytest.raises(NoServer) as caught:
            sessions.url("exp1")
        assert "jupyter lab" in caught.value.hint

    def test_a_lab_elsewhere_is_not_taken(self, make):
        sessions = make(home=Home("/other/", ""), labs=(LAB,))
        sessions.submit("exp1")
        with pytest.raises(NoServer, match="/other/"):
            sessions.url("exp1")

    def test_a_jupyter_server_that_was_named_shows_it(self, make, transport):
        transport.url = "https://hub/user/me/"
        sessions = make()
        session = sessions.submit("exp1")
        assert sessions.url("exp1") == f"https://hub/user/me/gpuquota/s/{session.id}/"


def test_only_who_speaks_to_the_socket_may_enter(make, transport):
    transport.url = "https://hub/"
    sessions = make()
    with pytest.raises(Unsupported):
        sessions.run(programs.inside(sessions.context, "exp1"))
