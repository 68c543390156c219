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
from .front import Front
from .notebook import Notebook, Parent
from .place import SessionPlace
from .relay import Relay


def main(argv: Sequence[str] | None = None) -> int:
    """Relay to the kernel of a session until it is shut down."""
    args = _parser().parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are messages
    parent = Parent.of(os.environ, Path(jupyter_runtime_dir()))
    notebook = Notebook.of(args.connection_file, parent, os.environ)
    front = Front(read_connection(args.connection_file))
    place = SessionPlace(Client(), args.session, notebook, kernel=args.kernel)
    Relay(front, place, parent).run()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m jupyter_gpuquota.kernels",
        description="A Jupyter kernel that runs in a GPU session; kernelspecs start it.",
    )
    parser.add_argument("--session", required=True, help="its name, or PROJECT/NAME")
    parser.add_argument("--kernel", default="", help="a kernelspec there (default: its own)")
    parser.add_argument("-f", dest="connection_file", type=Path, required=True)
    return parser
