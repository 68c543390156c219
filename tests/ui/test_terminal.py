"""This terminal shows one that is elsewhere."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios

PROGRAM = """
import queue, sys
from jupyter_gpuquota.model.programs import ExecResult
from jupyter_gpuquota.ui.commands.sessions import terminal

class Remote:
    result = None
    def __init__(self):
        self.shows = queue.Queue()
        self.shows.put("size %dx%d;" % terminal.size())
    def __iter__(self):
        while (text := self.shows.get()) is not None:
            yield text
        self.result = ExecResult(exit_code=7, output="")
    def write(self, text):
        self.shows.put(repr(text) + ";")
        if "exit" in text or "\\x04" in text:
            self.shows.put(None)
    def resize(self, columns, rows):
        self.shows.put("now %dx%d;" % (columns, rows))

sys.exit(terminal.attach(Remote()))
"""


def until(number: int, words: str) -> str:
    seen = ""
    while words not in seen:
        seen += os.read(number, 1000).decode()
    return seen


def resize(number: int, columns: int, rows: int) -> None:
    fcntl.ioctl(number, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def test_keys_pass_unchanged_and_sizes_follow():
    ours, theirs = pty.openpty()
    resize(theirs, 100, 30)
    before = termios.tcgetattr(theirs)
    environment = {key: v for key, v in os.environ.items() if key not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=theirs,
        stdout=theirs,
        env=environment,
        start_new_session=True,
    ) as process:
        until(ours, "size 100x30;")
        os.write(ours, b"\x03")  # Ctrl-C is a key of the other terminal, too
        assert "'\\x03';" in until(ours, ";")
        resize(theirs, 120, 40)
        process.send_signal(signal.SIGWINCH)
        assert "now 120x40;" in until(ours, ";")
        os.write(ours, "é exit\r".encode())
        assert "é exit" in until(ours, ";")
        assert process.wait() == 7
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


def test_piped_input_ends_the_shell():
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=b"ls\n",
        stdout=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 7
    assert "ls" in ran.stdout.decode()
    assert "\\x04" in ran.stdout.decode()
