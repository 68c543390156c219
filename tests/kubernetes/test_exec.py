"""Programs run in pods, with their output, exit code and timeout."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from jupyter_gpuquota.errors import InvalidFields, NotFound, Unavailable, Unsupported, WrongState
from jupyter_gpuquota.kubernetes.programs.exec import KubeExec
from jupyter_gpuquota.kubernetes.programs.pod_program import End, end_of
from jupyter_gpuquota.kubernetes.session_pods import Outside, pod_path
from jupyter_gpuquota.model.programs import ExecRequest
from tests.builders import make_session
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.session_pod import CONTAINER, make_pod, make_running
from tests.kubernetes.sockets import FakeSocket, Opened
from tests.waiting import wait_for

SESSION = make_running()
QUEUED = make_session("queued")


def status(**fields: object) -> bytes:
    return b"\x03" + msgspec.json.encode({"kind": "Status", **fields})


SUCCESS = status(status="Success")


def failed(code: int) -> bytes:
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return status(status="Failure", reason="NonZeroExitCode", details={"causes": causes})


def broken(message: str) -> bytes:
    return status(status="Failure", reason="InternalError", message=message)


def saying(*messages: bytes, protocol: str = ""):
    async def serve(socket: FakeSocket) -> None:
        await socket.say(*messages)
        await socket.end()

    return exec_of(serve, protocol)


def exec_of(serve, protocol: str = ""):
    api, opened = FakeApi(), Opened(serve, protocol)
    sessions = {session.id: session for session in (SESSION, QUEUED)}
    pod = make_pod(SESSION)
    api.controls.sockets[pod_path(pod, "exec")] = opened

    def find(session_id: str):
        if session_id not in sessions:
            raise NotFound("No such session.")
        return sessions[session_id]

    return KubeExec(api, find, lambda s: pod if s is SESSION else None, Outside()), opened


async def test_both_streams_and_the_exit_code_are_returned():
    exec_, opened = saying(b"\x01", b"\x01out ", b"\x02err", failed(3))
    result = await exec_.execute(SESSION.id, ExecRequest(command=("ls", "-l", "a b; $c")))
    assert (result.exit_code, result.output, result.timed_out) == (3, "out err", False)
    assert opened.queries == [
        [
            ("container", CONTAINER),
            ("stdout", "true"),
            ("stderr", "true"),
            ("command", "ls"),
            ("command", "-l"),
            ("command", "a b; $c"),
        ]
    ]
    assert opened.sockets[0].closed.is_set()


async def test_the_first_event_is_the_start_and_characters_stay_whole():
    snow = "\N{SNOWMAN}".encode()
    exec_, _ = saying(b"\x01", b"\x01" + snow[:1], b"\x01" + snow[1:], SUCCESS)
    seen = [event async for event in exec_.stream(SESSION.id, ExecRequest(command=("x",)))]
    assert seen[0].output == ""
    assert "".join(event.output for event in seen) == "\N{SNOWMAN}"
    assert seen[-1].result is not None
    assert seen[-1].result.exit_code == 0


async def test_a_program_that_is_too_slow_is_left():
    async def hang(socket: FakeSocket) -> None:
        await socket.say(b"\x01", b"\x01so far")

    exec_, opened = exec_of(hang)
    result = await exec_.execute(SESSION.id, ExecRequest(command=("sleep", "9"), timeout=1))
    assert (result.output, result.timed_out) == ("so far", True)
    assert result.exit_code != 0
    assert opened.sockets[0].closed.is_set()


async def test_closing_the_iterator_closes_the_connection():
    async def chatter(socket: FakeSocket) -> None:
        while True:
            await socket.say(b"\x01more")

    exec_, opened = exec_of(chatter)
    stream = exec_.stream(SESSION.id, ExecRequest(command=("yes",)))
    await anext(stream)
    await stream.aclose()
    assert opened.sockets[0].closed.is_set()
    opened.tasks[0].cancel()


async def test_a_slow_reader_slows_the_program():
    told = 0

    async def chatter(socket: FakeSocket) -> None:
        nonlocal told
        while True:
            await socket.say(b"\x01more")
            told += 1

    exec_, opened = exec_of(chatter)
    stream = exec_.stream(SESSION.id, ExecRequest(command=("yes",)))
    await anext(stream)
    await wait_for(lambda: told > 0)
    await asyncio.sleep(0.05)
    assert told < 20
    await stream.aclose()
    opened.tasks[0].cancel()


@pytest.mark.parametrize(
    ("message", "end"),
    [
        (SUCCESS, End(0)),
        (failed(143), End(143)),
        (broken("Internal error occurred: exit status 7"), End(7)),
        (b"\x03exit code 9 of an old runtime", End(9)),
    ],
)
def test_the_exit_code_is_found(message, end):
    assert end_of(message[1:]) == end


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ('exec: "nope": executable file not found in $PATH', 127),
        ("exec /x: permission denied", 126),
    ],
)
async def test_a_program_that_cannot_be_started_says_why(words, code):
    exec_, _ = saying(b"\x01", broken(words))
    result = await exec_.execute(SESSION.id, ExecRequest(command=("nope",)))
    assert result.exit_code == code
    assert result.output == f"nope: {words}\n"


async def test_other_failures_are_not_taken_for_exits():
    exec_, _ = saying(b"\x01", broken("container not found"))
    with pytest.raises(Unavailable, match="container not found"):
        await exec_.execute(SESSION.id, ExecRequest(command=("x",)))
    exec_, _ = saying(b"\x01", b"\x01half")
    with pytest.raises(Unavailable, match="broke off"):
        await exec_.execute(SESSION.id, ExecRequest(command=("x",)))


async def test_only_running_sessions_run_programs():
    exec_, opened = saying()
    for session, error in ((QUEUED.id, WrongState), ("nobody", NotFound)):
        for ask in (
            exec_.execute(session, ExecRequest(command=("x",))),
            anext(exec_.stream(session, ExecRequest(command=("x",)))),
            exec_.context(session),
        ):
            with pytest.raises(error):
                await ask
    with pytest.raises(InvalidFields):
        await exec_.execute(SESSION.id, ExecRequest(command=()))
    with pytest.raises(Unsupported, match="cluster"):
        await exec_.context(SESSION.id)
    assert not opened.sockets
