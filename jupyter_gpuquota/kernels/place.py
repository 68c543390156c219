"""A session by its name, and the kernel of a notebook in it."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from ..client import Client
from ..client.variables import pickles
from ..errors import NotFound
from ..model.sessions import ENDED, Session
from . import folder
from .attach import AttachedKernel, attach
from .channels.port import Conversation
from .channels.probe import ReadyChannels
from .folder import missing
from .follower import Attached
from .messages import Message
from .notebook import Notebook
from .session_server import SessionServer

_ANSWERS = 2.0
"""Seconds for a kernel to answer before its session is looked at again."""
_SHORT = 12
"""Letters of a template's name in those of its sessions."""

Launch = Callable[[Client, str], Session]


class Named(Protocol):
    """A notebook, or whatever else has a kernel of its own in a session."""

    @property
    def name(self) -> str:
        """What pages call it."""

    @property
    def folder(self) -> str:
        """Where its code expects to run."""

    def path_in(self, root: str) -> str:
        """Return the path that identifies its kernel, for a server with a root folder here."""


class SessionPlace:
    """A session of the user, named by its id, its name or `project/name`.

    `launch` launches it where it does not exist or has ended; without it, it must exist.
    `on_shutdown`, `stop` or `suspend`, is what happens to it once its last kernel is shut down.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        notebook: Named,
        *,
        launch: Launch | None = None,
        on_shutdown: str = "",
    ) -> None:
        self._client = client
        self._name = name
        self._notebook = notebook
        self._launch = launch
        self._on_shutdown = on_shutdown
        self._session = ""
        self._attached: AttachedKernel | None = None
        self._prepared = ""
        self._conversation = "", Conversation()

    def session(self, *, resume: bool) -> Session:
        """Return the session, launched or resumed where that is asked for."""
        try:
            session: Session = self._client.sessions.get(self._name)
        except NotFound:
            if not self._launch or self._session:
                raise
            session = self._launch(self._client, self._name)
        sleeps = resume and session.state == "suspended"
        if sleeps or (self._launch and not self._session and session.state in ENDED):
            session = self._client.sessions.resume(session.id)
        self._session = session.id
        return session

    def attach(self, session: Session) -> Attached:
        """Return the notebook's kernel. Raises Unavailable, WrongState, ChannelsLost."""
        server = SessionServer.find(self._client.context, session.id)
        here = bool(server.endpoint.runtime)
        path = self._notebook.path_in(session.spec.folder if here else "")
        kernel = attach(server, path, name=self._notebook.name)
        self._attached = kernel
        if self._conversation[0] != kernel.id:
            self._conversation = kernel.id, Conversation()
        # Before its channels: the reply to a cell that has ended by now comes before their first.
        busy = kernel.state() == "busy"
        channels = kernel.channels(_ANSWERS, self._conversation[1])  # kernels start slowly
        folder = None
        known = channels.process == self._prepared  # asked again, it would count as used
        if not (busy or known) and channels.language == "python":
            try:
                folder = prepare(channels, session, self._notebook.folder, here=here)
            except BaseException:
                channels.close()
                raise
            self._prepared = channels.process
        note = missing(session, folder.path) if folder and not folder.found else ""
        return Attached(kernel, channels, busy, folder, note)

    def shut_down(self) -> None:
        """Shut the kernel down, and the session if it was launched and has no other.

        The session comes first, as it takes its kernel with it: Jupyter gives us a few
        seconds to shut down, and the kernel alone may take as long.
        """
        ended = False
        try:
            ended = self._end_session()
        finally:  # the kernel is shut down also where the controller does not answer
            if self._attached and not ended:
                self._attached.shut_down()
                self._end_session()  # others may have been shut down meanwhile

    def _end_session(self) -> bool:
        """Stop or suspend the session if it was launched and has no other kernel.

        Returns whether it ends.
        """
        if not (self._on_shutdown and self._session):
            return False
        sessions, session = self._client.sessions, self._session
        match sessions.get(session).state:
            case "waiting" | "starting":  # it has nothing to keep
                sessions.stop(session)
            case "running" if not self._others(session):
                (sessions.suspend if self._on_shutdown == "suspend" else sessions.stop)(session)
            case _:
                return False
        return True

    def _others(self, session: str) -> bool:
        """Return whether anything but our notebook has a kernel in the session."""
        own = self._attached and self._attached.id
        found = SessionServer.find(self._client.context, session).sessions()
        return any(each.kernel is None or each.kernel.id != own for each in found)


class TemplatePlace:
    """A session that is launched from a template for one notebook, and found again for it."""

    def __init__(self, client: Client, template: str, notebook: Notebook) -> None:
        self._client = client
        self._template = template
        self._notebook = notebook
        self._found: SessionPlace | None = None

    def session(self, *, resume: bool) -> Session:
        """Return the session, launched if there is none. Raises NotFound, InvalidFields."""
        return self._place().session(resume=resume)

    def attach(self, session: Session) -> Attached:
        """Return the notebook's kernel. Raises Unavailable, WrongState, ChannelsLost."""
        return self._place().attach(session)

    def shut_down(self) -> None:
        """Shut the kernel down, and what was launched for it as the template says."""
        self._place().shut_down()

    def _place(self) -> SessionPlace:
        if self._found is None:
            template = self._client.templates.get(self._template)
            self._found = SessionPlace(
                self._client,
                f"{template.name[:_SHORT].rstrip('-')}-{self._notebook.key}",
                self._notebook,
                launch=self._launch,
                on_shutdown=template.on_shutdown,
            )
        return self._found

    def _launch(self, client: Client, name: str) -> Session:
        return client.sessions.submit(name, template=self._template)


_SECONDS = 10.0
"""Seconds for the kernel to answer; it runs nothing else."""


def prepare(
    channels: ReadyChannels, session: Session, notebook: str, *, here: bool
) -> folder.Folder | None:
    """Give a kernel that has run nothing its folder, and what was kept for its notebook.

    `notebook` is the notebook's folder, `here` whether the kernel runs on this machine. Returns
    whether the kernel works there, None if it has run something. Raises ChannelsLost.
    """
    if evaluate(channels, "str(get_ipython().execution_count)") != "1":
        return None
    path = session.spec.folder
    if here:
        do(channels, f"__import__('os').chdir({json.dumps(notebook)})")
    found = here or folder.enter(partial(evaluate, channels), notebook)
    if not here or Path(path, pickles.KEPT).is_dir():
        take = f'm["take"](get_ipython().user_ns, m["kept_file"]({path!r}))'
        do(channels, pickles.program(take))
    return folder.Folder(notebook, found)


def evaluate(channels: ReadyChannels, expression: str) -> str:
    """Return the value of a Python expression for a text, empty if it fails."""
    found = do(channels, "", {"value": expression}).get("user_expressions", {}).get("value", {})
    text = found.get("data", {}).get("text/plain", "''")
    return str(ast.literal_eval(text))


def do(
    channels: ReadyChannels, code: str, expressions: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Run code without outputs or history in a kernel that runs nothing; return its reply.

    That is empty if none comes in time. The reply has the values of the `expressions`.
    """
    content = {
        "code": code,
        "silent": True,
        "store_history": False,
        "allow_stdin": False,
        "user_expressions": dict(expressions),
    }
    asked = Message.new("shell", "execute_request", content, session="gpuquota")
    reply = channels.answer(asked, _SECONDS)
    return reply.read() if reply else {}
