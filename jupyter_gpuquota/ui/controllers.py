"""What `controller` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..client import Client
from ..errors import Conflict, InvalidRequest, Unsupported
from ..hosting import backends, remote, status
from ..hosting.config_files import Choice, read_apart, read_here
from ..hosting.locate import Location, locate, locations
from ..hosting.start import clean_environment, command, ensure_controller
from ..model.controllers import Controllers, ControllerStatus
from .grammar import Args
from .screen import Screen
from .views.base import View
from .views.controllers import ControllersView


def controller(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show, start, stop or run the chosen backend's controller, or all of a state folder."""
    named = Choice(backend=getattr(args, "backend", ""))
    if not named and (elsewhere := remote.in_environment()):
        raise Unsupported(
            f"{remote.URL} names a controller, {elsewhere.url}, that is not managed from here.",
            hint="Name a --backend to manage a controller of this machine.",
        )
    location = locate(named, read_here if screen.shell else read_apart)
    backends.find(location.backend)
    if args.action == "run":
        _run(location, args, screen)
    chosen = (args.all and locations(location.state_dir)) or [location]
    return _ACTIONS[args.action](chosen)


def _status(chosen: Sequence[Location]) -> ControllersView:
    return ControllersView(_seen(chosen))


def _start(chosen: Sequence[Location]) -> ControllersView:
    for location in chosen:
        ensure_controller(location)
    return ControllersView(_seen(chosen))


def _stop(chosen: Sequence[Location]) -> ControllersView:
    notes = []
    for location in chosen:
        before = status.status(location)
        status.stop(location)
        notes.append(_stopped(before))
    return ControllersView(_seen(chosen), notes)


def _run(location: Location, args: Args, screen: Screen) -> NoReturn:
    """Become the controller, which logs to this terminal."""
    if not screen.shell:
        raise InvalidRequest(
            "A notebook cannot become a controller.", hint="`controller start` starts one."
        )
    if args.all or args.json:
        option = "--all" if args.all else "--json"
        raise InvalidRequest(f"run takes no {option}.", hint="It runs one controller, to its end.")
    if pid := status.status(location).pid:
        raise Conflict(
            f"The controller of {location.backend} runs already (process {pid}).",
            hint="`controller stop` stops it; its sessions run on.",
        )
    words = [*command(location), "--foreground"]
    sys.stdout.flush()
    os.execve(words[0], words, clean_environment(os.environ, location))  # noqa: S606 (no shell is wanted)


def _seen(chosen: Sequence[Location]) -> Controllers:
    return Controllers(controllers=tuple(status.status(location) for location in chosen))


def _stopped(before: ControllerStatus) -> str:
    if not before.pid:
        return f"No controller of {before.backend} runs."
    left = f"The controller of {before.backend} (process {before.pid}) has left"
    if not before.sessions:
        return f"{left}."
    count = "1 session" if before.sessions == 1 else f"{before.sessions} sessions"
    if not before.outlived:
        return f"{left}, and {count} with it."
    return f"{left}; {count} {'runs' if before.sessions == 1 else 'run'} on."


_ACTIONS: dict[str, Callable[[Sequence[Location]], ControllersView]] = {
    "status": _status,
    "start": _start,
    "stop": _stop,
}
