"""The commands: their names, what they do, and the words that they take."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from ..model.history import By
from ..model.sessions import State
from . import grammar_controller, grammar_policy, grammar_project, grammar_rules, grammar_submit
from .parser import Parser

NOTEBOOK_LINES = 1000
"""Lines of a log that a notebook shows unless it is told: all of it could be too much."""

_STATES: tuple[str, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Verb:
    """Be one command: its name, what it does, and how it fills its parser."""

    name: str
    summary: str
    fill: Callable[[Parser], None]
    takes_rest: bool = False
    shell_only: bool = False


def _names(parser: Parser) -> None:
    parser.add_argument("names", nargs="+", metavar="NAME", help="name, id, or project/name")
    _project(parser)


def _name(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="name, id, or project/name")
    _project(parser)


def _project(parser: Parser) -> None:
    parser.add_argument("-p", "--project", default="", help="look in this project only")


def _wait(parser: Parser, *, default: bool) -> None:
    usual = "usual" if default else "not usual"
    parser.add_argument(
        "--wait",
        action=argparse.BooleanOptionalAction,
        default=default,
        help=f"wait until it is done ({usual}); what it waits for is shown",
    )


def _changes(*, wait: bool) -> Callable[[Parser], None]:
    def fill(parser: Parser) -> None:
        _names(parser)
        _wait(parser, default=wait)

    return fill


def _submit(parser: Parser) -> None:
    grammar_submit.fill(parser)
    _wait(parser, default=False)


def _list(parser: Parser) -> None:
    _project(parser)
    parser.add_argument(
        "--state", type=_states, default="", help="only these, for example running,waiting"
    )
    parser.add_argument("--user", default="", help="only those of this user")


def _logs(parser: Parser) -> None:
    _name(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="go on until it ends")
    parser.add_argument(
        "--tail",
        type=_lines,
        metavar="N",
        help=f"begin with the last N lines, at least 1 (usual in a notebook: {NOTEBOOK_LINES})",
    )


def _exec(parser: Parser) -> None:
    _name(parser)
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="program and arguments")
    parser.add_argument(
        "--timeout",
        type=_count,
        default=60,
        metavar="S",
        help="seconds it may take where another machine runs it",
    )


def _open(parser: Parser) -> None:
    _name(parser)
    parser.add_argument(
        "--port", type=_count, default=0, help="show this exposed port instead of Jupyter"
    )
    parser.add_argument(
        "--browser",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="open a browser; usual where there is a display",
    )


def _resize(parser: Parser) -> None:
    _name(parser)
    grammar_submit.share(parser.add_argument_group("its new share (none: the one that is advised)"))
    _wait(parser, default=False)


def _delete(parser: Parser) -> None:
    _names(parser)
    parser.add_argument("--stop", action="store_true", help="stop it first if it runs")


def _config(parser: Parser) -> None:
    parser.add_argument("setting", choices=("project",), help="what is preferred")
    parser.add_argument("value", nargs="?", metavar="NAME", help="nothing shows it")
    parser.add_argument("--unset", action="store_true", help="prefer none any more")


def _simulate(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="a scenario in YAML")


def _history(parser: Parser) -> None:
    _project(parser)
    parser.add_argument(
        "--hours", type=_count, default=24, metavar="N", help="how far back (usual: 24)"
    )
    parser.add_argument(
        "--points",
        type=_count,
        default=25,
        metavar="N",
        help="most steps of time, 2 to 2000 (usual: 25)",
    )
    parser.add_argument(
        "--by",
        choices=get_args(By),
        default="project",
        help="whose rows: with user, each user of each project has their own (usual: project)",
    )
    parser.add_argument("--user", default="", help="only those of this user")
    parser.add_argument("--csv", action="store_true", help="print comma-separated values")


def _help(parser: Parser) -> None:
    parser.add_argument("topic", nargs="?", default="", metavar="COMMAND")


def _nothing(_parser: Parser) -> None:
    pass


VERBS = (
    Verb("submit", "launch a session", _submit, takes_rest=True),
    Verb("list", "list sessions", _list),
    Verb("describe", "show all that is known of a session", _name),
    Verb("logs", "show what a session prints", _logs),
    Verb("exec", "run a program inside a session", _exec, takes_rest=True),
    Verb("bash", "open a shell inside a session", _name, shell_only=True),
    Verb("open", "open a session in the browser", _open),
    Verb("suspend", "stop sessions and keep their requests", _changes(wait=True)),
    Verb("resume", "put suspended or ended sessions back into the queue", _changes(wait=False)),
    Verb("keep-alive", "keep a session that is not used", grammar_policy.fill_keep_alive),
    Verb("resize", "start a session again with another share", _resize),
    Verb("stop", "stop sessions", _changes(wait=True)),
    Verb("delete", "remove ended sessions with their logs", _delete),
    Verb("quota", "show projects and what they use", _nothing),
    Verb("top", "show who uses GPUs now, the largest share first", _project),
    Verb("history", "show how projects and their users used GPUs over time", _history),
    Verb("nodes", "show nodes and GPUs", _nothing),
    Verb("environments", "show what sessions may start from", _nothing),
    Verb(
        "project",
        "show projects as they are set; as an admin, set them",
        grammar_project.fill_project,
    ),
    Verb(
        "rules", "show what holds for all projects; as an admin, set it", grammar_rules.fill_rules
    ),
    Verb("groups", "show node groups; as an admin, set them", grammar_rules.fill_groups),
    Verb(
        "policy",
        "show what is done with idle sessions, and why; as an admin, set it",
        grammar_policy.fill_policy,
    ),
    Verb("audit", "show who changed projects", grammar_project.fill_audit),
    Verb("simulate", "try quotas: play a scenario, without a server", _simulate),
    Verb(
        "controller",
        "show, start or stop the process that looks after sessions",
        grammar_controller.fill_controller,
    ),
    Verb("config", "show or set what you prefer", _config),
    Verb("help", "explain a command", _help),
)

ALIASES = {"get": "describe", "ls": "list"}


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _lines(text: str) -> int:
    if not _count(text):
        raise argparse.ArgumentTypeError("it must be at least 1; without it the log is whole")
    return int(text)


def _states(text: str) -> str:
    states = [state.strip() for state in text.split(",") if state.strip()]
    for state in states:
        if state not in _STATES:
            known = ", ".join(_STATES)
            raise argparse.ArgumentTypeError(f"there is no state {state!r}; there are {known}")
    return ",".join(states)
