"""All errors that users may see, as one tree.

::

    GpuQuotaError
    ├── InvalidRequest        the request is unreadable: not JSON, too large, unknown keys
    │   └── InvalidFields     the request is readable, but fields break rules: see `fields`
    ├── NotFound              the session, project, node or route does not exist
    ├── Conflict              the present state does not allow a well-formed request
    │   ├── NameTaken         another session of the project has the name
    │   ├── WrongState        the session's state does not allow the action
    │   ├── InUse             the project still has sessions
    │   ├── Outdated          another user has changed the object meanwhile
    │   └── Ambiguous         the name matches several sessions
    ├── NotAllowed            the user lacks the right
    │   ├── NotAuthenticated  the token is missing or unknown
    │   └── TooManyAttempts   too many unknown tokens came from one address
    ├── Unsupported           the backend, device or environment lacks the capability
    ├── StorageFailed         state could not be written (disk full, read-only); nothing changed
    ├── Damaged               stored data does not match its hash, or breaks its format
    ├── BadAnswer             a program of a session sent a malformed HTTP response
    ├── Unavailable           no response
    │   ├── NotLoaded         the controller has just started, and still reads what it was asked for
    │   ├── OutcomeUnknown    a change was sent, and no response says whether it was made
    │   ├── NoServer          no JupyterLab with the extension and no controller was found
    │   │   └── LaunchedElsewhere  the controller of this session is on another machine
    │   └── VersionMismatch   client and server have incompatible versions
    └── Internal              a bug; the log has the details

Each class has a stable `code`, the same on the wire, in the shell and in notebooks. `message` says
what happened and by which rule, `hint` what to do next. `api/statuses.py` maps the classes to HTTP
statuses, `client/exit_codes.py` to exit codes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """One invalid field of a request.

    `field` is the name on the wire (`gpu`, `env.PATH`, `ports[1]`). `key` names the template of
    message and hint in `model/messages`, empty where there is none, and `args` fills it.
    """

    field: str
    message: str
    hint: str = ""
    key: str = ""
    args: Mapping[str, str | int] = dataclasses.field(default_factory=dict, hash=False)


class GpuQuotaError(Exception):
    """Base class of all errors that users may see."""

    code = "Internal"
    wait = 0.0
    """Seconds until another attempt may succeed, 0 where that is not known."""

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
    """The request is unreadable."""

    code = "InvalidRequest"


class InvalidFields(InvalidRequest):
    """Fields break rules; `fields` has all of them."""

    code = "InvalidFields"


def refused(*problems: FieldError) -> InvalidFields:
    """Return the error that carries these invalid fields."""
    fields = "field" if len(problems) == 1 else "fields"
    return InvalidFields(f"{len(problems)} invalid {fields}.", fields=problems)


def refuse(problems: Iterable[FieldError]) -> None:
    """Raise InvalidFields if there are problems."""
    if fields := tuple(problems):
        raise refused(*fields)


class NotFound(GpuQuotaError):
    """The named object does not exist."""

    code = "NotFound"


class Conflict(GpuQuotaError):
    """The present state does not allow a well-formed request."""

    code = "Conflict"


class NameTaken(Conflict):
    """Another session of the project has the name."""

    code = "NameTaken"


class WrongState(Conflict):
    """The session's state does not allow the action."""

    code = "WrongState"


class InUse(Conflict):
    """The project still has sessions."""

    code = "InUse"


class Outdated(Conflict):
    """Another user has changed the object since the caller read it."""

    code = "Outdated"


class Ambiguous(Conflict):
    """The name matches several sessions."""

    code = "Ambiguous"


class NotAllowed(GpuQuotaError):
    """The user lacks the right."""

    code = "NotAllowed"


class NotAuthenticated(NotAllowed):
    """The token is missing or unknown."""

    code = "NotAuthenticated"


class TooManyAttempts(NotAllowed):
    """Too many unknown tokens came from one address, or one caller has too many connections."""

    code = "TooManyAttempts"


class Unsupported(GpuQuotaError):
    """The backend, device or environment lacks the capability."""

    code = "Unsupported"


class StorageFailed(GpuQuotaError):
    """State could not be written; nothing changed."""

    code = "StorageFailed"


class Damaged(GpuQuotaError):
    """Stored data does not match its hash, or breaks the rules of its format."""

    code = "Damaged"


class BadAnswer(GpuQuotaError):
    """A program of a session sent a malformed HTTP response."""

    code = "BadAnswer"


class Unavailable(GpuQuotaError):
    """The server or controller does not respond."""

    code = "Unavailable"


class NotLoaded(Unavailable):
    """The controller has just started, and still reads what it was asked for."""

    code = "NotLoaded"
    wait = 0.5


class OutcomeUnknown(Unavailable):
    """A change was sent; whether it was made is not known."""

    code = "OutcomeUnknown"


class NoServer(Unavailable):
    """No server and no controller can be found or started."""

    code = "NoServer"


class LaunchedElsewhere(NoServer):
    """The controller of the session that we run in is on another machine."""

    code = "LaunchedElsewhere"


class VersionMismatch(Unavailable):
    """Client and server have incompatible versions."""

    code = "VersionMismatch"


class Internal(GpuQuotaError):
    """A bug; the log has the details."""

    code = "Internal"


def _tree(root: type[GpuQuotaError]) -> dict[str, type[GpuQuotaError]]:
    classes = {root.code: root}
    for child in root.__subclasses__():
        classes |= _tree(child)
    return classes


BY_CODE: dict[str, type[GpuQuotaError]] = {**_tree(GpuQuotaError), "Internal": Internal}
