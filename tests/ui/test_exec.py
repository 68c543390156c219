"""A program inside a session in a notebook: streamed, and ended by an interrupt."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.model.programs import ExecContext
from jupyter_gpuquota.ui.commands.sessions.exec import become, environment, stream
from tests.waiting import patience


@pytest.fixture
def context(tmp_path) -> ExecContext:
    return ExecContext(env={"PATH": os.environ["PATH"], "COLOUR": "blue"}, folder=str(tmp_path))


def test_output_is_streamed(context, console, tmp_path):
    gate = tmp_path / "gate"
    program = f"""
import os, sys, time
print(os.getcwd(), os.environ["COLOUR"], flush=True)
while not os.path.exists({str(gate)!r}): time.sleep(0.02)
print("second", file=sys.stderr)
sys.exit(3)
"""

    class Opening(type(console)):
        def write(self, text):
            super().write(text)
            gate.write_text("")  # it could not go on if its first line had not come through

    notes = Opening()
    result = stream([sys.executable, "-c", program], context, notes)
    assert notes.written[0] == f"{tmp_path} blue\n"
    assert "".join(notes.written) == result.output == f"{tmp_path} blue\nsecond\n"
    assert result.exit_code == 3


def test_split_utf8_letters_are_joined(context, console):
    program = """
import os, time
for byte in "€½".encode(): os.write(1, bytes([byte])); time.sleep(0.05)
"""
    assert stream([sys.executable, "-c", program], context, console).output == "€½"


@pytest.mark.parametrize("deaf", [False, True])
def test_an_interrupt_ends_the_program_and_its_children(context, console, tmp_path, deaf):
    program = f"""
import os, signal, subprocess, sys, time
if {deaf}: signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"])
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""

    class Interrupting(type(console)):
        def write(self, text):
            super().write(text)
            raise KeyboardInterrupt

    notes = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        stream([sys.executable, "-c", program], context, notes)
    leader, child = map(int, notes.written[0].split())
    assert not psutil.pid_exists(leader)
    deadline = time.monotonic() + patience()
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def become_from_here(command, context, console):
    """Try to become a program, and return to the folder of the tests."""
    folder = Path.cwd()
    try:
        become(command, context)
    finally:
        os.chdir(folder)


@pytest.mark.parametrize("start", [stream, become_from_here])
def test_a_missing_program_is_named_as_typed(context, console, start):
    with pytest.raises(NotFound) as caught:
        start(["no-such-program"], context, console)
    assert caught.value.message.startswith("Cannot run 'no-such-program' inside the session:")


@pytest.mark.parametrize("start", [stream, become_from_here])
def test_a_missing_folder_is_named(context, console, start, tmp_path):
    gone = ExecContext(env=context.env, folder=str(tmp_path / "gone"))
    with pytest.raises(NotFound, match="the session's folder"):
        start(["true"], gone, console)


def test_a_terminal_keeps_its_own_variables(context):
    found = environment(context, {"TERM": "xterm", "HOME": "/elsewhere"})
    assert found == {**context.env, "TERM": "xterm"}
