"""The relay as clients of Jupyter use it, with a real session behind it."""

from __future__ import annotations

import os
import signal
import sys

import nbformat
import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.kernels.spec_files import SpecFiles
from jupyter_gpuquota.kernels.specs import Spec, of_sessions
from tests.shell import wait_for
from tests.waiting import patience


@pytest.fixture(scope="module")
def files(shell):
    environment = Location(shell.folder / "state").environment
    return SpecFiles(shell.folder / "data" / "kernels", sys.executable, environment)


class Relays:
    """Starts relays, as clients of Jupyter do."""

    def __init__(self, shell, specs):
        self._shell, self._specs, self._started = shell, specs, []

    def __call__(self, name="gpu-exp-1", folder=None):
        manager = KernelManager(kernel_name=name, kernel_spec_manager=self._specs)
        where = folder or self._shell.folder / "work"
        manager.start_kernel(env=self._shell.env, cwd=str(where))
        relay = manager.client()
        self._started.append((manager, relay))
        relay.start_channels()
        relay.wait_for_ready(timeout=patience())
        return manager, relay

    def close(self):
        """Shut down those that are left."""
        for manager, relay in self._started:
            relay.stop_channels()
            if manager.is_alive():
                manager.shutdown_kernel()


@pytest.fixture
def start(shell, files, client, session):
    files.sync(of_sessions(client.sessions.list(), client.about().user))
    specs = KernelSpecManager(kernel_dirs=[str(files.folder)], ensure_native_kernel=False)
    relays = Relays(shell, specs)
    yield relays
    relays.close()


@pytest.fixture
def relay(start):
    return start()


def run(relay, code, **options):
    """Return the outputs of a cell and its reply."""
    outputs = []
    reply = relay.execute_interactive(
        code, timeout=patience(), output_hook=lambda m: outputs.append(m), **options
    )
    return outputs, reply["content"]


def reply_to(client, asked):
    """Return the content of the reply to a request; others may come before it."""
    while True:
        reply = client.get_shell_msg(timeout=patience())
        if reply["parent_header"]["msg_id"] == asked:
            return reply["content"]


def wait_for_output(client):
    while client.get_iopub_msg(timeout=patience())["msg_type"] != "stream":
        pass


def text(outputs, *names):
    """Return what a cell has printed, on the streams of these names; default: stdout."""
    streams = (m["content"] for m in outputs if m["msg_type"] == "stream")
    return "".join(each["text"] for each in streams if each["name"] in (names or ("stdout",)))


def kernels(client, session):
    """Return the processes of kernels that run in the session."""
    words = [p.info for p in psutil.process_iter(["pid", "cmdline"])]
    mark = f"/sessions/{session.id}/runtime/kernel-"
    return [w["pid"] for w in words if mark in " ".join(w["cmdline"] or ())]


def test_a_notebook_runs_in_the_session(shell, files, client, session, monkeypatch):
    files.sync(of_sessions(client.sessions.list(), client.about().user))
    assert list(files.installed()) == ["gpu-exp-1"]
    cells = ["import os", "steps = 2", "print(os.environ['GPUQUOTA_SHARE'], steps)", "1 / 0"]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    monkeypatch.setenv("JUPYTER_DATA_DIR", shell.env["JUPYTER_DATA_DIR"])
    patient = {"timeout": patience(), "startup_timeout": patience()}
    runner = NotebookClient(notebook, kernel_name="gpu-exp-1", **patient)
    with pytest.raises(CellExecutionError, match="division by zero"):
        runner.execute(env=shell.env)
    assert notebook.cells[2].outputs[0]["text"] == "0.5 GPU 2\n"
    assert notebook.cells[3].outputs[0]["ename"] == "ZeroDivisionError"
    nbformat.validate(notebook)
    wait_for(lambda: not kernels(client, session))


def test_what_a_kernel_of_here_does_works_there(relay):
    _manager, client = relay
    outputs, reply = run(client, "import os\nprint(os.getcwd())\nx = 20")
    assert text(outputs).strip().endswith("/work")
    assert reply["status"] == "ok"
    answers = []
    outputs, _ = run(
        client,
        "print(input('Name? '))",
        allow_stdin=True,
        stdin_hook=lambda m: (answers.append(m["content"]["prompt"]), client.input("Ana")),
    )
    assert (answers, text(outputs)) == (["Name? "], "Ana\n")
    reply = client.complete("os.getcw", reply=True, timeout=patience())
    assert "getcwd" in reply["content"]["matches"]
    reply = client.kernel_info(reply=True, timeout=patience())
    assert "debugger" in reply["content"]["supported_features"]
    assert reply["content"]["gpuquota"]["session"].endswith("/exp-1")
    assert reply["content"]["gpuquota"]["folder"]["found"] is True
    command = {"type": "request", "seq": 1, "command": "debugInfo", "arguments": {}}
    client.control_channel.send(client.session.msg("debug_request", command))
    reply = client.get_control_msg(timeout=patience())
    assert (reply["msg_type"], reply["content"]["success"]) == ("debug_reply", True)


def test_a_subshell_answers_while_a_cell_runs(relay):
    _manager, client = relay
    a_subshell_answers(client)


def a_subshell_answers(client):
    """Let a subshell end the cell that runs."""
    client.control_channel.send(client.session.msg("create_subshell_request", {}))
    subshell = client.get_control_msg(timeout=patience())["content"]["subshell_id"]
    asked = client.execute("import time\nwhile not globals().get('done'): time.sleep(0.01)")
    message = client.session.msg("execute_request", {"code": "done = True", "silent": False})
    message["header"]["subshell_id"] = subshell
    client.shell_channel.send(message)
    waiting = {asked, message["header"]["msg_id"]}  # either may be answered first
    while waiting:
        reply = client.get_shell_msg(timeout=patience())
        assert reply["content"]["status"] == "ok"
        waiting.discard(reply["parent_header"]["msg_id"])


def test_a_widget_moves_and_has_its_buffers(relay):
    _manager, client = relay
    a_widget_moves(client)


def a_widget_moves(client):
    """Show widgets, and move one as a page does."""
    outputs, _ = run(
        client,
        "import ipywidgets\nfrom IPython.display import display\n"
        "slider, picture = ipywidgets.IntSlider(), ipywidgets.Image(value=bytes(range(256)))\n"
        "display(slider, picture)",
    )
    views = [m["content"]["data"] for m in outputs if m["msg_type"] == "display_data"]
    slider, picture = (v["application/vnd.jupyter.widget-view+json"]["model_id"] for v in views)
    made = {m["content"]["comm_id"]: m for m in outputs if m["msg_type"] == "comm_open"}
    assert made[picture]["content"]["data"]["buffer_paths"] == [["value"]]
    assert [bytes(each) for each in made[picture]["buffers"]] == [bytes(range(256))]
    update = {"method": "update", "buffer_paths": []}
    moved = {"comm_id": slider, "data": {**update, "state": {"value": 7}}}
    client.shell_channel.send(client.session.msg("comm_msg", moved))
    shown = {**update, "state": {}, "buffer_paths": [["value"]]}
    other = client.session.msg("comm_msg", {"comm_id": picture, "data": shown})
    client.session.send(client.shell_channel.socket, other, buffers=[b"another picture"])
    outputs, _ = run(client, "print(slider.value, bytes(picture.value).decode())")
    assert text(outputs) == "7 another picture\n"


def test_a_breakpoint_stops_a_cell(relay):
    """The steps of JupyterLab's debugger."""
    _manager, client = relay
    code = "def f(x):\n    y = x + 1\n    return y\nf(41)"

    def ask(command, **arguments):
        asked = {"type": "request", "seq": 1, "command": command, "arguments": arguments}
        client.control_channel.send(client.session.msg("debug_request", asked))
        reply = client.get_control_msg(timeout=patience())["content"]
        assert reply["success"], reply
        return reply.get("body", {})

    def stopped():
        while True:
            message = client.get_iopub_msg(timeout=patience())
            if message["msg_type"] == "debug_event" and message["content"]["event"] == "stopped":
                return message["content"]["body"]["threadId"]

    ask("initialize", clientID="x", adapterID="x", linesStartAt1=True, columnsStartAt1=True)
    ask("attach")
    path = ask("dumpCell", code=code)["sourcePath"]
    (point,) = ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": 3}])[
        "breakpoints"
    ]
    assert point["verified"]
    ask("configurationDone")
    asked = client.execute(code)
    thread = stopped()
    frame = ask("stackTrace", threadId=thread)["stackFrames"][0]
    assert (frame["name"], frame["line"]) == ("f", 3)
    scope = ask("scopes", frameId=frame["id"])["scopes"][0]["variablesReference"]
    found = ask("variables", variablesReference=scope)["variables"]
    assert {"y": "42"}.items() <= {each["name"]: each["value"] for each in found}.items()
    ask("continue", threadId=thread)
    assert reply_to(client, asked)["status"] == "ok"
    ask("disconnect")


def test_an_interrupt_reaches_the_kernel(relay):
    manager, client = relay
    asked = client.execute("print('on it', flush=True)\nwhile True: pass")
    wait_for_output(client)
    manager.interrupt_kernel()
    assert reply_to(client, asked)["ename"] == "KeyboardInterrupt"


def test_a_restart_forgets_variables_and_a_shutdown_ends_the_kernel(relay, client, session):
    manager, ours = relay
    run(ours, "kept = 1")
    (before,) = kernels(client, session)
    manager.restart_kernel()
    ours.wait_for_ready(timeout=patience())
    outputs, _reply = run(
        ours, "import os\nprint('kept' in globals(), os.path.basename(os.getcwd()))"
    )
    assert text(outputs) == "False work\n"
    (after,) = kernels(client, session)
    assert after != before
    manager.shutdown_kernel()
    wait_for(lambda: not kernels(client, session))


def test_a_relay_that_is_killed_finds_its_kernel_again(relay, client, session):
    manager, ours = relay
    run(ours, "kept = 41")
    os.kill(manager.provisioner.pid, signal.SIGKILL)
    manager.restart_kernel(now=True)
    ours.wait_for_ready(timeout=patience())
    assert text(run(ours, "print(kept + 1)")[0]) == "42\n"


def test_two_notebooks_have_kernels_and_folders_of_their_own(start, client, session, shell):
    beside = shell.folder / "beside"
    beside.mkdir()
    (_, one), (_, other) = start(), start(folder=beside)
    run(one, "mine = 1")
    assert text(run(other, "print('mine' in globals())")[0]) == "False\n"
    where = "import os\nprint(os.path.basename(os.getcwd()))"
    assert [text(run(each, where)[0]) for each in (one, other)] == ["work\n", "beside\n"]
    assert len(kernels(client, session)) == 2


def test_a_cell_whose_kernel_dies_says_so_and_the_next_one_runs(relay, client, session):
    _manager, ours = relay
    asked = ours.execute("print('so far', flush=True)\nwhile True: pass")
    wait_for_output(ours)
    (pid,) = kernels(client, session)
    os.kill(pid, signal.SIGKILL)
    assert reply_to(ours, asked)["ename"] == "KernelDied"
    assert text(run(ours, "print('again')")[0]) == "again\n"


def test_a_session_that_does_not_exist_is_named(start, files):
    files.install(Spec("gpu-nothing", "x", ("--session", "nothing")))
    _manager, client = start("gpu-nothing")
    _outputs, reply = run(client, "1")
    assert (reply["ename"], reply["evalue"].split("\n")[0]) == (
        "NotFound",
        "Session 'nothing' not found.",
    )


def test_a_suspended_session_wakes_for_a_cell_only(start, client, session):
    client.sessions.suspend("exp-1", wait=True)
    _, ours = start()
    reply = ours.complete("pri", reply=True, timeout=patience())
    assert reply["content"]["matches"] == []
    assert client.sessions.get("exp-1").state == "suspended"
    outputs, _ = run(ours, "print('awake')")
    assert "exp-1 is suspended: it resumes for this cell" in [
        m["content"]["data"]["text/plain"] for m in outputs if m["msg_type"] == "display_data"
    ]
    assert text(outputs) == "awake\n"
    assert client.sessions.get("exp-1").state == "running"


def test_a_session_that_is_stopped_ends_its_cell(start, client, session):
    _, ours = start()
    asked = ours.execute("print('so far', flush=True)\nimport time\ntime.sleep(1000)")
    wait_for_output(ours)
    client.sessions.suspend("exp-1", wait=True)
    reply = reply_to(ours, asked)
    assert reply["ename"] == "SessionSuspended"
    assert "exp-1 was suspended: Suspended on request" in reply["evalue"]
    client.sessions.resume("exp-1", wait=True)


@pytest.mark.timeout(7200)
def test_much_output_arrives_whole(relay, rounds, show):
    """100 MB, and 1,000 messages a second for a minute; a tenth of that in `make test`."""
    manager, client = relay
    process, most, size = psutil.Process(manager.provisioner.pid), [0], [0]

    def count(message):
        if message["msg_type"] == "stream":
            size[0] += len(message["content"]["text"])
            most[0] = max(most[0], process.memory_info().rss)

    def cell(code):
        size[0] = most[0] = 0
        reply = client.execute_interactive(code, timeout=patience(), output_hook=count)
        assert reply["content"]["status"] == "ok"
        return {"bytes": size[0], "the relay's MB": most[0] >> 20}

    megabytes, seconds = rounds(100, 10), rounds(60, 3)
    much = cell(f"for _ in range({megabytes * 10}): print('x' * 99_999, flush=True)")
    assert much["bytes"] == megabytes * 1_000_000
    many = cell(
        "import time\nbegun = time.monotonic()\n"
        f"for n in range({seconds * 1000}):\n"
        "    print(f'{n:09}', flush=True)\n"
        "    time.sleep(max(0, begun + n / 1000 - time.monotonic()))"
    )
    assert many["bytes"] == seconds * 10_000
    show("much output", {"much": much, "many": many})
