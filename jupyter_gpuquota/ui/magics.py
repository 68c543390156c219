"""The magic `%gpu`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar, cast

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from ..client import Client
from ..client.connection import discovery
from ..client.exit_codes import Failed
from ..errors import GpuQuotaError
from ..kernels.cells.notebook import this_notebook
from .cellmagic.arguments import read_line
from .cellmagic.cell import run_cell
from .command import run
from .completion import Source, candidates
from .grammar import parse, split_line
from .hints import in_notebook
from .neutral import Neutral
from .parser import HelpRequested
from .progress_line import ProgressLine
from .views.texts import TextView
from .views.view import View

E = TypeVar("E", bound=BaseException)


class Cell:
    """A console in the output of a cell."""

    shell = False

    def __init__(self) -> None:
        self._progress = ProgressLine(sys.stdout, redraws=True)
        self._neutral = Neutral()

    def note(self, line: str) -> None:
        """Show one line of progress."""
        self.write(f"{line}\n")

    def write(self, text: str) -> None:
        """Show a piece of the answer; IPython may run on a terminal."""
        sys.stdout.write(self._neutral.feed(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()

    def write_bytes(self, piece: bytes) -> None:
        """Show a piece of an answer as text."""
        self.write(piece.decode(errors="replace"))

    def redraw(self, line: str) -> None:
        """Show a line of progress in place of the one before; an empty one ends it."""
        self._progress.show(line)


@magics_class
class GpuMagics(Magics):
    """`%gpu` and its client."""

    def __init__(self, shell: InteractiveShell, client: Client) -> None:
        super().__init__(shell)
        self._client = client

    @cell_magic("gpu")  # type: ignore[arg-type]  # its stub takes functions without parameters
    def gpu_cell(self, line: str, cell: str) -> None:
        """Run the cell in a session, and show its outputs here.

            %%gpu exp1
            %%gpu exp1 --in data --out model
            %%gpu -g 0.25

        `%%gpu --help` explains the options.
        """
        try:
            wanted = read_line(line)
            run_cell(self._client, wanted, cell, this_notebook(), Cell(), self._names())
        except HelpRequested as request:
            Cell().write(request.text)
        except GpuQuotaError as error:
            raise plain(error, str(error)) from None
        except KeyboardInterrupt as error:
            raise plain(error, "Interrupted.") from None

    def _names(self) -> dict[str, Any]:
        """Return the variables of this notebook."""
        names: dict[str, Any] = cast("InteractiveShell", self.shell).user_ns
        return names

    @line_magic
    def gpu(self, line: str) -> View[Any] | None:
        """Launch, show and end GPU sessions.

            %gpu submit exp1 -g 0.5 --interactive
            %gpu list
            %gpu help

        Returns an object: `.data` has the models, `.df` is a pandas DataFrame.
        """
        try:
            args = parse(split_line(line), terminal=False)
            view = run(self._client, args, Cell())
        except HelpRequested as request:
            return TextView({"help": request.text}, request.text.rstrip())
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
    """Return the error so that IPython shows the text instead of a traceback."""
    lines = in_notebook(text).splitlines
    error.__dict__["_render_traceback_"] = lines  # IPython asks for it by this name
    return error


def complete(source: Source, context: CompletionContext) -> SimpleMatcherResult:
    """Return completions of a `%gpu` line, and nothing for other lines."""
    line = context.text_until_cursor
    words = line.split()
    if words[:1] != ["%gpu"] or line.endswith("%gpu"):
        return {"completions": []}
    fragment = "" if line[-1].isspace() else words.pop()
    offered = [
        each for each in candidates(words[1:], source, fragment) if each.startswith(fragment)
    ]
    return {
        "completions": [SimpleCompletion(each, type=_type_of(each, words)) for each in offered],
        "matched_fragment": fragment,
        "ordered": True,
        "suppress": "--" not in words,  # the words of a program may be files
    }


def load(ipython: InteractiveShell) -> None:
    """Register `%gpu` and its completion."""
    ipython.register_magics(GpuMagics(ipython, Client()))
    source = Source(partial(discovery.find, start=False))
    ipython.Completer.custom_matchers.append(make_matcher(source))


def make_matcher(source: Source) -> Callable[[CompletionContext], SimpleMatcherResult]:
    """Return what completes `%gpu` lines in IPython."""

    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        return complete(source, context)

    declare: Any = context_matcher(identifier="jupyter_gpuquota")  # an untyped decorator
    declare(matcher)
    return matcher


def _type_of(word: str, before: Sequence[str]) -> str:
    """Return the label of a completion in JupyterLab."""
    if word.startswith("-"):
        return "option"
    return "command" if before == ["%gpu"] else "value"
