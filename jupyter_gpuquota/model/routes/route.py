"""What a route of the REST interface is; `table` has all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Permission = Literal["read", "write", "execute", "admin"]
"""The permissions that a Jupyter Authorizer grants."""

Need = Literal[
    "anyone", "person", "see", "inspect", "log", "manage", "own", "enter", "exec", "admin"
]
"""What a caller needs: see `core.access`."""


@dataclass(frozen=True, slots=True)
class Route:
    """One route.

    `name` is `noun.verb`: `services/sessions.py: create` answers `sessions.create`. `noun`, if set,
    is what the answer is a view of: its revision makes the ETag. `internal` routes are served by
    the controller only, never through JupyterLab. `status` is the one of success. `need` is what
    the caller needs, of the session that the path names as `{id}` if it names one. `action`
    completes the error "You may not …", where the verb of the name does not. `timeout` is in
    seconds; a gateway must have the answer within them. A route that `streams` answers with any
    number of responses, one a line, each as soon as it is available; the first must come within
    `timeout`. A route that `runs` starts a program that a user chose, now or later: it needs the
    right to run programs. A route `by_id` takes no name of a session for its id. The work of one
    that `stops` ends when the client disconnects: its use case may be cancelled anywhere.
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
    runs: bool = False
    action: str = ""
    by_id: bool = False
    stops: bool = False

    @property
    def verb(self) -> str:
        """What the route does to a session, as it completes a sentence: `keep alive`."""
        return self.action or self.name.partition(".")[2].replace("_", " ")

    @property
    def permission(self) -> Permission:
        """The right that the caller needs: GET reads, others write or run, some are for admins."""
        if self.need == "admin":
            return "admin"
        if self.runs:
            return "execute"
        return "read" if self.method == "GET" else "write"
