"""What a client knows: the way to its server, and the user's surroundings."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

from ...errors import Ambiguous, FieldError, NotFound, NotLoaded, refused
from ...model.about import About
from .. import preferences
from . import discovery
from .discovery import Home
from .jobs import JobProcess, surroundings
from .protocol import Answers, Call, answers, decode, encode
from .servers import JupyterServer
from .texts import utf8
from .transport import Transport

T = TypeVar("T")

_SESSION = re.compile(r"(?:[A-Za-z0-9_-]{1,64}/){0,2}[A-Za-z0-9_-]{1,64}", re.ASCII)
"""An id, a name, `project/name` or `cluster/project/name`: what can be a part of a path."""


class Context:
    """The server, which is found on first use, and what surrounds this process."""

    def __init__(self, find: Callable[[], Transport], project: str = "") -> None:
        self._find = find
        self._project = project
        self._transport: Transport | None = None
        self._lock = Lock()

    @property
    def connected(self) -> bool:
        """Whether the server was found."""
        return self._transport is not None

    def transport(self) -> Transport:
        """Return the way to the server. Raises NoServer."""
        with self._lock:
            if self._transport is None:
                self._transport = self._find()
            return self._transport

    def call(self, route: str, args: dict[str, str] | None = None, **details: Any) -> Any:
        """Return the answer of a route; `details` are those of `Call`. Raises its errors.

        A controller that has just started is waited for, until it has read what is asked for.
        """
        call = Call(route, args or {}, **details)
        deadline = time.monotonic() + call.timeout
        while True:
            try:
                return decode(call, self.transport().send(encode(call)))
            except NotLoaded as error:
                if time.monotonic() > deadline:
                    raise
                self.pause(error.wait)

    def call_session(self, route: str, name: str, project: str = "", **details: Any) -> Any:
        """Return the answer of a route on a session: an id, a name or `project/name`.

        The server finds it. Of several with a name the one of the preferred project is meant.
        Raises NotFound, Ambiguous.
        """
        return self._on_session(lambda args: self.call(route, args, **details), name, project)

    def stream_session(self, route: str, name: str, project: str = "", **details: Any) -> Answers:
        """Return the answers of a route that streams on a session, as `call_session` does."""

        def listen(args: dict[str, str]) -> Answers:
            return answers(self.transport(), Call(route, args, **details))

        return self._on_session(listen, name, project)

    def project(self) -> str:
        """Return the project to use where none is named; empty leaves it to the server."""
        return self._project or preferences.project()

    def home(self) -> Home | None:
        """Return what a Jupyter Server would fill in; None where one does so."""
        return None if self.transport().url else discovery.find_home()

    def local_files(self) -> bool:
        """Return whether sessions see the files of this machine."""
        about: About = self.call("about.get")
        return about.local_files

    def labs(self) -> list[JupyterServer]:
        """Return the JupyterLabs of this account that have our extension and answer."""
        return discovery.labs()

    def folder(self) -> str:
        """Return the working folder. Raises InvalidFields if it was deleted."""
        try:
            return utf8(os.getcwd())  # noqa: PTH109 (text is wanted)
        except FileNotFoundError:
            deleted = FieldError("folder", "The current folder was deleted.", "Name another one.")
            raise refused(deleted) from None

    def spawn(self, verb: str, arguments: Sequence[str]) -> JobProcess:
        """Start the process of a job on data, which outlives this one.

        Raises Unsupported where it would not find our server, StorageFailed.
        """
        from ...store.spawn import spawn  # noqa: PLC0415 (keeps the import light)

        folder, environment = surroundings(self.transport())
        return spawn(verb, arguments, state_dir=folder, environment=environment)

    def pause(self, seconds: float) -> None:
        """Wait before the next request."""
        time.sleep(seconds)

    def _on_session(self, do: Callable[[dict[str, str]], T], name: str, project: str) -> T:
        try:
            return do({"id": _part(name, project)})
        except Ambiguous:
            preferred = "" if project or "/" in name else self.project()
            if not preferred:
                raise
            try:
                return do({"id": _part(name, preferred)})
            except NotFound:
                pass  # none of them is in that project
            raise


def _part(name: str, project: str) -> str:
    """Return what names a session in a path; `~` stands for the slash. Raises NotFound."""
    full = f"{project}/{name}" if project else name
    if not _SESSION.fullmatch(full):
        raise NotFound(f"Session {full!r} not found.", hint="List the sessions to see their names.")
    return full.replace("/", "~")
