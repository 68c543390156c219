"""The argument of use cases, the same from Jupyter and from every hosting of the controller."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..core.access import Caller, Rights
from ..model.sessions import Session


@dataclass(frozen=True, slots=True)
class Call:
    """A request: the caller's rights, the path arguments, the decoded query and body.

    `session` is the one that the path names, if it names one; the caller has the rights on it
    that the route needs. With `since`, a revision, the answer may hold only what has changed
    after it.
    """

    rights: Rights
    args: dict[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None
    session: Session | None = None
    since: str = ""

    @property
    def caller(self) -> Caller:
        """The caller."""
        return self.rights.caller

    @property
    def who(self) -> str:
        """The caller's name, for the audit log and as the owner of new sessions."""
        return self.rights.caller.name

    @property
    def is_own(self) -> bool:
        """Whether the session that the path names is the caller's own, or the caller itself."""
        return self.who == self.target.owner

    @property
    def target(self) -> Session:
        """The session that the path names. Raises AssertionError where it names none."""
        assert self.session, "the route has no {id}"  # noqa: S101 (our own bug)
        return self.session
