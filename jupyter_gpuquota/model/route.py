"""What a route of the REST interface is; `routes` has them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Permission = Literal["read", "write", "admin"]
"""What a Jupyter Authorizer is asked."""

Need = Literal["anyone", "person", "see", "inspect", "manage", "own", "enter", "admin"]
"""What a caller needs: see `core.access`."""


_WORDS = {
    "sessions.log": "read the log of",
    "sessions.advice": "see the use of",
    "sessions.policy": "see the policy of",
    "sessions.activity": "see the activity of",
    "sessions.exec": "run programs in",
    "sessions.exec_stream": "run programs in",
    "sessions.context": "enter",
    "sessions.endpoint": "open",
    "sessions.presence": "use",
}
"""Verbs that a route's name alone does not say."""


@dataclass(frozen=True, slots=True)
class Route:
    """One route.

    `name` is `noun.verb` and selects the use case of the same name in `services`. `noun`, if
    set, is what the answer is a view of: its revision makes the ETag. `internal` routes are
    served on the controller's socket only, never through JupyterLab. `status` is the one of
    success. `need` is what the caller needs, of the session that the path names as `{id}` where
    there is one. `timeout` is the seconds within which whoever passes a request on must have the
    answer. A route that `streams` answers with any number of responses, one a line, each as soon
    as it is there; the first must come within `timeout`.
    """

    name: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    response: Any
    summary: str
    request: Any = None
    query: Any = None
    noun: str = ""
    internal: bool = False
    status: int = 200
    need: Need = "person"
    timeout: float = 60.0
    streams: bool = False

    @property
    def verb(self) -> str:
        """What the route does, as a verb in a sentence: `keep alive`."""
        return _WORDS.get(self.name) or self.name.partition(".")[2].replace("_", " ")

    @property
    def permission(self) -> Permission:
        """Tell the right that a user needs: GET reads, others write, and some are an admin's."""
        if self.need == "admin":
            return "admin"
        return "read" if self.method == "GET" else "write"
