"""The grammar of `%gpu` and `jupyter gpu`: the commands of `commands`, as one parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from textwrap import fill
from typing import Any, get_args

from ..errors import InvalidRequest
from .arguments import add_backend, offer
from .command import Args, Command, Section
from .commands import COMMANDS
from .parser import Parser, suggestion

_WIDTH = 88
_CLOSE = 0.75
"""How alike a word and an action are that was mistyped: `lsit`, not `exp1` for `export`."""

_ELSEWHERE = {
    "launch": "submit",
    "run": "submit",
    "start": "submit or resume",
    "submit-dist": "submit --processes N",
    "submit-mpi": "submit --processes N --framework mpi",
    "cancel": "stop",
    "kill": "stop",
    "rm": "delete",
    "ps": "list",
    "ls": "list",
    "get": "describe",
    "show": "describe",
    "info": "describe",
    "runs": "describe --runs",
    "top": "nodes --sessions",
    "nvidia-smi": "nodes",
    "storage": "quota --storage",
    "rules": "project rules",
    "groups": "project groups",
    "audit": "project audit",
    "config": "project default",
    "status": "list or describe",
}
"""Words of JupyterLab and other tools, and our commands for what they stand for."""

_OVERVIEW = """GPU sessions on a share of this machine's GPUs, within your team's quota.

A session is a Jupyter server or a command with a fraction of a GPU, or with whole GPUs.
It keeps running when you close the notebook or the terminal."""

_EXAMPLES = (
    "submit exp1 -g 0.5 --interactive       # Jupyter on half a GPU",
    "submit train1 -g 2 -- python train.py  # a training on 2 GPUs",
    "list",
    "help submit",
)


def _topic(parser: Parser) -> None:
    topic = parser.add_argument("topic", nargs="*", metavar="COMMAND")
    offer(topic, tuple(command.name for command in COMMANDS if not command.hidden))


HELP = Command("help", "explain a command", fill=_topic, prints_json=False)


def parse(words: Sequence[str], *, terminal: bool) -> Args:
    """Return what the words mean; `chosen` is the command, `rest` are the words after `--`.

    Raises InvalidRequest, and HelpRequested where help is requested or no words are given.
    """
    before, rest = _split(words)
    options, named = _split_options(before)
    while named[:1] == [HELP.name]:
        named = [*named[1:], "--help"]
    if not before:
        named = ["--help"]
    elif named and not named[0].startswith("-"):
        named = _resolve(_commands(terminal=terminal, named=named[0]), named)
    only = named[0] if named else HELP.name
    args = make_parser(terminal=terminal, only=only).parse_args([*options, *named])
    args.rest = rest
    if rest and not args.chosen.takes_rest:
        hint = f"See `help {args.verb}`."
        raise InvalidRequest(f"{args.verb} takes nothing after `--`.", hint=hint)
    return args


@cache
def make_parser(*, terminal: bool, only: str = "") -> Parser:
    """Return the parser of the shell or of notebooks; `only` one command gets its arguments."""
    prog = "jupyter gpu" if terminal else "%gpu"
    backend = " [--backend NAME]" if terminal else ""
    commands = _commands(terminal=terminal, named=only)
    parser = Parser(
        prog=prog,
        usage=f"%(prog)s [-h]{backend} COMMAND ...",
        description=f"{_OVERVIEW}\n\n{_sections(commands)}",
        epilog=_epilog("", _EXAMPLES, prog),
    )
    if terminal:
        add_backend(parser)
    # The sections of the description list the commands.
    added = parser.add_subparsers(
        dest="verb", metavar="COMMAND", required=True, prog=prog, help=argparse.SUPPRESS
    )
    for command in commands:
        parser.commands[command.name] = made = added.add_parser(
            command.name, **_texts(command, prog)
        )
        if only in ("", command.name):
            _fill(made, command, prog, terminal=terminal)
    return parser


def split_line(line: str) -> list[str]:
    """Return the words of a line as a shell would. Raises InvalidRequest."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise InvalidRequest(
            f"The line cannot be split into words: {error}.", hint="Close the quotation."
        ) from error


def _commands(*, terminal: bool, named: str) -> tuple[Command, ...]:
    """Return the commands of the shell or of notebooks, hidden ones only if they are named."""
    return tuple(
        each
        for each in (*COMMANDS, HELP)
        if (terminal or not each.shell_only) and (not each.hidden or each.name == named)
    )


def _fill(parser: Parser, command: Command, base: str, *, terminal: bool) -> None:
    command.fill(parser)
    if not command.actions:
        parser.set_defaults(chosen=command)
        if terminal and command.prints_json:
            parser.add_argument("--json", action="store_true", help="print one JSON document")
        return
    default = f"without one: {command.default}" if command.default else None
    added = parser.add_subparsers(
        title="actions",
        description=default,
        dest="action",
        metavar="ACTION",
        required=True,
        prog=parser.prog,
    )
    for action in command.actions:
        parser.commands[action.name] = made = added.add_parser(action.name, **_texts(action, base))
        _fill(made, action, base, terminal=terminal)


def _texts(command: Command, base: str) -> dict[str, Any]:
    """Return the texts of a command's parser."""
    return {
        "help": command.summary,
        "description": f"{command.summary[0].upper()}{command.summary[1:]}.",
        "epilog": _epilog(command.notes, command.examples, base),
    }


def _epilog(notes: str, examples: Sequence[str], base: str) -> str:
    lines = "\n".join(("examples:", *(f"  {base} {line}" for line in examples)))
    parts = (fill(notes, _WIDTH), lines if examples else "")
    return "\n\n".join(part for part in parts if part)


def _sections(commands: Sequence[Command]) -> str:
    """Return the commands under the headings of their sections."""
    width = max(len(command.name) for command in commands) + 2
    parts = []
    for section in get_args(Section):
        inside = [each for each in commands if each.section == section]
        lines = (f"  {each.name:<{width}}{each.summary}" for each in inside)
        parts.append("\n".join((f"{section}:", *lines)))
    return "\n\n".join(parts)


def _split(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    before = list(words)
    if "--" not in before:
        return before, ()
    at = before.index("--")
    return before[:at], tuple(before[at + 1 :])


def _split_options(words: list[str]) -> tuple[list[str], list[str]]:
    """Split the words at the command: options of every command stand before it."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] == "--backend" else 1
    return words[:at], words[at:]


def _resolve(commands: Sequence[Command], words: list[str], above: str = "") -> list[str]:
    """Return the words with each command by its full name, and with defaults filled in.

    `above` is the command whose actions `commands` are. Raises InvalidRequest.
    """
    if not words:
        return words
    known = {command.name: command for command in commands}
    name = words[0]
    if name not in known:
        what = f"{above} has no action" if above else "Unknown command"
        meant = None if above else _ELSEWHERE.get(name)
        hint = f"Did you mean {meant}?" if meant else suggestion([name], list(known))
        raise InvalidRequest(f"{what} {name!r}.", hint=hint)
    command = known[name]
    return [name, *_resolve_actions(command, words[1:])]


def _resolve_actions(command: Command, words: list[str]) -> list[str]:
    """Put the action first: it may follow options, and there may be a default."""
    if not command.actions or words[:1] in (["-h"], ["--help"]):
        return words
    if command.said and words and " " in words[0]:
        words = [command.said, "-m", *words]
    if not words or words[0].startswith("-"):
        names = {action.name for action in command.actions}
        at = next((i for i, word in enumerate(words) if word in names), None)
        if at is not None:
            words = [words[at], *words[:at], *words[at + 1 :]]
        elif command.default:
            words = [command.default, *words]
        else:
            return words
    known = [action.name for action in command.actions]
    if command.said and words[0] not in known and not get_close_matches(words[0], known, 1, _CLOSE):
        raise InvalidRequest(
            f"{command.name} has no action {words[0]!r}.",
            hint=f"If it is a session: {command.name} {command.said} {words[0]}.",
        )
    return _resolve(command.actions, words, command.name)
