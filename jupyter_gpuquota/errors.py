"""Everything that can go wrong, as one tree.

::

    GpuQuotaError
    ├── InvalidRequest        the request itself cannot be read: not JSON, too large, unknown keys
    │   └── InvalidFields     it can be read, but values break rules: see `fields`
    ├── NotFound              no such session, project, node or route
    ├── Conflict              the request is fine, the present state does not allow it
    │   ├── NameTaken         another session of the project has that name
    │   ├── WrongState        a session in this state cannot do that
    │   ├── InUse             a project that has sessions cannot go
    │   ├── Outdated          somebody else has changed it meanwhile
    │   └── Ambiguous         a name that stands for several sessions
    ├── NotAllowed            this user may not do that
    │   ├── NotAuthenticated  nobody known asks: a token is missing, or not known
    │   └── TooManyAttempts   too many unknown tokens have come from one address
    ├── Unsupported           this backend, device or environment cannot do that
    ├── StorageFailed         state could not be written (disk full, read-only); nothing changed
    ├── Unavailable           nothing answers
    │   ├── NoServer          neither a JupyterLab with the extension nor a controller can be found
    │   └── VersionMismatch   the two halves are of versions that do not agree
    └── Internal              a fault of ours

Each class has a stable `code`, the same on the wire, in the shell and in notebooks. `message` says
what happened and by which rule, `hint` what to do next. HTTP statuses are one table in
`api/statuses.py`, exit codes one table in `ui/exits.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """Say what is wrong with one field of a form.

    `field` is the name on the wire (`gpu`, `env.PATH`, `ports[1]`).
    """

    field: str
    message: str
    hint: str = ""


class GpuQuotaError(Exception):
    """Be the root of every error that a user may see."""

    code = "Internal"

    def __init__(
        self, message: str, *, hint: str = "", fields: tuple[FieldError, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.fields = fields

    def __str__(self) -> str:
        """Render message, fields and hint as plain lines of text."""
        lines = [self.message]
        lines += [
            f"  {f.field}: {f.message}" + (f" {f.hint}" if f.hint else "") for f in self.fields
        ]
        return "\n".join(lines + ([self.hint] if self.hint else []))


class InvalidRequest(GpuQuotaError):
    """Raise when a request cannot be read at all."""

    code = "InvalidRequest"


class InvalidFields(InvalidRequest):
    """Raise when values break rules; carries every broken one."""

    code = "InvalidFields"


def refused(*problems: FieldError) -> InvalidFields:
    """Return the error that carries these broken fields."""
    count = "One field is" if len(problems) == 1 else f"{len(problems)} fields are"
    return InvalidFields(f"{count} not acceptable.", fields=problems)


def refuse(problems: Iterable[FieldError]) -> None:
    """Raise InvalidFields if there are any."""
    if found := tuple(problems):
        raise refused(*found)


class NotFound(GpuQuotaError):
    """Raise when the thing that was named does not exist."""

    code = "NotFound"


class Conflict(GpuQuotaError):
    """Raise when the present state does not allow a well-formed request."""

    code = "Conflict"


class NameTaken(Conflict):
    """Raise when a session of the project already has the name."""

    code = "NameTaken"


class WrongState(Conflict):
    """Raise when a session's state does not allow the action."""

    code = "WrongState"


class InUse(Conflict):
    """Raise when a project cannot go because it has sessions."""

    code = "InUse"


class Outdated(Conflict):
    """Raise when a change was made from something that somebody else has changed meanwhile."""

    code = "Outdated"


class Ambiguous(Conflict):
    """Raise when a name stands for several sessions."""

    code = "Ambiguous"


class NotAllowed(GpuQuotaError):
    """Raise when the user lacks the right."""

    code = "NotAllowed"


class NotAuthenticated(NotAllowed):
    """Nobody known asks: a token is missing, or nobody knows it."""

    code = "NotAuthenticated"


class TooManyAttempts(NotAllowed):
    """Too many unknown tokens have come from one address."""

    code = "TooManyAttempts"
    wait = 0.0
    """Seconds until the next attempt is answered, where that is known."""


class Unsupported(GpuQuotaError):
    """Raise when the backend, device or environment lacks the capability."""

    code = "Unsupported"


class StorageFailed(GpuQuotaError):
    """Raise when state cannot be written; whatever was asked has not happened."""

    code = "StorageFailed"


class Unavailable(GpuQuotaError):
    """Raise when whoever should answer does not."""

    code = "Unavailable"


class NoServer(Unavailable):
    """Raise when no server and no controller can be found or started."""

    code = "NoServer"


class VersionMismatch(Unavailable):
    """Raise when two halves of the product do not understand each other."""

    code = "VersionMismatch"


class Internal(GpuQuotaError):
    """Raise for a fault of ours; the log has the details."""

    code = "Internal"


def _tree(root: type[GpuQuotaError]) -> dict[str, type[GpuQuotaError]]:
    found = {root.code: root}
    for child in root.__subclasses__():
        found |= _tree(child)
    return found


BY_CODE: dict[str, type[GpuQuotaError]] = {**_tree(GpuQuotaError), "Internal": Internal}
