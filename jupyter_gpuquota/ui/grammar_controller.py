"""The words of `controller`, and the backend that any command may name."""

from __future__ import annotations

import argparse

from .parser import Parser

ACTIONS = ("status", "start", "stop", "run")


def fill_controller(parser: Parser) -> None:
    """Add the words of `controller`; without any it shows the status."""
    parser.add_argument("action", nargs="?", default="status", choices=ACTIONS, help="what to do")
    parser.add_argument(
        "--all", action="store_true", help="every controller of the state folder, not only one"
    )
    # Left out, it does not hide the one that was named before the command.
    add_backend(parser, default=argparse.SUPPRESS)


def add_backend(parser: Parser, default: str = "") -> None:
    """Add the option that chooses a backend."""
    parser.add_argument(
        "--backend",
        default=default,
        metavar="NAME",
        help="where sessions run (usual: what is configured, or local)",
    )
