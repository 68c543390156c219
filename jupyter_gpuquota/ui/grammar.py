"""The grammar of `%gpu` and `jupyter gpu`: one parser, whose mistakes are errors of ours.

Options carry the names that Run:ai's users know.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from difflib import get_close_matches

from ..errors import InvalidRequest
from .grammar_controller import add_backend
from .parser import HelpWanted, Parser
from .texts import EXAMPLES, OVERVIEW
from .verbs import ALIASES, VERBS

Args = argparse.Namespace


def parse(words: Sequence[str], *, terminal: bool) -> Args:
    """Return what the words say; `rest` is what stands after `--`.

    Raises InvalidRequest, and HelpWanted where help is asked for or nothing is.
    """
    said, rest = _split(words)
    parser = make_parser(terminal=terminal)
    verbs = {verb.name: verb for verb in VERBS if terminal or not verb.shell_only}
    if not said:
        raise HelpWanted(parser.format_help())
    before, said = _before_verb(said)
    if said:
        said[0] = _verb(said[0], list(verbs))
    args, unknown = parser.parse_known_args([*before, *said])
    verb = verbs[args.verb]
    if unknown := _left(parser, args, unknown):
        raise _unknown(parser, verb.name, unknown[0])
    if rest and not verb.takes_rest:
        raise InvalidRequest(
            f"{verb.name} takes nothing after `--`.", hint=f"See `help {verb.name}`."
        )
    args.rest = rest
    return args


def make_parser(*, terminal: bool) -> Parser:
    """Return the parser of the shell, or of notebooks."""
    prog = "jupyter gpu" if terminal else "%gpu"
    parser = Parser(prog=prog, description=OVERVIEW, epilog=EXAMPLES[""].format(prog=prog))
    if terminal:
        add_backend(parser)
    subparsers = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    for verb in VERBS:
        if terminal or not verb.shell_only:
            made = subparsers.add_parser(
                verb.name,
                help=verb.summary,
                description=f"{verb.summary[0].upper()}{verb.summary[1:]}.",
                epilog=EXAMPLES.get(verb.name, "").format(prog=prog),
            )
            verb.fill(made)
            if terminal and verb.name not in {"bash", "help"}:
                made.add_argument(
                    "--json", action="store_true", help="print one JSON document, as in REST"
                )
    return parser


def split_line(line: str) -> list[str]:
    """Return the words of a line as a shell would. Raises InvalidRequest."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise InvalidRequest(
            f"The line cannot be split into words: {error}.", hint="Close the quotation."
        ) from error


def help_text(topic: str, *, terminal: bool) -> str:
    """Return the help of a command, or of all for an empty topic. Raises InvalidRequest."""
    try:
        parse([topic, "--help"] if topic else [], terminal=terminal)
    except HelpWanted as wanted:
        return wanted.text
    raise AssertionError("--help always raises")


def _split(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    said = list(words)
    if "--" not in said:
        return said, ()
    where = said.index("--")
    return said[:where], tuple(said[where + 1 :])


def _verb(word: str, known: list[str]) -> str:
    """Return the command that a word names. Raises InvalidRequest."""
    name = ALIASES.get(word, word)
    if name not in known:
        raise InvalidRequest(f"There is no command {word!r}.", hint=_near(name, known))
    return name


def _before_verb(said: list[str]) -> tuple[list[str], list[str]]:
    """Split the words at the command: options for any command stand before it."""
    at = 0
    while at < len(said) and said[at].startswith("-"):
        at += 2 if said[at] == "--backend" else 1
    return said[:at], said[at:]


def _left(parser: Parser, args: Args, unknown: list[str]) -> list[str]:
    """Give words after options to the argument that takes any number; return what is left.

    argparse gives it only those that stand together.
    """
    actions = subparsers(parser)[args.verb]._actions  # noqa: SLF001 (argparse has no other way)
    takers = [a.dest for a in actions if a.nargs == "*" and not a.option_strings]
    if not takers or any(word.startswith("-") for word in unknown):
        return unknown
    setattr(args, takers[0], [*getattr(args, takers[0]), *unknown])
    return []


def _unknown(parser: Parser, name: str, word: str) -> InvalidRequest:
    if not word.startswith("-"):
        return InvalidRequest(f"{name} does not take {word!r}.", hint=f"See `help {name}`.")
    if name == "exec":
        hint = "Options of the program go after `--`: exec NAME -- ls -l."
        return InvalidRequest(f"exec has no option {word!r}.", hint=hint)
    option = word.split("=")[0]
    known = [o for o in _options(parser, name) if o.startswith("--")]
    return InvalidRequest(f"{name} has no option {option!r}.", hint=_near(option, known))


def _options(parser: Parser, name: str) -> list[str]:
    chosen = subparsers(parser)[name]
    return [option for action in chosen._actions for option in action.option_strings]  # noqa: SLF001 (argparse has no other way)


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    for action in parser._actions:  # noqa: SLF001 (argparse has no other way)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 (the same)
            return dict(action.choices)
    return {}


def _near(word: str, known: list[str]) -> str:
    close = get_close_matches(word, known, n=2)
    return f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(known)}."
