"""Operations on the policy for idle sessions: see, set, unset, explain, exempt.

The policy goes over the wire as a whole; here it is changed level by level, and what is wrong is
said of the level and the rule that were named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypedDict, Unpack

import msgspec

from ..errors import FieldError, InvalidFields, NotFound, refuse, refused
from ..model.base import Number
from ..model.idlewords import read_quiet
from ..model.policy import (
    RULES,
    ExemptionRequest,
    Policy,
    PolicyLevelRequest,
    PolicyRequest,
    PolicyRulesRequest,
    QuietHoursRequest,
    SessionPolicy,
    request_of,
)
from ..model.policytrial import PolicyTrial
from ..model.spans import parse_span
from .context import Context
from .names import find
from .steps import Operation, ask

_FIELD = re.compile(r"levels\[(\d+)\]\.(level$|rules\.)(.*)")
_NUMBER = re.compile(r"\[\d+\]")
_EXEMPTION = re.compile(r"exemptions\[(\d+)\]\.(.*)")


class Rules(TypedDict, total=False):
    """Name the rules that a level may set, as in `PolicyRulesRequest`; None leaves one unset."""

    idle_timeout: Number | None
    idle_timeout_min: Number | None
    idle_timeout_max: Number | None
    gpu_idle_timeout: Number | None
    gpu_idle_action: str | None
    warn_before: Number | None
    action: str | None
    grace: Number | None
    interactive_life: Number | None
    train_life: Number | None
    keep_alive: Number | None
    keep_alives: Number | None
    cpu_busy: Number | None
    gpu_busy: Number | None
    quiet_hours: str | Sequence[QuietHoursRequest] | None


def get(context: Context) -> Operation[Policy]:
    """Show what is set, and the built-in rules below it."""
    found: Policy = yield from ask("policy.get")
    return found


def set_(
    context: Context,
    level: str,
    *,
    lock: Sequence[str] = (),
    unlock: Sequence[str] = (),
    **rules: Unpack[Rules],
) -> Operation[Policy]:
    """Set rules of a level: `everyone`, `project:NAME` or `kind:KIND`; the others stay as they are.

    It is `idle_timeout="2h"`, `action="stop"`, `quiet_hours="daily 22:00-06:00 UTC: 20m"`; None
    leaves a rule to weaker levels. No stronger level may set what is locked.

    Raises InvalidFields, NotAllowed, and Outdated if somebody else was quicker.
    """
    return (yield from _put((yield from _wanted(level, lock, unlock, rules))))


def preview(
    context: Context,
    level: str,
    *,
    lock: Sequence[str] = (),
    unlock: Sequence[str] = (),
    **rules: Unpack[Rules],
) -> Operation[PolicyTrial]:
    """Say what the same `set` would have done over the last week; nothing changes.

    Raises InvalidFields, NotAllowed.
    """
    request = yield from _wanted(level, lock, unlock, rules)
    found: PolicyTrial = yield from _send("policy.try", request)
    return found


def unset(context: Context, level: str, *rules: str) -> Operation[Policy]:
    """Leave rules of a level to the weaker ones; without any, all of its rules.

    Raises NotFound, NotAllowed, InvalidFields, Outdated.
    """
    _check_names(rules)
    old = request_of((yield from get(context)))
    own = next((each.rules for each in old.levels if each.level == level), None)
    if own is None:
        there = ", ".join(each.level for each in old.levels) or "none"
        raise NotFound(f"{level} sets no rule.", hint=f"Levels that do: {there}.")
    if missing := [rule for rule in rules if getattr(own, rule) is None]:
        raise NotFound(f"{level} does not set {', '.join(missing)}.", hint="See `policy show`.")
    locked = tuple(rule for rule in own.locked if rule not in rules)
    none = dict.fromkeys(rules)
    left = msgspec.structs.replace(own, **none, locked=locked) if rules else PolicyRulesRequest()
    return (yield from _put(_with(old, level, left)))


def explain(context: Context, name: str, *, project: str = "") -> Operation[SessionPolicy]:
    """Say what each rule comes to for a session, and which level decided it. Raises NotFound."""
    session = yield from find(context, name, project)
    found: SessionPolicy = yield from ask("sessions.policy", session.id)
    return found


def exempt(context: Context, who: str, *, until: datetime | str, reason: str) -> Operation[Policy]:
    """Except sessions from being acted on: `session:NAME`, `user:NAME` or `project:NAME`.

    `until` is a time, or a length of time from now (`3d`); one without a zone is of this machine's.
    Who is excepted already gets this exemption instead.

    Raises InvalidFields, NotAllowed, Outdated.
    """
    old = request_of((yield from get(context)))
    new = ExemptionRequest(who=who, until=_until(until), reason=reason)
    request = msgspec.structs.replace(old, exemptions=(*old.exemptions, new))
    return (yield from _put(request, new=len(old.exemptions)))


def unexempt(context: Context, who: str) -> Operation[Policy]:
    """Take the exemption of somebody back. Raises NotFound, NotAllowed, Outdated."""
    old = request_of((yield from get(context)))
    known = {each.who for each in old.exemptions}
    named = who if who in known else (yield from _named(context, who))
    if named not in known:
        raise NotFound(
            f"There is no exemption for {who}.", hint=f"There are: {', '.join(known) or 'none'}."
        )
    others = tuple(each for each in old.exemptions if each.who != named)
    return (yield from _put(msgspec.structs.replace(old, exemptions=others)))


def decoded(text: str) -> Policy:
    """Return the policy that an entry of the audit log has kept.

    It has no revision: in an earlier format that was a number.
    """
    return msgspec.convert({**msgspec.json.decode(text), "revision": ""}, Policy)


def _wanted(
    level: str, lock: Sequence[str], unlock: Sequence[str], rules: Rules
) -> Operation[PolicyRequest]:
    """Return the whole policy as it is to be."""
    _check_names([*rules, *lock, *unlock])
    _check_locks(lock, unlock)
    old = request_of((yield from ask("policy.get")))
    own = next((each.rules for each in old.levels if each.level == level), PolicyRulesRequest())
    plain: dict[str, Any] = {
        # NaN and the like are numbers, but not of JSON.
        rule: str(value) if isinstance(value, float) else value
        for rule, value in rules.items()
    }
    if hours := plain.get("quiet_hours"):
        plain["quiet_hours"] = _quiet(hours)
    left = {*unlock, *(rule for rule, value in plain.items() if value is None)}
    locked = tuple(rule for rule in dict.fromkeys((*own.locked, *lock)) if rule not in left)
    return _with(old, level, msgspec.structs.replace(own, **plain, locked=locked))


def _explained(error: InvalidFields, request: PolicyRequest, new: int) -> InvalidFields:
    """Return the error with fields as they were said: by rule and level, not by their number."""
    fields = tuple(
        FieldError(_said(problem.field, request, new), problem.message, problem.hint)
        for problem in error.fields
    )
    return InvalidFields(error.message, hint=error.hint, fields=fields)


def _said(field: str, request: PolicyRequest, new: int) -> str:
    if match := _FIELD.fullmatch(field):
        level, rule = request.levels[int(match[1])].level, match[3]
        rule = "lock" if rule.startswith("locked") else _NUMBER.sub("", rule)
        return f"{rule} of {level}" if rule else level
    if match := _EXEMPTION.fullmatch(field):
        number, part = int(match[1]), match[2]
        return part if number == new else f"{part} of {request.exemptions[number].who}"
    return field.removeprefix("levels.")


def _put(request: PolicyRequest, new: int = -1) -> Operation[Policy]:
    found: Policy = yield from _send("policy.put", request, new)
    return found


def _send(route: str, request: PolicyRequest, new: int = -1) -> Operation[Any]:
    """Ask a route for a policy; `new` is the number of the exemption that was said."""
    try:
        return (yield from ask(route, body=request))
    except InvalidFields as error:
        raise _explained(error, request, new) from error


def _quiet(hours: str | Sequence[QuietHoursRequest]) -> tuple[QuietHoursRequest, ...]:
    if not isinstance(hours, str):
        return tuple(hours)
    try:
        return read_quiet(hours)
    except ValueError as error:
        hint = "Write 'mon,fri 22:00-06:00 Europe/Berlin: 20m', or 'daily …', or none."
        problem = FieldError("quiet_hours", str(error), hint)
        raise refused(problem) from error


def _with(old: PolicyRequest, level: str, rules: PolicyRulesRequest) -> PolicyRequest:
    """Return the policy with other rules of a level; a level without rules goes."""
    made = [PolicyLevelRequest(level=level, rules=rules)] if rules != PolicyRulesRequest() else []
    others = tuple(each for each in old.levels if each.level != level)
    return msgspec.structs.replace(old, levels=(*others, *made))


def _check_names(rules: Sequence[str]) -> None:
    problems = []
    for rule in rules:
        if rule not in RULES:
            from difflib import get_close_matches  # noqa: PLC0415 (keeps the import light)

            close = get_close_matches(rule, RULES, n=2)
            there = ", ".join(RULES)
            hint = f"Did you mean {' or '.join(close)}?" if close else f"There are: {there}."
            problems.append(FieldError(rule, "There is no such rule.", hint))
    refuse(problems)


def _check_locks(lock: Sequence[str], unlock: Sequence[str]) -> None:
    both = [rule for rule in dict.fromkeys(lock) if rule in unlock]
    refuse(
        FieldError(rule, "It cannot be locked and unlocked at once.", "Name it once.")
        for rule in both
    )


def _named(context: Context, who: str) -> Operation[str]:
    """Return whom a standing exemption is for, a session by its id."""
    sort, _, name = who.partition(":")
    if sort != "session" or not name:
        return who
    session = yield from find(context, name)
    return f"session:{session.id}"


def _until(value: datetime | str) -> str:
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    try:
        return datetime.fromisoformat(value.strip()).astimezone().isoformat()
    except (ValueError, OverflowError):
        pass  # then it is a length of time, or the server says what is wrong with it
    try:
        return (datetime.now(UTC) + timedelta(seconds=parse_span(value))).isoformat()
    except (ValueError, OverflowError):
        return value
