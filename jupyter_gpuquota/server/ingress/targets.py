"""Find where a session listens."""

from __future__ import annotations

import time
from urllib.parse import urlencode

import msgspec

from ...api.decoding import is_id
from ...api.dispatch import Asked, Dispatcher
from ...api.statuses import error_in
from ...errors import NotFound, WrongState
from ...model.routes import route
from ...model.sessions import Endpoint

_FRESH = 2.0
_MANY = 512


class Targets:
    """Look up endpoints, and remember them for a moment.

    An answer is kept for two seconds at most, and forgotten with every change of a session: a
    port that a session gave up may be a stranger's next.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._known: dict[tuple[str, int], tuple[Endpoint, float]] = {}

    async def find(self, session_id: str, port: int, *, fresh: bool = False) -> Endpoint:
        """Return where a session listens; `port` 0 is its Jupyter Server.

        A `fresh` look-up trusts nothing that was said before.

        Raises:
            NotFound: there is no such session.
            WrongState: it does not run, or does not listen there yet.
            NotAllowed: it does not expose the port, or is somebody else's.
        """
        known, since = self._known.get((session_id, port), (None, 0.0))
        if known and not fresh and time.monotonic() - since < _FRESH:
            return known
        if not is_id(session_id):
            raise NotFound(f"{session_id!r} is no id of a session.")
        asked = Asked(
            route=route("sessions.endpoint"),
            args={"id": session_id},
            query=urlencode({"port": port, "same_origin": "true"}),
        )
        answer = await self._dispatcher.dispatch(asked)
        if answer.status != 200:
            raise error_in(answer.body)
        endpoint = msgspec.json.decode(answer.body, type=Endpoint)
        if len(self._known) >= _MANY:
            self._known.clear()
        self._known[session_id, port] = (endpoint, time.monotonic())
        return endpoint

    def forget(self) -> None:
        """Look up everything anew; to be called whenever a session changes."""
        self._known.clear()


def check_prefix(endpoint: Endpoint, path: str) -> None:
    """Raise WrongState if a session's Jupyter Server was started for another base URL."""
    if endpoint.base_url and not path.startswith(endpoint.base_url.rstrip("/")):
        raise WrongState(
            "This session was started for a JupyterLab with another base URL: its pages "
            f"live below {endpoint.base_url}.",
            hint="Suspend and resume it here, then open it again.",
        )
