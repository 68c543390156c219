"""A command of `jupyter gpu`, from its words to its exit code."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Sequence
from typing import Any

from ..client import Client
from ..client.connection.protocol import to_json
from ..client.exit_codes import FAILED, INTERRUPTED, OK, exit_code_of
from ..errors import GpuQuotaError, Internal
from ..hosting.config_files import read_here
from ..startup import use_utf8
from . import completion
from .command import run
from .grammar import parse
from .neutral import Neutral, neutral
from .parser import HelpRequested
from .progress_line import ProgressLine
from .views.markup import printable
from .views.view import View


class Terminal:
    """A console with progress on standard error and answers on standard output.

    On a terminal an answer is neutral unless it is `raw`; files and pipes get it unchanged. Letters
    that their encoding lacks (PYTHONIOENCODING) are shown as in Python's texts.
    """

    shell = True

    def __init__(self) -> None:
        self.raw = False
        self._progress = ProgressLine(sys.stderr)
        self._neutral = Neutral()
        self._letters = getincrementaldecoder("utf-8")("replace")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")

    def note(self, line: str) -> None:
        """Show one line of progress."""
        sys.stderr.write(f"{neutral(line) if sys.stderr.isatty() else line}\n")
        sys.stderr.flush()

    def write(self, text: str) -> None:
        """Show a piece of the answer."""
        sys.stdout.write(self._neutral.feed(text) if self._is_neutral else text)
        sys.stdout.flush()

    @property
    def _is_neutral(self) -> bool:
        return sys.stdout.isatty() and not self.raw

    def write_bytes(self, piece: bytes) -> None:
        """Show a piece of an answer that may not be text."""
        if self._is_neutral:
            self.write(self._letters.decode(piece))
            return
        sys.stdout.flush()
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()

    def redraw(self, line: str) -> None:
        """Show a line of progress in place of the one before; an empty one ends it."""
        self._progress.show(line)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; see `exit_codes`."""
    if argv is None:
        use_utf8()
    completion.complete_shell()
    words = list(sys.argv[1:] if argv is None else argv)
    console = Terminal()
    try:
        return _run(words, console)
    except GpuQuotaError as error:
        _report(error, console, as_json="--json" in _own(words))
        return exit_code_of(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe (`| head`): the interpreter must not flush to it on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _run(words: list[str], console: Terminal) -> int:
    try:
        args = parse(words, terminal=True)
    except HelpRequested as request:
        console.write(request.text)
        return OK
    console.raw = getattr(args, "raw", False)
    view = run(Client(backend=args.backend, read=read_here), args, console)
    if view is None:
        return OK
    console.write(_shown(view, as_json=getattr(args, "json", False)))
    return view.exit_code


def _shown(view: View[Any], *, as_json: bool) -> str:
    text = _json(view.document, sys.stdout.encoding) if as_json else view.text
    return f"{text}\n" if text else ""


def _json(value: Any, encoding: str) -> str:
    text = to_json(value)
    if encoding.lower() == "utf-8":
        return text
    return re.sub(r"[^\0-\x7f]", lambda letter: json.dumps(letter[0])[1:-1], text)


def _report(error: GpuQuotaError, console: Terminal, *, as_json: bool) -> None:
    if as_json:
        console.note(_json(error, sys.stderr.encoding))
        return
    for line in f"jupyter gpu: {error}".splitlines():
        console.note(printable(line))
    if isinstance(error, Internal):
        console.note("This is a bug in jupyter_gpuquota. Please report it.")


def _own(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words
