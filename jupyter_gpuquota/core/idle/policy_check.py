"""Check a policy that an administrator sets: every mistake at once, and what cannot work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, cast, get_args
from zoneinfo import available_timezones

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import Arg
from ...model.policy import (
    DAYS,
    RULES,
    SPANS,
    Day,
    Exemption,
    ExemptionRequest,
    IdleAction,
    Policy,
    PolicyLevel,
    PolicyRequest,
    PolicyRules,
    PolicyRulesRequest,
    QuietHours,
    QuietHoursRequest,
    RuleName,
)
from ...model.sessions import Kind
from ..fields import BadValue, FieldReader
from .policy import BUILT_IN, layered

_ACTIONS = get_args(IdleAction)
_KINDS = get_args(Kind)
_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
_MOST = {"keep_alives": 1000, "cpu_busy": 100_000, "gpu_busy": 100}
_TIMEOUTS = frozenset(rule for rule in SPANS if "idle_timeout" in rule)
_WHO = re.compile(r"(session|user|project):.+")


def check_policy(request: PolicyRequest, projects: Sequence[str], every: int = 30) -> Policy:
    """Return the requested policy; its revision is the request's.

    `projects` are the names of all projects, `every` is the seconds between two activity checks:
    an idle timeout spans at least two of them. Raises InvalidFields with every broken field.
    """
    reader = FieldReader()
    levels, exemptions, names = [], [], [level.level for level in request.levels]
    for i, level in enumerate(request.levels):
        inside = reader.under(f"levels[{i}].")
        is_level = _check_level(level.level, projects, inside)
        if level.level in names[:i]:
            inside.wrong("level", "name.twice", name=level.level)
        rules = _read_rules(level.rules, 2 * every, inside.under("rules."))
        if is_level:
            levels.append(PolicyLevel(level=level.level, rules=rules))
    for i, asked in enumerate(request.exemptions):
        if exemption := _read_exemption(asked, reader.under(f"exemptions[{i}].")):
            exemptions.append(exemption)
    policy = Policy(
        levels=tuple(sorted(levels, key=_rank)),
        exemptions=tuple(exemptions),
        built_in=BUILT_IN,
        revision=request.revision,
    )
    reader.add([*_contradicting(request, policy, reader.errors)])
    reader.finish()
    return policy


def _contradicting(
    request: PolicyRequest, policy: Policy, errors: Sequence[FieldError]
) -> Iterator[FieldError]:
    """Yield what does not go together, of what could be read."""
    wrong = [error.field for error in errors]
    for error in (*_overruled(request, policy), *_impossible(request, policy)):
        if not any(field == error.field or field.startswith(f"{error.field}[") for field in wrong):
            yield error


def _check_level(level: str, projects: Sequence[str], reader: FieldReader) -> bool:
    """Check the name of a level; return whether it is written as one."""
    sort, _, name = level.partition(":")
    known = {"project": projects, "kind": _KINDS}.get(sort)
    if level == "everyone":
        return True
    if not level:
        reader.wrong("level", "policy.level.missing")
        return False
    if known is None or not name:
        reader.wrong("level", "policy.level", level=repr(level))
        return False
    reader.known("level", name, known, f"{sort}.unknown")
    return True


def _read_rules(request: PolicyRulesRequest, least: int, reader: FieldReader) -> PolicyRules:
    """Return the rules of a level; `least` is the shortest idle timeout, in seconds."""
    rules: dict[str, Any] = {}
    for rule in RULES:
        asked = getattr(request, rule)
        if asked is None:
            continue
        if rule in _TIMEOUTS:
            rules[rule] = _read_timeout(rule, asked, least, reader)
        elif rule in SPANS:
            rules[rule] = reader.duration(rule, asked, "never")
        elif rule in _MOST:
            rules[rule] = _read_count(rule, asked, reader)
        elif rule == "quiet_hours":
            rules[rule] = tuple(
                _read_quiet(hours, least, reader.under(f"quiet_hours[{i}]."))
                for i, hours in enumerate(asked)
            )
        else:
            rules[rule] = reader.choice(rule, asked, _ACTIONS)
    _check_locked(request, reader)
    locked = tuple(name for name in request.locked if name in RULES)
    return PolicyRules(**rules, locked=locked)


def _check_locked(request: PolicyRulesRequest, reader: FieldReader) -> None:
    for i, name in enumerate(request.locked):
        is_rule = reader.known(f"locked[{i}]", name, RULES, "policy.rule")
        if is_rule and getattr(request, name) is None:
            reader.wrong(f"locked[{i}]", "policy.lock", rule=name)


def _read_timeout(field: str, value: object, least: int, reader: FieldReader) -> int:
    """Read an idle timeout, in seconds."""
    seconds = reader.duration(field, value, "never")
    if 0 < seconds < least:
        reader.wrong(field, "policy.short", value=seconds, least=least)
    return seconds


def _read_count(field: str, value: object, reader: FieldReader) -> int:
    """Read a whole number."""
    text, most = str(value).strip().removesuffix("%"), _MOST[field]
    if re.fullmatch(r"\d{1,9}", text, re.ASCII) and int(text) <= most:
        return int(text)
    reader.wrong(field, "policy.count", value=repr(value), most=most)
    return 0


def _read_quiet(request: QuietHoursRequest, least: int, reader: FieldReader) -> QuietHours:
    """Read quiet hours; `least` is the shortest idle timeout, in seconds."""
    for i, day in enumerate(request.days):
        reader.choice(f"days[{i}]", day, DAYS)
    begin, end = (
        reader.read(field, value, _parse_clock)
        for field, value in (("begin", request.begin), ("end", request.end))
    )
    if request.zone not in available_timezones():
        reader.wrong("zone", "policy.zone", name=repr(request.zone))
    before = len(reader.errors)
    timeout = _read_timeout("idle_timeout", request.idle_timeout, least, reader)
    if not timeout and len(reader.errors) == before:
        reader.wrong("idle_timeout", "policy.quiet")
    days = cast("tuple[Day, ...]", request.days)
    return QuietHours(days=days, begin=begin, end=end, zone=request.zone, idle_timeout=timeout)


def _parse_clock(text: str) -> int:
    """Return a time of day as minutes since midnight. Raises BadValue."""
    if match := _CLOCK.fullmatch(text):
        return int(match[1]) * 60 + int(match[2])
    raise BadValue("policy.clock", value=repr(text))


def _read_exemption(request: ExemptionRequest, reader: FieldReader) -> Exemption | None:
    """Return an exemption, expired or not; None if it cannot be read."""
    before = len(reader.errors)
    if not _WHO.fullmatch(request.who):
        reader.wrong("who", "exemption.who", who=repr(request.who))
    if not request.reason.strip():
        reader.wrong("reason", "exemption.reason")
    until = _read_time("until", request.until, reader)
    if until is None or len(reader.errors) > before:
        return None
    return Exemption(who=request.who, until=until, reason=request.reason.strip())


def _read_time(field: str, value: str, reader: FieldReader) -> datetime | None:
    """Read a time with its zone."""
    try:
        until = datetime.fromisoformat(value.strip())
    except ValueError:
        reader.wrong(field, "time.invalid")
        return None
    if until.tzinfo is None:
        reader.wrong(field, "time.zone")
    return until


def _rank(level: PolicyLevel) -> tuple[int, str]:
    order = ("everyone", "project", "kind")
    return order.index(level.level.partition(":")[0]), level.level


def _overruled(request: PolicyRequest, policy: Policy) -> Iterator[FieldError]:
    """Yield where a level sets what a weaker one has locked."""
    for level in policy.levels:
        for weaker in policy.levels:
            if _rank(weaker)[0] >= _rank(level)[0]:
                break
            for rule in weaker.rules.locked:
                if getattr(level.rules, rule) is not None:
                    field = _field(request, level.level, rule)
                    yield field_error(field, "policy.locked", rule=rule, level=weaker.level)


def _impossible(request: PolicyRequest, policy: Policy) -> Iterator[FieldError]:
    """Yield the rules that cannot work together, for any project and kind of session."""
    names = {level.level.partition(":")[2] for level in policy.levels if ":" in level.level}
    reported = set()
    for project in ("", *sorted(names - set(_KINDS))):
        for kind in _KINDS:
            decided = layered(policy, project, kind)
            for rule, key, args in _contradictions({r: d.value for r, d in decided.items()}):
                level = decided[rule].level
                error = field_error(_field(request, level, rule), key, **args)
                if level != "built-in" and error not in reported:  # defaults were not requested
                    reported.add(error)
                    yield error


def _contradictions(
    rules: dict[RuleName, Any],
) -> Iterator[tuple[RuleName, str, Mapping[str, Arg]]]:
    """Yield rules that contradict others, with the key and arguments of the message."""
    warn, least, most = rules["warn_before"], rules["idle_timeout_min"], rules["idle_timeout_max"]
    ends = rules["action"] != "notify"
    timeouts = [("idle_timeout", rules["idle_timeout"], ends)]
    timeouts += [("quiet_hours", hours.idle_timeout, ends) for hours in rules["quiet_hours"]]
    gpu_ends = rules["gpu_idle_action"] != "notify"
    timeouts += [("gpu_idle_timeout", rules["gpu_idle_timeout"], gpu_ends)]
    for rule, timeout, warns in timeouts:
        if warns and timeout and warn > timeout:
            yield cast("RuleName", rule), "policy.warning", {"warn": warn, "timeout": timeout}
    keep = rules["keep_alive"]
    if 0 < keep < warn and rules["keep_alives"]:
        yield "keep_alive", "policy.keep_alive", {"keep": keep, "warn": warn}
    if most and least > most:
        yield "idle_timeout_max", "policy.bounds", {"least": least, "most": most}


def _field(request: PolicyRequest, level: str, rule: RuleName) -> str:
    """Return the name of the field that sets a rule."""
    at = [i for i, asked in enumerate(request.levels) if asked.level == level]
    return f"levels[{at[0]}].rules.{rule}" if at else f"levels.{rule}"
