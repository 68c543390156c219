"""The magic `%gpu`."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, TypeVar

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.display import display

from ..client import Client, discovery
from ..errors import GpuQuotaError
from .actions import run
from .completion import Source, candidates
from .exits import Failed
from .grammar import parse, split_line
from .parser import HelpWanted
from .views.base import View
from .views.texts import TextView

E = TypeVar("E", bound=BaseException)


class Cell:
    """Show progress and growing answers in the output of a cell."""

    shell = False

    def note(self, line: str) -> None:
        """Show one line of progress."""
        self.write(f"{line}\n")

    def write(self, text: str) -> None:
        """Show a piece of the answer."""
        sys.stdout.write(text)
        sys.stdout.flush()


@magics_class
class GpuMagics(Magics):
    """Hold `%gpu` and the client that it uses."""

    def __init__(self, shell: InteractiveShell, client: Client) -> None:
        super().__init__(shell)
        self._client = client

    @line_magic
    def gpu(self, line: str) -> View[Any] | None:
        """Launch, see and end GPU sessions.

            %gpu submit exp1 -g 0.5 --interactive
            %gpu list
            %gpu help

        The answer is an object: `.data` has the models, `.df` is a pandas DataFrame.
        """
        try:
            view = run(self._client, parse(split_line(line), terminal=False), Cell())
        except HelpWanted as wanted:
            return TextView({"help": wanted.text}, wanted.text.rstrip())
        except GpuQuotaError as error:
            raise plain(error, str(error)) from None
        except KeyboardInterrupt as error:
            raise plain(error, "Interrupted.") from None
        if view and view.exit_code:
            display(view)  # type: ignore[no-untyped-call]
            failed = Failed(view.failure)
            raise plain(failed, view.failure)
        return view


def plain(error: E, text: str) -> E:
    """Return the error so that IPython shows a text instead of a traceback; the cell fails."""
    error.__dict__["_render_traceback_"] = text.splitlines  # IPython asks for it by this name
    return error


def complete(source: Source, _shell: Any, event: Any) -> list[str]:
    """Return what may follow in a `%gpu` line (IPython's interface)."""
    typed = event.text_until_cursor.lstrip().split()[1:]
    if typed and not event.text_until_cursor[-1].isspace():
        typed = typed[:-1]
    return candidates(typed, source)


def load(ipython: InteractiveShell) -> None:
    """Register `%gpu` and its completion."""
    ipython.register_magics(GpuMagics(ipython, Client()))
    source = Source(partial(discovery.find, start=False))
    hook = partial(complete, source)
    ipython.set_hook("complete_command", hook, str_key="%gpu")  # type: ignore[no-untyped-call]
