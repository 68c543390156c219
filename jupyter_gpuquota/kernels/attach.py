"""Finding or starting the kernel of a notebook in a session."""

from __future__ import annotations

from dataclasses import dataclass, field

from .channels.direct import DirectChannels
from .channels.port import Channels, Conversation
from .channels.probe import ReadyChannels, opened
from .channels.websocket import WebSocketChannels
from .connection_file import connection_of
from .session_server import SessionServer


@dataclass(frozen=True, slots=True)
class AttachedKernel:
    """A kernel that runs in a session, owned by the session's own Jupyter Server."""

    server: SessionServer = field(repr=False)
    id: str

    def channels(
        self, seconds: float = 60.0, conversation: Conversation | None = None
    ) -> ReadyChannels:
        """Return a new connection to its channels, once the kernel answers on it.

        Where its sockets cannot be reached, its server keeps what it sends between two connections
        of the same `conversation`. Raises WrongState, Unavailable, and ChannelsLost if it does not
        answer within `seconds`.
        """
        conversation = conversation or Conversation()
        return opened(self._open(conversation), seconds, conversation.early)

    def _open(self, conversation: Conversation) -> Channels:
        endpoint = self.server.endpoint
        if endpoint.runtime:
            return DirectChannels(connection_of(endpoint.runtime, self.id))
        return WebSocketChannels(endpoint, self.id, conversation)

    def interrupt(self) -> None:
        """Interrupt what it runs. Raises NotFound, Unavailable."""
        self.server.interrupt(self.id)

    def restart(self) -> None:
        """Restart it; it keeps its id. Raises NotFound, Unavailable."""
        self.server.restart(self.id)

    def shut_down(self) -> None:
        """Shut it down."""
        self.server.shut_down(self.id)

    def state(self) -> str:
        """Return `idle`, `busy`, `starting`, `dead` or the like. Raises NotFound, Unavailable."""
        return self.server.kernel(self.id).execution_state


def attach(server: SessionServer, path: str, *, name: str = "") -> AttachedKernel:
    """Return the kernel at a path of a session's server, which is started if it has none.

    `path` is relative to the session's folder, as the paths of notebooks are; one below a folder
    that does not exist identifies a kernel as well, which then works in the session's folder.
    `name` is what the session's pages call it. Raises Unavailable, WrongState.
    """
    if found := _at(server, path):
        return found
    made = AttachedKernel(server, server.start(path, name or path.rpartition("/")[2]).id)
    first = _at(server, path) or made
    if first.id != made.id:
        made.shut_down()  # another program has started one at the same time
    return first


def _at(server: SessionServer, path: str) -> AttachedKernel | None:
    """Return the kernel at a path: of several the one that was started first.

    A Jupyter Server that is asked twice at once starts two, and lists them as they were started.
    """
    for each in server.sessions():
        if each.path == path and each.kernel and each.kernel.execution_state != "dead":
            return AttachedKernel(server, each.kernel.id)
    return None
