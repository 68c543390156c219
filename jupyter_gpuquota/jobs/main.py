"""The main of a job's process, which gives way to everything else on its machine."""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import logging
import os
import signal
import socket
import sys
import uuid
from collections.abc import Callable, Sequence

import msgspec
import psutil

from ..client.connection import discovery
from ..client.connection.context import Context
from ..client.exit_codes import INTERRUPTED
from ..model.datasets.jobs import JobReport
from ..model.struct import problem_of
from ..store.processes import this_process
from .job import ControllerReporter, Job, LinesReporter, Reporter
from .running import run
from .verbs import VERBS

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
"""Parameters of mallopt(3)."""
_KEPT = 1 << 30
_NICE = 10
_LOWEST = 7
"""The lowest level of the class `best-effort`; the class `idle` may never get a turn."""
_PROGRAM = "python -m jupyter_gpuquota.store"


def keep() -> None:
    """Set this process to keep what it frees, if its C library is glibc.

    A job reads and joins gigabytes in pieces of some megabytes; new memory for each of them takes a
    sixth of its processor time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_MAX, 0)
        mallopt(_TRIM_THRESHOLD, _KEPT)


def lower() -> None:
    """Let other processes use processor and disk first."""
    os.nice(_NICE)
    psutil.Process().ionice(psutil.IOPRIO_CLASS_BE, _LOWEST)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one job, and return its exit code: see `client/exit_codes.py`."""
    words = sys.argv[1:] if argv is None else argv
    args = _parser(words[0] if words else "").parse_args(words)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    lower()
    keep()
    return asyncio.run(_main(args))


async def _main(args: argparse.Namespace) -> int:
    job = Job(args.job, _first(args), _reporter(args))
    verb = VERBS[args.verb]
    outcome = await run(job, lambda: verb.load().run(job, args), _on_signals)
    if outcome.error:
        # For people who read the log, and for whoever started this process.
        problem = msgspec.json.encode(problem_of(outcome.error)).decode()
        sys.stderr.write(f"{outcome.error}\n{problem}\n")
    return outcome.exit_code


def _parser(chosen: str) -> argparse.ArgumentParser:
    """Return the parser; only the chosen verb is loaded, which a process waits for."""
    parser = argparse.ArgumentParser(prog=_PROGRAM, description="Run a job on datasets.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, verb in VERBS.items():
        one = verbs.add_parser(name, help=verb.help, description=verb.help)
        one.add_argument("--job", default=uuid.uuid4().hex[:12], help="the id of the job")
        one.add_argument(
            "--report",
            choices=("controller", "lines"),
            default="controller",
            help="to whom the job reports: the controller, or standard output",
        )
        if name == chosen:
            verb.load().add_arguments(one)
    return parser


def _first(args: argparse.Namespace) -> JobReport:
    """Return the first report: what the job is about, and which process it is."""
    named = getattr(args, "copy", None)
    return JobReport(
        kind=VERBS[args.verb].kind,
        dataset=named.dataset if named else getattr(args, "dataset", ""),
        version=named.version if named else "",
        folder=os.fsencode(getattr(args, "folder", "")).decode(errors="backslashreplace"),
        host=socket.gethostname(),
        pid=os.getpid(),
        begun=this_process().start,
        state="waiting",
    )


def _reporter(args: argparse.Namespace) -> Reporter:
    if args.report == "lines":
        return LinesReporter(args.job)
    return ControllerReporter(args.job, Context(discovery.find))


def _on_signals(stop: Callable[[], None]) -> None:
    """Cancel the job on SIGINT and SIGTERM; on the second one, end at once."""
    loop = asyncio.get_running_loop()
    asked: list[int] = []

    def heard(number: int) -> None:
        if asked:
            # What is left is swept up later, as after any crash.
            os._exit(INTERRUPTED)
        asked.append(number)
        stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, heard, number)
