"""A program inside a session, as a notebook runs it: shown as it comes, ended by an interrupt."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.model.programs import ExecContext
from jupyter_gpuquota.ui.inside import become, environment, stream


@pytest.fixture
def context(tmp_path) -> ExecContext:
    return ExecContext(env={"PATH": os.environ["PATH"], "COLOUR": "blue"}, folder=str(tmp_path))


def test_output_is_shown_as_it_comes(context, screen, tmp_path):
    gate = tmp_path / "gate"
    program = f"""
import os, sys, time
print(os.getcwd(), os.environ["COLOUR"], flush=True)
while not os.path.exists({str(gate)!r}): time.sleep(0.02)
print("second", file=sys.stderr)
sys.exit(3)
"""

    class Opening(type(screen)):
        def write(self, text):
            super().write(text)
            gate.write_text("")  # it could not go on if its first line had not come through

    notes = Opening()
    result = stream([sys.executable, "-c", program], context, notes)
    assert notes.written[0] == f"{tmp_path} blue\n"
    assert "".join(notes.written) == result.output == f"{tmp_path} blue\nsecond\n"
    assert result.exit_code == 3


def test_letters_that_are_cut_in_two_are_put_together(context, screen):
    program = """
import os, time
for byte in "€½".encode(): os.write(1, bytes([byte])); time.sleep(0.05)
"""
    assert stream([sys.executable, "-c", program], context, screen).output == "€½"


@pytest.mark.parametrize("deaf", [False, True])
def test_an_interrupt_ends_it_and_what_it_has_started(context, screen, tmp_path, deaf):
    program = f"""
import os, signal, subprocess, sys, time
if {deaf}: signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"])
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""

    class Interrupting(type(screen)):
        def write(self, text):
            super().write(text)
            raise KeyboardInterrupt

    notes = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        stream([sys.executable, "-c", program], context, notes)
    leader, child = map(int, notes.written[0].split())
    assert not psutil.pid_exists(leader)
    deadline = time.monotonic() + 60
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def become_from_here(command, context, screen):
    """Try to become a program, and return to the folder of the tests."""
    folder = Path.cwd()
    try:
        become(command, context)
    finally:
        os.chdir(folder)


@pytest.mark.parametrize("start", [stream, become_from_here])
def test_a_program_that_there_is_not_is_named_as_it_was_typed(context, screen, start):
    with pytest.raises(NotFound) as caught:
        start(["no-such-program"], context, screen)
    assert caught.value.message.startswith("'no-such-program' cannot be used inside the session:")


@pytest.mark.parametrize("start", [stream, become_from_here])
def test_a_folder_that_has_gone_is_named(context, screen, start, tmp_path):
    gone = ExecContext(env=context.env, folder=str(tmp_path / "gone"))
    with pytest.raises(NotFound, match="The session's folder"):
        start(["true"], gone, screen)


def test_a_terminal_keeps_its_traits(context):
    found = environment(context, {"TERM": "xterm", "HOME": "/elsewhere"})
    assert found == {**context.env, "TERM": "xterm"}
