"""`controller`: the process that manages sessions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from ...client import Client
from ...environ import URL
from ...errors import Conflict, InvalidRequest, Unsupported
from ...hosting import backends, remote, status
from ...hosting.config_files import Choice, read_apart, read_here
from ...hosting.locate import Location, locate, locations
from ...hosting.start import clean_environment, command, ensure_controller
from ...model.controllers import Controllers, ControllerStatus
from ..arguments import add_backend
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.controllers import ControllersView


def _fill_backend(parser: Parser) -> None:
    # Without it, the one that was named before the command counts.
    add_backend(parser, default=argparse.SUPPRESS)


def _fill(parser: Parser) -> None:
    _fill_backend(parser)
    parser.add_argument(
        "--all", action="store_true", help="all controllers of the state folder, not only one"
    )


def _status(_client: Client, args: Args, console: Console) -> ControllersView:
    return ControllersView(_statuses(_chosen(args, console)))


def _start(_client: Client, args: Args, console: Console) -> ControllersView:
    chosen = _chosen(args, console)
    for location in chosen:
        ensure_controller(location)
    return ControllersView(_statuses(chosen))


def _stop(_client: Client, args: Args, console: Console) -> ControllersView:
    notes, chosen = [], _chosen(args, console)
    for location in chosen:
        before = status.status(location)
        status.stop(location)
        notes.append(_stopped(before))
    return ControllersView(_statuses(chosen), notes)


def _run(_client: Client, args: Args, console: Console) -> NoReturn:
    """Become the controller, which logs to this terminal."""
    location = _location(args, console)
    if not console.shell:
        raise InvalidRequest(
            "A notebook cannot become a controller.", hint="Start one with `controller start`."
        )
    if pid := status.status(location).pid:
        raise Conflict(
            f"The controller of {location.backend} is already running (process {pid}).",
            hint="Stop it with `jupyter gpu controller stop`.",
        )
    words = [*command(location), "--foreground"]
    sys.stdout.flush()
    os.execve(words[0], words, clean_environment(os.environ, location))  # noqa: S606 (no shell is wanted)


def _location(args: Args, console: Console) -> Location:
    named = Choice(backend=getattr(args, "backend", ""))
    if not named and (elsewhere := remote.in_environment()):
        raise Unsupported(
            f"The controller {elsewhere.url}, set by {URL}, is not managed from here.",
            hint="Name a --backend to manage a controller of this machine.",
        )
    location = locate(named, read_here if console.shell else read_apart)
    backends.find(location.backend)
    return location


def _chosen(args: Args, console: Console) -> Sequence[Location]:
    location = _location(args, console)
    return (args.all and locations(location.state_dir)) or [location]


def _statuses(chosen: Sequence[Location]) -> Controllers:
    return Controllers(controllers=tuple(status.status(location) for location in chosen))


def _stopped(before: ControllerStatus) -> str:
    if not before.pid:
        return f"No running controller of {before.backend}."
    stopped = f"Stopped the controller of {before.backend} (process {before.pid})"
    if not before.sessions:
        return f"{stopped}."
    count = "1 session" if before.sessions == 1 else f"{before.sessions} sessions"
    if not before.outlived:
        return f"{stopped}, and {count} with it."
    return f"{stopped}; {count} {'keeps' if before.sessions == 1 else 'keep'} running."


COMMANDS = (
    Command(
        "controller",
        "show, start or stop the process that manages sessions",
        actions=(
            Command("status", "show whether the controller is running", _status, _fill),
            Command("start", "start the controller", _start, _fill),
            Command(
                "stop",
                "stop the controller",
                _stop,
                _fill,
                notes="Local sessions keep running, and the next request starts a new controller.",
            ),
            Command(
                "run",
                "run the controller in this terminal, with its log",
                _run,
                _fill_backend,
                prints_json=False,
            ),
        ),
        default="status",
        notes="The controller starts when it is first needed.",
        examples=("controller", "controller status --all", "controller stop"),
    ),
)
