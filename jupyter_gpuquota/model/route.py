"""What a route of the REST interface is; `routes` has them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Permission = Literal["read", "write", "admin"]


@dataclass(frozen=True, slots=True)
class Route:
    """Describe one route.

    `name` is `noun.verb` and selects the use case of the same name in `services`. `noun`, if
    set, is what the answer is a view of: its revision makes the ETag. `internal` routes are
    served on the controller's socket only, never through JupyterLab. `status` is the one of
    success. `admin` routes are for those only who may change projects.
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
    admin: bool = False

    @property
    def permission(self) -> Permission:
        """Tell the right that a user needs: GET reads, others write, and some are an admin's."""
        if self.admin:
            return "admin"
        return "read" if self.method == "GET" else "write"
