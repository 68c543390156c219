"""The words that describe a session to launch, or a template of such sessions."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence
from typing import cast, get_args

from ....client import Client
from ....client.sessions import Wishes
from ....errors import FieldError
from ....model.sessions import Framework, Kind
from ...arguments import (
    add_share,
    offer,
    own_projects,
    session_names,
    template_names,
    whole_number,
)
from ...parser import Parser
from . import container

_WRITE_COMMAND = "Write the command last, after `--`: -g 0.5 -- python train.py."
HINTS = {"command.missing": f"{_WRITE_COMMAND} Or add --interactive for a Jupyter server."}
"""What to do about some problems that the server finds, in words of the shell."""


def fill(parser: Parser) -> None:
    """Add the name and all options of a request."""
    parser.add_argument(
        "words", nargs="*", metavar="NAME", help="lowercase letters, digits and hyphens"
    )
    parser.add_argument("--name", default="", help=argparse.SUPPRESS)
    template = parser.add_argument(
        "--template", default="", metavar="NAME", help="what other options leave out is taken of it"
    )
    offer(template, template_names)
    like = parser.add_argument(
        "--like", default="", metavar="SESSION", help="the same of a session, running or ended"
    )
    offer(like, session_names())
    add_share(parser.add_argument_group("GPU share (default: none, CPUs only)"))
    scheduling = parser.add_argument_group("scheduling")
    _fill_kind(scheduling)
    scheduling.add_argument(
        "--processes",
        type=whole_number,
        default=None,
        metavar="N",
        help="runs the command N times, each with the whole share, all at once (default: 1)",
    )
    scheduling.add_argument(
        "--framework",
        choices=get_args(Framework),
        default=None,
        help="how the processes find each other (default: torch)",
    )
    _fill_program(parser.add_argument_group("program"))
    container.fill(parser.add_argument_group("container (where sessions are containers)"))


def _fill_kind(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--interactive", action="store_true", help="for hands-on work (default: a training)"
    )
    group.add_argument(
        "--preemptible",
        action="store_true",
        help="with --interactive: can borrow GPUs over quota, and be preempted",
    )
    project = group.add_argument("-p", "--project", default="", help="whose quota it uses")
    offer(project, own_projects)
    group.add_argument(
        "--priority",
        type=whole_number,
        default=None,
        metavar="N",
        help="0 to 100; higher starts first within the project (default: 50)",
    )
    group.add_argument(
        "--idle-timeout", default="", metavar="T", help="up to the policy's limit: 30m, 2h"
    )
    group.add_argument("--node-type", default="", metavar="GROUP", help="node group to run on")


def _fill_program(group: argparse._ArgumentGroup) -> None:
    environment = group.add_argument(
        "-i",
        "--image",
        "--environment",
        dest="environment",
        default="",
        metavar="ENVIRONMENT",
        help="a listed environment, the path of a Python prefix, or an image",
    )
    offer(environment, _environments)
    group.add_argument(
        "--command", nargs="?", const=True, metavar="WORDS", help="the program, instead of `--`"
    )
    group.add_argument("--args", default="", metavar="WORDS", help="arguments, instead of `--`")
    group.add_argument("--folder", default="", help="working folder (default: the current one)")
    group.add_argument(
        "-e",
        "--environment-variable",
        dest="variables",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="environment variable; can be repeated",
    )
    _fill_data_and_ports(group)


def _fill_data_and_ports(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--port",
        dest="ports",
        action="append",
        type=whole_number,
        default=[],
        metavar="PORT",
        help="port to expose beside Jupyter; can be repeated",
    )
    data = group.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="NAME@REF[:/PATH]",
        help="dataset to use, by default its latest version; can be repeated",
    )
    offer(data, _datasets)


def read(args: argparse.Namespace) -> tuple[str, Wishes, tuple[FieldError, ...]]:
    """Return the name, the request and the problems of parsed words.

    The server checks values; only words that cannot be sent are refused here. With a template or a
    session to take the rest from, what was not given is left out.
    """
    problems: list[FieldError] = []
    kind: Kind = "train"
    if args.interactive:
        kind = "interactive-spot" if args.preemptible else "interactive"
    if "=" in args.environment:
        hint = f"Set a variable with -e {args.environment}."
        problems.append(FieldError("environment", "Not an environment.", hint))
    command, arguments = _argv(args, kind, problems)
    request: Wishes = {
        "project": args.project,
        "kind": kind,
        "gpu": args.gpu,
        "gpu_memory": args.gpu_memory,
        "gpu_compute": args.gpu_compute,
        "mig_profile": args.mig_profile,
        "environment": args.environment,
        "folder": args.folder,
        "command": command,
        "args": arguments,
        "env": _variables(args.variables, problems),
        "ports": args.ports,
        "data": args.data,
        "priority": 50 if args.priority is None else args.priority,
        "processes": 1 if args.processes is None else args.processes,
        "framework": args.framework or "torch",
        "node_type": args.node_type,
        "idle_timeout": args.idle_timeout,
        **container.read(args, problems),
    }
    name = _name(args, problems)
    if args.template or args.like:
        request = _given(args, request)
    return name, request, tuple(problems)


def _given(args: argparse.Namespace, request: Wishes) -> Wishes:
    """Return what was given besides the template or the session."""
    unset = {"kind"} if not args.interactive else set()
    unset |= {"priority"} if args.priority is None else set()
    unset |= {"processes"} if args.processes is None else set()
    unset |= {"framework"} if args.framework is None else set()
    wishes = {**request, "template": args.template, "like": args.like}
    given = {field: value for field, value in wishes.items() if value and field not in unset}
    return cast("Wishes", given)


def _name(args: argparse.Namespace, problems: list[FieldError]) -> str:
    words = [*args.words, *([args.name] if args.name else [])]
    if len(words) > 1:
        extra = " ".join(words[1:])
        hint = f"To run {extra!r}, write it after `--`."
        problems.append(FieldError("name", "Only one name is possible.", hint))
    return str(words[0]) if words else ""


def _argv(
    args: argparse.Namespace, kind: Kind, problems: list[FieldError]
) -> tuple[list[str], list[str]]:
    """Return command and arguments.

    Words after `--` are the command of a training, and of any session with a bare `--command`.
    """
    rest = list(args.rest)
    given = _words("args", args.args, problems)
    if isinstance(args.command, str):
        command = _words("command", args.command, problems)
        if not command and not problems:
            problems.append(FieldError("command", "The command is empty.", _WRITE_COMMAND))
        return command, [*given, *rest]
    if args.command or kind == "train":
        if not rest and args.command:
            problems.append(FieldError("command", "--command needs a program.", _WRITE_COMMAND))
        return rest, given
    return [], [*given, *rest]


def _words(field: str, text: str, problems: list[FieldError]) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        problems.append(FieldError(field, f"Cannot be split into words: {error}."))
        return []


def _variables(pairs: list[str], problems: list[FieldError]) -> dict[str, str]:
    variables: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            problems.append(
                FieldError(f"env.{name}", "The value is missing.", f"Write -e {name}=VALUE.")
            )
        elif name in variables:
            problems.append(FieldError(f"env.{name}", "Given twice."))
        variables[name] = value
    return variables


def _datasets(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return (dataset.name for dataset in client.datasets.list())


def _environments(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return (environment.id for environment in client.environments.list().environments)
