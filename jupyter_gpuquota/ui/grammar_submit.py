"""The words of `submit`, and the request that they make."""

from __future__ import annotations

import argparse
import shlex

from ..client.sessions import Wishes
from ..errors import FieldError
from ..model.sessions import Kind

_WRITE_COMMAND = "Write the command after `--`: submit NAME -g 0.5 -- python train.py."
_OR_INTERACTIVE = "Or add --interactive for a Jupyter Server."


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a session."""
    parser.add_argument("words", nargs="*", metavar="NAME", help="small letters, digits, hyphens")
    parser.add_argument("--name", default="", help=argparse.SUPPRESS)
    share(parser.add_argument_group("its share of GPUs (none: CPUs only)"))
    _kind(parser.add_argument_group("its kind"))
    _program(parser.add_argument_group("what runs, and where"))
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would happen, and why"
    )


def share(group: argparse._ArgumentGroup) -> None:
    """Add the options that say a share of GPUs."""
    group.add_argument("-g", "--gpu", default="", help="0.5 of a GPU, or 1, 2, … whole ones")
    group.add_argument("--gpu-memory", default="", metavar="MEM", help="8Gi, or MiB on one GPU")
    group.add_argument(
        "--gpu-compute", default="", metavar="PERCENT", help="5 to 100 in steps of 5, beside those"
    )
    group.add_argument("--mig-profile", default="", metavar="PROFILE", help="1g.10gb, for example")


def _kind(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--interactive", action="store_true", help="for work by hand; otherwise it is a training"
    )
    group.add_argument(
        "--preemptible", action="store_true", help="with --interactive: interactive-spot"
    )
    group.add_argument("-p", "--project", default="", help="whose quota it uses")
    group.add_argument(
        "--priority", type=_number, default=50, help="0 to 100; orders the line of its project"
    )
    group.add_argument(
        "--idle-timeout", default="", metavar="T", help="its own, as far as the policy allows: 2h"
    )
    group.add_argument("--node-type", default="", metavar="GROUP", help="the node group to run on")


def _program(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-i",
        "--image",
        "--environment",
        dest="environment",
        default="",
        metavar="ENVIRONMENT",
        help="a listed environment, the path of a Python prefix, or an image",
    )
    group.add_argument(
        "--command", nargs="?", const=True, metavar="WORDS", help="the program, if not after --"
    )
    group.add_argument("--args", default="", metavar="WORDS", help="arguments, if not after --")
    group.add_argument("--folder", default="", help="where it starts")
    group.add_argument(
        "-e",
        "--environment-variable",
        dest="variables",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="may be repeated",
    )
    group.add_argument(
        "--port",
        dest="ports",
        action="append",
        type=_number,
        default=[],
        help="a port to show beside Jupyter; may be repeated",
    )


def wishes(args: argparse.Namespace) -> tuple[str, Wishes, tuple[FieldError, ...]]:
    """Return the name and the wishes that parsed words express, and what is wrong with them.

    Values are checked by the server; what no server can make sense of is found here.
    """
    problems: list[FieldError] = []
    kind: Kind = "train"
    if args.interactive:
        kind = "interactive-spot" if args.preemptible else "interactive"
    if "=" in args.environment:
        hint = f"For a variable write -e {args.environment}."
        problems.append(FieldError("environment", "That is no environment.", hint))
    command, arguments = _argv(args, kind, problems)
    asked: Wishes = {
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
        "priority": args.priority,
        "node_type": args.node_type,
        "idle_timeout": args.idle_timeout,
    }
    name = _name(args, problems)
    return name, asked, tuple(problems)


def _name(args: argparse.Namespace, problems: list[FieldError]) -> str:
    words = [*args.words, *([args.name] if args.name else [])]
    if len(words) > 1:
        extra = " ".join(words[1:])
        hint = f"If {extra!r} is meant as a command, write it after `--`."
        problems.append(FieldError("name", "A session has one name.", hint))
    return str(words[0]) if words else ""


def _argv(
    args: argparse.Namespace, kind: Kind, problems: list[FieldError]
) -> tuple[list[str], list[str]]:
    """Return command and arguments.

    `--command` alone makes a command of what stands after `--`; so does a training, which has
    nothing that arguments could belong to.
    """
    rest = list(args.rest)
    given = _words("args", args.args, problems)
    if isinstance(args.command, str):
        command = _words("command", args.command, problems)
        if not command and not problems:
            problems.append(FieldError("command", "It is empty.", _WRITE_COMMAND))
        return command, [*given, *rest]
    if args.command or kind == "train":
        if not rest:
            what = (
                "--command is given without one" if args.command else "A training needs a command"
            )
            hint = _WRITE_COMMAND if args.command else f"{_WRITE_COMMAND} {_OR_INTERACTIVE}"
            problems.append(FieldError("command", f"{what}.", hint))
        return rest, given
    return [], [*given, *rest]


def _words(field: str, text: str, problems: list[FieldError]) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        problems.append(FieldError(field, f"It cannot be split into words: {error}."))
        return []


def _variables(pairs: list[str], problems: list[FieldError]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            problems.append(
                FieldError(f"env.{name}", "It has no value.", f"Write -e {name}=VALUE.")
            )
        elif name in found:
            problems.append(FieldError(f"env.{name}", "It is given twice."))
        found[name] = value
    return found


def _number(text: str) -> int:
    try:
        return int(text) if text.isascii() and len(text) < 10 else int("")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
