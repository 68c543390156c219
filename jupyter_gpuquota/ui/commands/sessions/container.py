"""Options of a session's container."""

from __future__ import annotations

import argparse

from ....client.sessions import Wishes
from ....errors import FieldError

_VOLUME = "NAME:/PATH[:ro] or CLASS:SIZE:/PATH"


def fill(group: argparse._ArgumentGroup) -> None:
    """Add the options, with the words of `kubectl` and `docker`."""
    amounts = {
        "cpu": ("CPUS", "CPUs to request: 2 or 500m"),
        "cpu-limit": ("CPUS", "most CPUs it can use"),
        "memory": ("MEM", "memory to request: 8Gi, or MiB"),
        "memory-limit": ("MEM", "most memory it can use"),
    }
    for name, (value, text) in amounts.items():
        group.add_argument(f"--{name}", default="", metavar=value, help=text)
    group.add_argument(
        "--large-shm", action="store_true", help="a /dev/shm of more than 64 MiB, for data loaders"
    )
    _add_list(group, "-v", "--volume", "volumes", _VOLUME, "volume to mount")
    _add_list(
        group, "--secret-env", "secret_env", "NAME=SECRET/KEY", "environment variable from a Secret"
    )
    _add_list(
        group, "--toleration", "tolerations", "KEY[=VALUE][:EFFECT]", "taint of nodes to tolerate"
    )
    _add_list(group, "--pull-secret", "pull_secrets", "SECRET", "Secret to pull the image with")
    group.add_argument(
        "--image-pull-policy",
        dest="pull_policy",
        default="",
        metavar="POLICY",
        help="Always, IfNotPresent or Never",
    )
    group.add_argument("--service-account", default="", metavar="NAME", help="its service account")
    group.add_argument(
        "--run-as-user", dest="run_as", default="", metavar="USER[:GROUP]", help="in numbers"
    )


def read(args: argparse.Namespace, problems: list[FieldError]) -> Wishes:
    """Return what was given of the options; the rest is left out."""
    variables: dict[str, str] = {}
    for pair in args.secret_env:
        name, equals, value = pair.partition("=")
        if not equals or name in variables:
            text = "Given twice." if equals else "The Secret is missing."
            hint = "" if equals else f"Write --secret-env {name}=SECRET/KEY."
            problems.append(FieldError(f"secret_env.{name}", text, hint))
        variables[name] = value
    asked: Wishes = {
        "cpu": args.cpu,
        "cpu_limit": args.cpu_limit,
        "memory": args.memory,
        "memory_limit": args.memory_limit,
        "large_shm": args.large_shm,
        "tolerations": args.tolerations,
        "pull_secrets": args.pull_secrets,
        "pull_policy": args.pull_policy,
        "service_account": args.service_account,
        "run_as": args.run_as,
        "secret_env": variables,
        "volumes": args.volumes,
    }
    return asked


def _add_list(group: argparse._ArgumentGroup, *words: str) -> None:
    """Add an option that can be repeated; the last words are its name, its value and its help."""
    *flags, name, value, text = words
    group.add_argument(
        *flags,
        dest=name,
        action="append",
        default=[],
        metavar=value,
        help=f"{text}; can be repeated",
    )
