"""What the verbs of sessions do, step by step, against the real use cases."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from jupyter_gpuquota.client.connection.context import Context
from jupyter_gpuquota.client.connection.discovery import Home
from jupyter_gpuquota.client.connection.servers import JupyterServer
from jupyter_gpuquota.client.sessions import Sessions
from jupyter_gpuquota.errors import InvalidFields, NoServer, NotFound, Unsupported, WrongState
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.client.inmemory import InMemory, Scripted, Surroundings

LAB = JupyterServer(url="http://127.0.0.1:8888/user/me/", base_url="/user/me/")


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
    (kept,) = backend.sessions.all()
    assert msgspec.to_builtins(session) == msgspec.to_builtins(kept) | {"actions": session.actions}


def test_a_preview_changes_nothing(sessions, backend):
    assert sessions.preview("exp1", gpu=2).verdict == "fits"
    assert sessions.preview("exp1", gpu=1.5).verdict == "forbidden"
    assert backend.sessions.all() == ()


@pytest.mark.parametrize("gpu", [0, -1, 1.5, 0.0001, float("nan"), float("inf"), "½", "x"])
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
        return make(home=Home("/user/me/"))

    @pytest.mark.parametrize("command", [(), ("ls",)])
    def test_a_session_runs_where_the_user_is_and_is_shown_at_home(self, at_home, command):
        spec = at_home.submit("exp1", command=command).spec
        assert (spec.folder, spec.base_url) == ("/here", "/user/me/")

    @pytest.mark.parametrize(
        ("said", "meant"), [("sub", "/here/sub"), ("/data", "/data"), ("~/x", "~/x")]
    )
    def test_a_folder_begins_where_the_user_is(self, at_home, said, meant):
        assert at_home.submit("exp1", folder=said).spec.folder == meant

    @pytest.mark.parametrize("folder", ["", "sub"])
    def test_folders_of_this_machine_are_not_those_of_a_container(
        self, at_home, transport, backend, folder
    ):
        backend.inventory.local_files = False
        at_home.submit("exp1", command=["ls"], folder=folder)
        assert (sent(transport)["folder"], sent(transport)["base_url"]) == (folder, "/user/me/")

    def test_where_no_lab_runs_the_controller_decides_where_it_is_shown(self, make, transport):
        make(home=Home()).submit("exp1")
        assert (sent(transport)["folder"], sent(transport)["base_url"]) == ("/here", "/")

    def test_a_folder_that_was_deleted_is_refused(self, transport, tmp_path, monkeypatch):
        (tmp_path / "gone").mkdir()
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
        with pytest.raises(InvalidFields, match="current folder was deleted"):
            Context(lambda: transport).folder()

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


def watched(answers: Iterable[Session]) -> tuple[list[Session], list[float]]:
    """Return the reports on a session with given states, and the pauses between polls."""
    context = Surroundings(Scripted(answers))
    return list(Sessions(context).watch("id-exp1")), context.pauses


def test_waiting_looks_again_until_the_session_is_on_its_way_no_more():
    states = ["waiting", "waiting", "starting", "running"]
    answers = [
        msgspec.structs.replace(make_session("exp1", "1", state), revision=str(number))
        for number, state in zip(("1", "1", "2", "3"), states, strict=True)
    ]
    told, pauses = watched(answers)
    assert [s.state for s in told] == ["waiting", "starting", "running"]  # changes only
    assert len(pauses) == 3


@pytest.mark.parametrize("last", ["running", "failed"])
def test_a_command_that_has_just_started_is_looked_at_once_more(last):
    states = enumerate(("starting", "running", last))
    answers = [
        msgspec.structs.replace(make_session("exp1", state=s, command=("x",)), revision=str(number))
        for number, s in states
    ]
    told, pauses = watched(answers)
    assert len(pauses) == 2
    assert told[-1].state == last


def test_a_session_that_is_being_stopped_is_not_waited_for_for_ever():
    stopping = msgspec.structs.replace(make_session("exp1", state="stopping"), revision="1")
    changed = msgspec.structs.replace(stopping, revision="2")
    told, pauses = watched([*([stopping] * 100), changed])
    assert told[-1].state == "stopping"
    assert 180 < sum(pauses) < 240  # it begins anew with each change


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


def routes(transport: InMemory) -> list[str]:
    """Return method and path of what was sent, and forget it."""
    seen = [f"{message.method} {message.target}" for message in transport.seen]
    transport.seen.clear()
    return seen


@pytest.mark.parametrize(
    ("verb", "sent"),
    [
        (lambda s: s.get("exp1"), "GET /sessions/exp1"),
        (lambda s: s.advice("exp1"), "GET /sessions/exp1/advice"),
        (lambda s: s.activity("exp1"), "GET /sessions/exp1/activity"),
        (lambda s: s.logs("exp1", tail=5), "GET /sessions/exp1/log?tail=5"),
        (lambda s: s.exec("exp1", ["true"]), "POST /sessions/exp1/exec"),
        (lambda s: list(s.exec_stream("exp1", ["x"])), "POST /sessions/exp1/exec/stream"),
        (lambda s: s.inside("exp1"), "GET /sessions/exp1/context"),
        (lambda s: s.keep_alive("exp1", "1h"), "POST /sessions/exp1/keep-alive"),
        (lambda s: s.suspend("exp1"), "POST /sessions/exp1/suspend"),
        (lambda s: s.stop("exp1"), "POST /sessions/exp1/stop"),
        (lambda s: s.stop("team-a/exp1"), "POST /sessions/team-a~exp1/stop"),
        (lambda s: s.stop("exp1", project="team-a"), "POST /sessions/team-a~exp1/stop"),
        (lambda s: s.watch("exp1"), "GET /sessions/exp1"),
    ],
)
def test_a_verb_on_a_name_is_one_request(sessions, transport, verb, sent):
    sessions.submit("exp1", project="team-a")
    routes(transport)
    verb(sessions)
    assert routes(transport) == [sent]


def test_so_are_those_on_what_has_ended(sessions, transport, backend):
    session = sessions.submit("exp1")
    backend.logs.texts[session.id] = "done\n"
    sessions.stop("exp1")
    routes(transport)
    assert sessions.logs("exp1") == "done\n"
    sessions.resume("exp1")
    sessions.resize("exp1", gpu=0.5)
    sessions.stop("exp1")
    sessions.delete("exp1")
    assert routes(transport) == [
        "GET /sessions/exp1/log",
        "POST /sessions/exp1/resume",
        "POST /sessions/exp1/resize",
        "POST /sessions/exp1/stop",
        "DELETE /sessions/exp1",
    ]


def test_a_session_has_its_gpus_and_its_url(make):
    sessions = make(home=Home("/user/me/"), labs=(LAB,))
    session = sessions.submit("exp1", gpu=0.5)
    assert (session.gpus, session.url) == (0.5, sessions.url("exp1"))
    assert [each.url for each in sessions.list()] == [session.url]
    stopped = sessions.stop("exp1")
    assert (stopped.gpus, stopped.url) == (0.0, "")


class TestUrl:
    def test_it_is_below_the_lab_that_shows_the_session(self, make):
        sessions = make(home=Home("/user/me/"), labs=(LAB,))
        session = sessions.submit("exp1", ports=[6006])
        assert sessions.url("exp1") == f"{LAB.url}gpuquota/s/{session.id}/"
        assert sessions.url("exp1", port=6006) == f"{LAB.url}gpuquota/s/{session.id}/p/6006/"
        with pytest.raises(InvalidFields, match="6007"):
            sessions.url("exp1", port=6007)

    def test_a_command_is_shown_by_its_first_port_if_it_has_one(self, make):
        sessions = make(home=Home("/user/me/"), labs=(LAB,))
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
        sessions = make(home=Home("/other/"), labs=(LAB,))
        sessions.submit("exp1")
        with pytest.raises(NoServer, match="/other/"):
            sessions.url("exp1")

    def test_a_jupyter_server_that_was_named_shows_it(self, make, transport):
        transport.url = "https://hub/user/me/"
        sessions = make()
        session = sessions.submit("exp1")
        assert sessions.url("exp1") == f"https://hub/user/me/gpuquota/s/{session.id}/"

    def test_inside_a_session_it_stands_beside_that_one(self, make, transport):
        transport.url = "https://hub/user/me/gpuquota/s/abc/"
        sessions = make()
        session = sessions.submit("exp1")
        assert sessions.url("exp1") == f"https://hub/user/me/gpuquota/s/{session.id}/"
        assert sessions.urls([session]) == {session.id: sessions.url("exp1")}

    def test_the_server_of_a_session_shows_no_other(self, make):
        of_session = JupyterServer(
            url="http://127.0.0.1:9/user/me/gpuquota/s/abc/",
            base_url="/user/me/gpuquota/s/abc/",
        )
        home = Home("/user/me/")
        make(home=home).submit("exp1")
        with pytest.raises(NoServer, match="No JupyterLab"):
            make(home=home, labs=(of_session,)).url("exp1")
        session = make(home=home).get("exp1")
        found = make(home=home, labs=(of_session, LAB)).url("exp1")
        assert found == f"{LAB.url}gpuquota/s/{session.id}/"


def test_only_who_speaks_to_the_socket_may_enter(make, transport):
    transport.url = "https://hub/"
    sessions = make()
    with pytest.raises(Unsupported):
        sessions.inside("exp1")
