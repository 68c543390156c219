"""Check what users wish of the policy for their own sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import FieldError, refused
from ..model.idleness import KeepAliveRequest
from ..model.idlewords import whose
from ..model.policy import Policy, RuleName
from ..model.quota import Project
from ..model.sessions import Kind
from ..model.spans import LONGEST, parse_span, write_span
from .policy import Decided, bounds, layered, most_of


def read_keep_alive(request: KeepAliveRequest) -> int:
    """Return for how many seconds a session is to be kept alive; 0 for the usual time.

    Raises InvalidFields.
    """
    asked = str(request.span).strip()
    if not asked:
        return 0
    span, message = 0, ""
    try:
        span = parse_span(asked)
        message = "" if 0 < span <= LONGEST else "It is no time at all, or longer than a year."
    except ValueError as error:
        message = str(error)
    if message:
        problem = FieldError("span", message, "Leave it out for the usual time.")
        raise refused(problem)
    return span


def parse_wish(asked: object) -> tuple[int | None, list[FieldError]]:
    """Read the idle timeout that a session wishes for, in seconds; None for no wish."""
    text = str(asked).strip()
    if not text:
        return None, []
    try:
        wish = parse_span(text)
    except ValueError as error:
        return None, [FieldError("idle_timeout", str(error), "0 stands for never.")]
    if wish > LONGEST:
        return None, [
            FieldError("idle_timeout", "It is longer than a year.", "0 stands for never.")
        ]
    return wish, []


def _warning(found: Mapping[RuleName, Decided]) -> int:
    """Tell how many seconds before its end a session is warned."""
    return 0 if found["action"].value == "notify" else int(found["warn_before"].value)


def check_wish(
    wish: int | None, policy: Policy, project: Project, kind: Kind
) -> Iterator[FieldError]:
    """Say what the policy has against the idle timeout that a session wishes for."""
    if wish is None:
        return
    found = layered(policy, project.name, kind, project)
    decided = found["idle_timeout"]
    if decided.locked:
        usual = write_span(decided.value) if decided.value else "never"
        message = f"It is {usual}: {whose(decided.level)} has locked it."
        yield FieldError("idle_timeout", message, "Leave it out, or ask an admin.")
        return
    least, most = bounds(found)
    if 0 < wish < least:
        by = whose(found["idle_timeout_min"].level)
        message = f"{write_span(wish)} is shorter than the least that {by} allows."
        yield FieldError("idle_timeout", message, f"Take at least {write_span(least)}.")
    elif 0 < wish < (warn := _warning(found)):
        by = whose(found["warn_before"].level)
        message = f"{write_span(wish)} is shorter than the warning that {by} gives before."
        yield FieldError("idle_timeout", message, f"Take at least {write_span(warn)}.")
    if most and (wish == 0 or wish > most):
        rule = most_of(found)
        asked = "Never" if wish == 0 else write_span(wish)
        message = f"{asked} is longer than the most that {whose(found[rule].level)} allows."
        yield FieldError("idle_timeout", message, f"Take at most {write_span(most)}.")
