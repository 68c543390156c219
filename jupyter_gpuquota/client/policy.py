"""The policy for idle sessions.

The policy is sent as a whole; here it is changed level by level, and errors name the level and
the rule that the caller named.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

import msgspec

from ..errors import FieldError, InvalidFields, NotFound, refuse
from ..model.policy import (
    RULES,
    ExemptionRequest,
    Policy,
    PolicyLevelRequest,
    PolicyRequest,
    PolicyRulesRequest,
    SessionPolicy,
    request_of,
)
from ..model.sessions import Session
from ..model.struct import Message, Number
from .namespace import Namespace

_FIELD = re.compile(r"levels\[(\d+)\]\.(level$|rules\.)(.*)")
_EXEMPTION = re.compile(r"exemptions\[(\d+)\]\.(.*)")


class Rules(TypedDict, total=False):
    """The rules of `PolicyRulesRequest` that a level may set; None unsets one."""

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
    io_busy: Number | None


class Policies(Namespace):
    """The policy for idle sessions; admins set it."""

    def get(self) -> Policy:
        """Return the rules of each level, the exemptions and the built-in rules."""
        answer: Policy = self._context.call("policy.get")
        return answer

    def set(self, level: str, **rules: Unpack[Rules]) -> Policy:
        """Set rules of a level: `everyone`, `project:NAME` or `kind:KIND`; the others stay.

        For example `idle_timeout="2h"`, `action="stop"`; None leaves a rule to weaker levels.

        Raises InvalidFields, NotAllowed, and Outdated if another admin changed it meanwhile.
        """
        return self._put(self._wanted(level, rules))

    def preview(self, level: str, **rules: Unpack[Rules]) -> str:
        """Return how many sessions the same `set` would have ended in the last week, as a sentence.

        Raises InvalidFields, NotAllowed.
        """
        request = self._wanted(level, rules)
        answer: Message = self._send("policy.preview", request)
        return answer.text

    def unset(self, level: str, *rules: str) -> Policy:
        """Unset rules of a level; without any, all of its rules.

        Raises NotFound, NotAllowed, InvalidFields, Outdated.
        """
        _check_names(rules)
        old = request_of(self.get())
        own = next((each.rules for each in old.levels if each.level == level), None)
        if own is None:
            levels = ", ".join(each.level for each in old.levels) or "none"
            raise NotFound(f"{level} sets no rules.", hint=f"Levels with rules: {levels}.")
        if missing := [rule for rule in rules if getattr(own, rule) is None]:
            raise NotFound(f"{level} does not set {', '.join(missing)}.", hint="See `policy show`.")
        left = PolicyRulesRequest()
        if rules:
            left = msgspec.structs.replace(own, **dict.fromkeys(rules))
        return self._put(_with(old, level, left))

    def explain(self, name: str, *, project: str = "") -> SessionPolicy:
        """Return the value of each rule for a session, and the level that sets it.

        Raises NotFound, Ambiguous.
        """
        answer: SessionPolicy = self._context.call_session("sessions.policy", name, project)
        return answer

    def exempt(self, who: str, *, until: datetime | str, reason: str) -> Policy:
        """Exempt `session:NAME`, `user:NAME` or `project:NAME` from the policy.

        `until` is a time, or a duration from now (`3d`, `1 hour`); a time without a zone is in the
        zone of this machine. A present exemption is replaced.

        Raises InvalidFields, NotAllowed, Outdated.
        """
        old = request_of(self.get())
        new = ExemptionRequest(who=who, until=_until(until), reason=reason)
        request = msgspec.structs.replace(old, exemptions=(*old.exemptions, new))
        return self._put(request, new=len(old.exemptions))

    def unexempt(self, who: str) -> Policy:
        """Remove an exemption. Raises NotFound, NotAllowed, Outdated."""
        old = request_of(self.get())
        known = {each.who for each in old.exemptions}
        named = who if who in known else self._named(who)
        if named not in known:
            raise NotFound(
                f"{who} has no exemption.", hint=f"Exemptions: {', '.join(known) or 'none'}."
            )
        others = tuple(each for each in old.exemptions if each.who != named)
        return self._put(msgspec.structs.replace(old, exemptions=others))

    def _wanted(self, level: str, rules: Rules) -> PolicyRequest:
        """Return the whole policy as it is to be."""
        _check_names([*rules])
        old = request_of(self.get())
        own = next((each.rules for each in old.levels if each.level == level), PolicyRulesRequest())
        plain: dict[str, Any] = {
            # NaN and the like are numbers, but not of JSON.
            rule: str(value) if isinstance(value, float) else value
            for rule, value in rules.items()
        }
        return _with(old, level, msgspec.structs.replace(own, **plain))

    def _put(self, request: PolicyRequest, new: int = -1) -> Policy:
        answer: Policy = self._send("policy.put", request, new)
        return answer

    def _send(self, route: str, request: PolicyRequest, new: int = -1) -> Any:
        """Send a policy to a route; `new` is the number of the exemption that the caller named."""
        try:
            return self._context.call(route, body=request)
        except InvalidFields as error:
            raise _explained(error, request, new) from error

    def _named(self, who: str) -> str:
        """Return the exemption's own name for whom it is: a session's is its id."""
        sort, _, name = who.partition(":")
        if sort != "session" or not name:
            return who
        session: Session = self._context.call_session("sessions.get", name)
        return f"session:{session.id}"


def decoded(text: str) -> Policy:
    """Return the policy in an entry of the audit log.

    It has no revision: earlier formats had a number there.
    """
    return msgspec.convert({**msgspec.json.decode(text), "revision": ""}, Policy)


def _explained(error: InvalidFields, request: PolicyRequest, new: int) -> InvalidFields:
    """Return the error with fields by rule and level instead of numbers."""
    fields = tuple(
        dataclasses.replace(problem, field=_said(problem.field, request, new))
        for problem in error.fields
    )
    return InvalidFields(error.message, hint=error.hint, fields=fields)


def _said(field: str, request: PolicyRequest, new: int) -> str:
    if match := _FIELD.fullmatch(field):
        level, rule = request.levels[int(match[1])].level, match[3]
        return f"{rule} of {level}" if rule else level
    if match := _EXEMPTION.fullmatch(field):
        number, part = int(match[1]), match[2]
        return part if number == new else f"{part} of {request.exemptions[number].who}"
    return field.removeprefix("levels.")


def _with(old: PolicyRequest, level: str, rules: PolicyRulesRequest) -> PolicyRequest:
    """Return the policy with other rules of a level; a level without rules is removed."""
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
            hint = f"Did you mean {' or '.join(close)}?" if close else f"Rules: {there}."
            problems.append(FieldError(rule, "Unknown rule.", hint))
    refuse(problems)


def _until(value: datetime | str) -> str:
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    try:
        return datetime.fromisoformat(value.strip()).astimezone().isoformat()
    except (ValueError, OverflowError):
        return value  # a length of time, or the server reports the error
