"""Completion in the shell and in notebooks: fast, and silent if no controller answers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ..client import Client
from ..client.connection import discovery
from ..client.connection.protocol import Lines, Message, Reply
from ..client.connection.transport import Transport
from ..errors import GpuQuotaError
from ..hosting.config_files import Choice, read_here
from .arguments import offer_of, offered, offers_by_beginning, offers_paths
from .grammar import make_parser
from .parser import Parser

_TIMEOUT = 2.0


class ShortTimeout:
    """A transport that waits for replies for 2 seconds only."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.url = inner.url

    def send(self, message: Message) -> Reply:
        """Send one message."""
        return self._inner.send(replace(message, timeout=_TIMEOUT))

    def listen(self, message: Message) -> Lines:
        """Send one message whose answer is streamed."""
        return self._inner.listen(replace(message, timeout=_TIMEOUT))


class Source:
    """What completion offers for arguments; empty if no controller answers. It starts none."""

    def __init__(self, find: Callable[[], Transport]) -> None:
        self._find = find

    def values(
        self, argument: argparse.Action, words: Sequence[str] = (), beginning: str = ""
    ) -> list[str]:
        """Return what can stand for an argument.

        `words` are those given for it so far, `beginning` is what has been typed of the next one.
        """
        fixed = offer_of(argument)
        if not callable(fixed) and not offers_by_beginning(argument):
            return list(fixed)
        try:
            client = Client(transport=ShortTimeout(self._find()))
            found = fixed(client, words) if callable(fixed) else fixed
            return sorted({*found, *offered(argument, client, beginning)})
        except GpuQuotaError:
            return []  # completion must never print anything


def complete_shell() -> None:
    """Answer a shell that requests completions, and exit; return at once for other callers."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete  # noqa: PLC0415 (only while completing)
    from argcomplete.completers import FilesCompleter, SuppressCompleter  # noqa: PLC0415 (the same)

    parser = make_parser(terminal=True)
    for each in _family(parser):
        for argument in each.arguments:
            if argument.choices is None and argument.nargs != 0:
                completer = FilesCompleter() if offers_paths(argument) else _completer(argument)
                argument.__dict__["completer"] = completer
    argcomplete.autocomplete(
        parser, always_complete_options=False, default_completer=SuppressCompleter()
    )


def candidates(words: Sequence[str], source: Source, beginning: str = "") -> list[str]:
    """Return what can follow the words of a `%gpu` line; `beginning` is typed already."""
    parser = make_parser(terminal=False)
    left = list(words)
    while left and left[0] in parser.commands:
        parser = parser.commands[left.pop(0)]
    if not parser.commands and "--" not in left:
        return _arguments(parser, left, source, beginning)
    return [] if left else list(parser.commands)


def _arguments(parser: Parser, words: Sequence[str], source: Source, beginning: str) -> list[str]:
    """Return the options and the values that can follow the arguments of a command."""
    options = {name: each for each in parser.arguments for name in each.option_strings}
    given: list[str] = []
    pending: argparse.Action | None = None
    for word in words:
        if pending is not None:
            pending = None
        elif word.startswith("-"):
            option = options.get(word)
            pending = option if option is not None and option.nargs != 0 else None
        else:
            given.append(word)
    if pending is not None:
        return source.values(pending, (), beginning)
    visible = [name for name, each in options.items() if each.help != argparse.SUPPRESS]
    values: list[str] = []
    positional = [each for each in parser.arguments if not each.option_strings]
    for at, each in enumerate(positional):
        if at == len(given) or (at < len(given) and each.nargs in ("*", "+")):
            values = source.values(each, given[at:], beginning)
            break
    return [*values, *(name for name in visible if name.startswith("--"))]


def _family(parser: Parser) -> Iterator[Parser]:
    """Iterate over a parser and those of its commands."""
    yield parser
    for each in parser.commands.values():
        yield from _family(each)


def _completer(argument: argparse.Action) -> Callable[..., list[str]]:
    def complete(prefix: str = "", parsed_args: object = None, **_: object) -> list[str]:
        named = Choice(backend=getattr(parsed_args, "backend", None) or "")
        source = Source(partial(discovery.find, named=named, read=read_here, start=False))
        words = getattr(parsed_args, argument.dest, None)
        return source.values(argument, words if isinstance(words, list) else (), prefix)

    return complete
