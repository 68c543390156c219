"""What a use case is given, whoever asked: Jupyter or a hosting of the controller."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..core.access import Caller, Rights
from ..model.sessions import Session


@dataclass(frozen=True, slots=True)
class Call:
    """One request: what the caller may do, the route's path arguments, decoded query and body.

    `session` is the one that the path names, if it names one; the caller may do with it what the
    route needs.
    """

    rights: Rights
    args: dict[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None
    session: Session | None = None

    @property
    def caller(self) -> Caller:
        """Whoever asks."""
        return self.rights.caller

    @property
    def who(self) -> str:
        """The name that goes into the audit log, and owns what is made."""
        return self.rights.caller.name

    @property
    def target(self) -> Session:
        """The session that the path names. Raises AssertionError where it names none."""
        assert self.session, "the route has no {id}"  # noqa: S101 (a fault of ours)
        return self.session
