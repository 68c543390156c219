"""Check the policy settings that users request for their own sessions."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.idleness import KeepAliveRequest
from ...model.policy import Policy, RuleName
from ...model.quota import Project
from ...model.sessions import Kind
from ..fields import FieldReader
from .policy import Decided, bounds, layered, most_of


def read_keep_alive(request: KeepAliveRequest) -> int:
    """Return for how many seconds a session is to be kept alive; 0 for the default.

    Raises InvalidFields.
    """
    span = str(request.span).strip()
    if not span:
        return 0
    reader = FieldReader()
    seconds = reader.duration("span", span, "default")
    if not seconds and not reader.errors:
        reader.wrong("span", "duration.zero")
    reader.finish()
    return seconds


def read_wish(asked: object, reader: FieldReader) -> int | None:
    """Read the idle timeout that a session requests, in seconds; None for none."""
    if not str(asked).strip():
        return None
    before = len(reader.errors)
    wish = reader.duration("idle_timeout", asked, "never")
    return wish if len(reader.errors) == before else None


def _warning(found: Mapping[RuleName, Decided]) -> int:
    """Return how many seconds before its end a level has a session warned; 0: no matter."""
    warning = found["warn_before"]
    matters = warning.level != "built-in" and found["action"].value != "notify"
    return int(warning.value) if matters else 0


def check_wish(
    wish: int | None, policy: Policy, project: Project, kind: Kind, reader: FieldReader
) -> None:
    """Check the idle timeout that a session requests against the policy."""
    if wish is None:
        return
    found = layered(policy, project.name, kind, project)
    least, most = bounds(found)
    if 0 < wish < least:
        level = found["idle_timeout_min"].level
        reader.wrong("idle_timeout", "idle_timeout.short", level=level, least=least)
    elif 0 < wish < (warn := _warning(found)):
        level = found["warn_before"].level
        reader.wrong("idle_timeout", "idle_timeout.warning", level=level, least=warn)
    if most and (wish == 0 or wish > most):
        level = found[most_of(found)].level
        reader.wrong("idle_timeout", "idle_timeout.long", level=level, most=most)
