"""`python -m jupyter_gpuquota.kernels`: a kernel program, as a kernelspec starts it."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from jupyter_core.paths import jupyter_runtime_dir

from ..client import Client
from .connection_file import read_connection
from .follower import Place
from .front import Front
from .notebook import Notebook, Parent
from .place import SessionPlace, TemplatePlace
from .relay import Relay


def main(argv: Sequence[str] | None = None) -> int:
    """Relay to the kernel of a session until it is shut down."""
    args = _parser().parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are messages
    parent = Parent.of(os.environ, Path(jupyter_runtime_dir()))
    notebook = Notebook.of(args.connection_file, parent, os.environ)
    front = Front(read_connection(args.connection_file))
    Relay(front, _place(args, notebook), parent).run()
    return 0


def _place(args: argparse.Namespace, notebook: Notebook) -> Place:
    if args.template:
        return TemplatePlace(Client(), args.template, notebook)
    return SessionPlace(Client(), args.session, notebook)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m jupyter_gpuquota.kernels",
        description="A Jupyter kernel that runs in a GPU session; kernelspecs start it.",
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--session", default="", help="its name, or PROJECT/NAME")
    where.add_argument("--template", default="", help="what to launch a session from")
    parser.add_argument("-f", dest="connection_file", type=Path, required=True)
    return parser
