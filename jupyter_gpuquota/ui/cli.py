"""The command line `jupyter gpu`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from ..client import Client
from ..client.protocol import to_json
from ..errors import GpuQuotaError, Internal
from ..hosting.config_files import read_here
from . import completion
from .actions import run
from .exits import FAILED, INTERRUPTED, OK, exit_code_of
from .grammar import parse
from .parser import HelpWanted
from .views.base import View


class Terminal:
    """Show progress on standard error and answers on standard output."""

    shell = True

    def note(self, line: str) -> None:
        """Show one line of progress."""
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def write(self, text: str) -> None:
        """Show a piece of the answer."""
        sys.stdout.write(text)
        sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; see `exits`."""
    completion.complete_shell()
    words = list(sys.argv[1:] if argv is None else argv)
    screen = Terminal()
    try:
        return _run(words, screen)
    except HelpWanted as wanted:
        screen.write(wanted.text)
        return OK
    except GpuQuotaError as error:
        _tell(error, screen, as_json="--json" in _own(words))
        return exit_code_of(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read has left (`| head`); the interpreter must not write to it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _run(words: list[str], screen: Terminal) -> int:
    args = parse(words, terminal=True)
    view = run(Client(backend=args.backend, read=read_here), args, screen)
    if view is None:
        return OK
    screen.write(_shown(view, as_json=getattr(args, "json", False)))
    return view.exit_code


def _shown(view: View[Any], *, as_json: bool) -> str:
    text = to_json(view.document) if as_json else view.text
    return f"{text}\n" if text else ""


def _tell(error: GpuQuotaError, screen: Terminal, *, as_json: bool) -> None:
    if as_json:
        screen.note(to_json(error))
        return
    screen.note(f"jupyter gpu: {error}")
    if isinstance(error, Internal):
        screen.note("This is a fault of jupyter_gpuquota, not yours.")


def _own(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words


if __name__ == "__main__":
    sys.exit(main())
