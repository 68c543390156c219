"""An argument parser that raises our errors, suggests what was meant and never exits."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from ..errors import InvalidRequest


class HelpRequested(Exception):
    """Carries the text that `--help` asks for."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """The parser of a command.

    `commands` are the parsers of its subcommands. `option_hint` replaces the suggestion for unknown
    options.
    """

    def __init__(self, **settings: Any) -> None:
        settings = {"allow_abbrev": False, "add_help": False, **settings}
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        self.commands: dict[str, Parser] = {}
        self.option_hint = ""
        self.add_argument("-h", "--help", action=_Help, nargs=0, help="show this help")

    @property
    def arguments(self) -> list[argparse.Action]:
        """Return its positional arguments and options."""
        return self._actions  # argparse offers no public list

    def parse_known_args(  # type: ignore[override]  # typeshed's overloads tell namespaces apart
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse all words. Raises InvalidRequest for those that do not belong to the command.

        A positional argument that takes any number of words also takes those after options;
        argparse gives it only those that stand together.
        """
        parsed, unknown = super().parse_known_args(args, namespace)
        options = [word.split("=")[0] for word in unknown if word.startswith("-")]
        takers = [each.dest for each in self.arguments if each.nargs == "*"]
        if options:
            raise self._unknown_options(options)
        if unknown and not takers:
            raise self._unexpected(unknown)
        if unknown:
            setattr(parsed, takers[0], [*getattr(parsed, takers[0]), *unknown])
        return parsed, []

    def error(self, message: str) -> NoReturn:
        """Raise InvalidRequest."""
        raise InvalidRequest(_sentence(message), hint=f"See `{self.prog} --help`.")

    def _unexpected(self, words: list[str]) -> InvalidRequest:
        plural = "s" if len(words) > 1 else ""
        message = f"Unexpected argument{plural} {_quoted(words)}."
        return InvalidRequest(message, hint=f"See `{self.prog} --help`.")

    def _unknown_options(self, options: list[str]) -> InvalidRequest:
        plural = "s" if len(options) > 1 else ""
        visible = (each for each in self.arguments if each.help != argparse.SUPPRESS)
        known = [name for each in visible for name in each.option_strings]
        long = [name for name in known if name.startswith("--")]
        hint = self.option_hint or suggestion(options, long)
        return InvalidRequest(f"Unknown option{plural} {_quoted(options)}.", hint=hint)


def suggestion(words: Sequence[str], known: Sequence[str]) -> str:
    """Return which known words may have been meant, or which are available."""
    close = [near for word in words for near in get_close_matches(word, known, n=2)]
    if close:
        return f"Did you mean {' or '.join(dict.fromkeys(close))}?"
    return f"Available: {', '.join(known)}."


class _Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        raise HelpRequested(parser.format_help())


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(map(repr, words))


def _sentence(message: str) -> str:
    return f"{message[0].upper()}{message[1:]}." if message else message
