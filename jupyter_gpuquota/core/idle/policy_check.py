"""Check a policy that an administrator sets: every mistake at once, and what cannot work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import Arg
from ...model.policy import (
    RULES,
    SPANS,
    Exemption,
    ExemptionRequest,
    IdleAction,
    Policy,
    PolicyLevel,
    PolicyRequest,
    PolicyRules,
    PolicyRulesRequest,
    RuleName,
)
from ...model.sessions import Kind
from ..fields import FieldReader
from .policy import BUILT_IN, TIMEOUTS, Decided, layered

_ACTIONS = get_args(IdleAction)
_KINDS = get_args(Kind)
_MOST = {"keep_alives": 1000, "cpu_busy": 100_000, "gpu_busy": 100, "io_busy": 10**8}
_CHECKED = frozenset(rule for rule in SPANS if "idle_timeout" in rule)
"""Rules that span at least two activity checks."""

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
    wrong = {error.field for error in reader.errors}
    reader.add([each for each in _impossible(request, policy) if each.field not in wrong])
    reader.finish()
    return policy


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
        if rule in _CHECKED:
            rules[rule] = _read_timeout(rule, asked, least, reader)
        elif rule in SPANS:
            rules[rule] = reader.duration(rule, asked, "never")
        elif rule in _MOST:
            rules[rule] = _read_count(rule, asked, reader)
        else:
            rules[rule] = reader.choice(rule, asked, _ACTIONS)
    return PolicyRules(**rules)


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


def _impossible(request: PolicyRequest, policy: Policy) -> Iterator[FieldError]:
    """Yield the rules that cannot work together, for any project and kind of session."""
    names = {level.level.partition(":")[2] for level in policy.levels if ":" in level.level}
    reported = set()
    for project in ("", *sorted(names - set(_KINDS))):
        for kind in _KINDS:
            decided = layered(policy, project, kind)
            for rule, key, args in _contradictions(decided):
                level = decided[rule].level
                error = field_error(_field(request, level, rule), key, **args)
                if level != "built-in" and error not in reported:  # defaults were not requested
                    reported.add(error)
                    yield error


def _contradictions(
    decided: Mapping[RuleName, Decided],
) -> Iterator[tuple[RuleName, str, Mapping[str, Arg]]]:
    """Yield rules that contradict others, with the key and arguments of the message."""
    rules: dict[RuleName, Any] = {rule: found.value for rule, found in decided.items()}
    least, most = rules["idle_timeout_min"], rules["idle_timeout_max"]
    # The built-in warning adapts.
    warn = rules["warn_before"] if decided["warn_before"].level != "built-in" else 0
    for rule, action in TIMEOUTS:
        if rules[action] != "notify" and 0 < rules[rule] < warn:
            yield rule, "policy.warning", {"warn": warn, "timeout": rules[rule]}
    keep = rules["keep_alive"]
    if 0 < keep < warn and rules["keep_alives"]:
        yield "keep_alive", "policy.keep_alive", {"keep": keep, "warn": warn}
    if most and least > most:
        yield "idle_timeout_max", "policy.bounds", {"least": least, "most": most}


def _field(request: PolicyRequest, level: str, rule: RuleName) -> str:
    """Return the name of the field that sets a rule."""
    at = [i for i, asked in enumerate(request.levels) if asked.level == level]
    return f"levels[{at[0]}].rules.{rule}" if at else f"levels.{rule}"
