"""Locate a controller, which is identified by its backend and state folder.

Each is set by a flag (or argument), else by the environment, else by the configuration, else by the
default: the backend `local`, and `gpuquota` in Jupyter's data folder. Our Jupyter Server extension
sets the environment of its kernels and terminals, and a controller that of its sessions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import accounts
from ..environ import BACKEND, SESSION, STATE_DIR
from ..errors import LaunchedElsewhere, NoServer
from .config_files import Choice, Reader, read_apart

DEFAULT_BACKEND = "local"

_BACKEND_NAME = re.compile(r"[a-z0-9]([-_.a-z0-9]*[a-z0-9])?", re.ASCII)
_OTHERS = "backends"


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a controller. A state folder has one controller for each backend."""

    state_dir: Path
    backend: str = DEFAULT_BACKEND

    @property
    def home(self) -> Path:
        """The controller's own folder; that of `local` is the state folder itself."""
        if self.backend == DEFAULT_BACKEND:
            return self.state_dir
        return self.state_dir / _OTHERS / self.backend

    @property
    def socket(self) -> Path:
        """The socket on which it listens."""
        return self.home / "controller.sock"

    @property
    def log(self) -> Path:
        """Its log file."""
        return self.home / "controller.log"

    @property
    def lock(self) -> Path:
        """The file that it keeps locked while it runs."""
        return self.home / "controller.lock"

    @property
    def starting(self) -> Path:
        """The file that a client keeps locked while it starts the controller."""
        return self.home / "controller.start"

    @property
    def successor(self) -> Path:
        """The file in which a newer version announces that it takes over."""
        return self.home / "controller.next"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables by which other processes find it."""
        return {STATE_DIR: str(self.state_dir), BACKEND: self.backend}

    @property
    def flags(self) -> list[str]:
        """The command-line flags of a controller at this location."""
        return ["--backend", self.backend, "--state-dir", str(self.state_dir)]


def locate(named: Choice | None = None, read: Reader = read_apart) -> Location:
    """Return the location of the chosen controller, which need not exist yet.

    `named` overrides the environment. `read` returns the configured choice; it is called only if
    something is left open. Raises NoServer for invalid names, and LaunchedElsewhere in a session
    whose environment names none: its image's configuration is not about where it was launched.
    """
    chosen = (named or Choice()).over(in_environment())
    if not chosen and os.environ.get(SESSION):
        raise LaunchedElsewhere(
            "This session was launched from another machine.", hint="Manage sessions there."
        )
    if not (chosen.backend and chosen.state_dir):
        chosen = chosen.over(read())
    if chosen.warning:
        _warn(chosen.warning)
    backend = chosen.backend or DEFAULT_BACKEND
    if not _BACKEND_NAME.fullmatch(backend):
        raise NoServer(
            f"{backend!r} is not a valid name of a backend.",
            hint="Use lowercase letters, digits, hyphens, dots and underscores.",
        )
    return Location(_folder(chosen.state_dir), backend)


def in_environment(environ: Mapping[str, str] = os.environ) -> Choice:
    """Return the choice in the environment."""
    return Choice(environ.get(BACKEND, ""), environ.get(STATE_DIR, ""))


def locations(state_dir: Path) -> list[Location]:
    """Return the present and former locations of controllers in a state folder."""
    others = sorted(path.name for path in (state_dir / _OTHERS).glob("*"))
    found = [Location(state_dir, backend) for backend in (DEFAULT_BACKEND, *others)]
    return [location for location in found if location.lock.exists()]


def _folder(named: str) -> Path:
    if not named:
        from jupyter_core.paths import jupyter_data_dir  # noqa: PLC0415 (keeps the import light)

        return Path(jupyter_data_dir()) / "gpuquota"
    found = accounts.expanded(named)
    if not found.is_absolute():
        raise NoServer(
            f"The state folder must be an absolute path, not {named!r}.",
            hint=f"It comes from {STATE_DIR} or GpuQuota.state_dir.",
        )
    return found


def _warn(text: str) -> None:
    import logging  # noqa: PLC0415 (keeps the import light)

    logging.getLogger(__name__).warning("%s", text)
