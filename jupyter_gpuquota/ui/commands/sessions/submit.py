"""`submit`: launch a session."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from ....client import Client, preferences
from ....client.sessions import Wishes
from ....errors import FieldError, InvalidFields, Unavailable, refused
from ....model.sessions import ENDED, Kind, Session
from ...arguments import add_dry_run, add_share, add_wait, offer, own_projects, whole_number
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.details import SubmittedView
from ...views.previews import PreviewView
from ...views.view import View
from . import container
from .waiting import wait

_WRITE_COMMAND = "Write the command after `--`: submit NAME -g 0.5 -- python train.py."
_OR_INTERACTIVE = "Or add --interactive for a Jupyter server."


def _fill(parser: Parser) -> None:
    parser.add_argument(
        "words", nargs="*", metavar="NAME", help="lowercase letters, digits and hyphens"
    )
    parser.add_argument("--name", default="", help=argparse.SUPPRESS)
    add_share(parser.add_argument_group("GPU share (default: none, CPUs only)"))
    _fill_kind(parser.add_argument_group("scheduling"))
    _fill_program(parser.add_argument_group("program"))
    container.fill(parser.add_argument_group("container (where sessions are containers)"))
    add_dry_run(parser)
    add_wait(parser, default=False)


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
        default=50,
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
    group.add_argument("--folder", default="", help="working folder")
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


def _submit(client: Client, args: Args, console: Console) -> View[Any]:
    name, request, problems = read_request(args)
    try:
        if problems:
            raise _refusal(client, name, request, problems)
        if args.dry_run:
            return PreviewView(client.sessions.preview(name, **request))
        session: Session = client.sessions.submit(name, **request)
    except InvalidFields as error:
        raise _explain_project(error, args) from error
    if args.wait:
        session = wait(client, session, console)
    return SubmittedView(session, _next(session, console), exit_code=int(session.state == "failed"))


def _next(session: Session, console: Console) -> str:
    """Return what the user can do next."""
    gpu, name = "jupyter gpu" if console.shell else "%gpu", session.spec.name
    if session.state == "running" and session.spec.serves_jupyter:
        return f"Open it with `{gpu} open {name}`."
    if session.state in ENDED:
        return f"See its log with `{gpu} logs {name}`."
    return f"Follow with `{gpu} describe {name}`."


def _refusal(
    client: Client, name: str, request: Wishes, problems: tuple[FieldError, ...]
) -> InvalidFields:
    """Return the problems found here, and those of the server if it answers."""
    by_field = {problem.field: problem for problem in problems}
    with suppress(Unavailable):  # problems found here hold without a server
        for theirs in client.sessions.preview(name, **request).problems:
            problem = FieldError(theirs.field, theirs.message, theirs.hint)
            by_field.setdefault(theirs.field, problem)
    return refused(*by_field.values())


def _explain_project(error: InvalidFields, args: Args) -> InvalidFields:
    """Name the preference as the origin of an unknown project that the user has not typed."""
    preferred = preferences.project()
    if args.project or not preferred or all(f.field != "project" for f in error.fields):
        return error
    hint = f"{preferred} is your preferred project. Change it with `config project NAME`."
    return InvalidFields(error.message, hint=hint, fields=error.fields)


def read_request(args: argparse.Namespace) -> tuple[str, Wishes, tuple[FieldError, ...]]:
    """Return the name, the request and the problems of parsed words.

    The server checks values; only words that cannot be sent are refused here.
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
        "priority": args.priority,
        "node_type": args.node_type,
        "idle_timeout": args.idle_timeout,
        **container.read(args, problems),
    }
    name = _name(args, problems)
    return name, request, tuple(problems)


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
        if not rest:
            message, hint = "A training needs a command.", f"{_WRITE_COMMAND} {_OR_INTERACTIVE}"
            if args.command:
                message, hint = "--command needs a program.", _WRITE_COMMAND
            problems.append(FieldError("command", message, hint))
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


COMMANDS = (
    Command(
        "submit",
        "launch a session",
        _submit,
        _fill,
        notes="A training needs a command after `--`. With --interactive and no command the "
        "session is a Jupyter server, and words after `--` are its arguments. A command starts in "
        "the current folder, a Jupyter server in the root folder of JupyterLab. Datasets are found "
        "by name in the folder $GPUQUOTA_DATASETS; a session starts once they are cached.",
        examples=(
            "submit exp1 -g 0.5 -p team-a --interactive",
            "submit exp2 --gpu-memory 8Gi --gpu-compute 30 --interactive --wait",
            "submit train1 -g 1 -e EPOCHS=10 -- python train.py --lr 0.1",
            "submit train2 -g 1 --data faces@v1 -- python train.py",
            "submit exp3 -g 1 --interactive --memory 32Gi -v data:/data:ro --large-shm",
            'submit board --interactive --port 6006 --command "tensorboard --logdir runs"',
        ),
        section="Sessions",
        takes_rest=True,
    ),
)
