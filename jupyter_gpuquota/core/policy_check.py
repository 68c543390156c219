"""Check what an admin asks of the policy: every mistake at once, and what cannot work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, cast, get_args
from zoneinfo import available_timezones

from ..errors import FieldError, refuse
from ..model.policy import (
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
from ..model.sessions import Kind
from ..model.spans import LONGEST, parse_span, write_span
from .policy import BUILT_IN, layered

_ACTIONS = get_args(IdleAction)
_KINDS = get_args(Kind)
_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
_MOST = {"keep_alives": 1000, "cpu_busy": 100_000, "gpu_busy": 100}
_TIMEOUTS = ("idle_timeout", "gpu_idle_timeout")
_WHO = re.compile(r"(session|user|project):.+")


def check_policy(request: PolicyRequest, projects: Sequence[str], every: int = 30) -> Policy:
    """Return the policy that is asked for; its revision is the request's.

    `projects` are the names that there are, `every` is the seconds between two looks at a
    session: an idle timeout takes two of them at least. Raises InvalidFields with every broken
    field.
    """
    reader = _Reader(every)
    levels, exemptions, names = [], [], [level.level for level in request.levels]
    for i, level in enumerate(request.levels):
        reader.prefix = f"levels[{i}]."
        known = reader.name(level.level, projects)
        if level.level in names[:i]:
            reader.wrong("level", f"{level.level} is there twice.", "Keep one of them.")
        reader.prefix += "rules."
        rules = reader.rules(level.rules)
        if known:
            levels.append(PolicyLevel(level=level.level, rules=rules))
    for i, asked in enumerate(request.exemptions):
        reader.prefix = f"exemptions[{i}]."
        if exemption := reader.exemption(asked):
            exemptions.append(exemption)
    policy = Policy(
        levels=tuple(sorted(levels, key=_rank)),
        exemptions=tuple(exemptions),
        built_in=BUILT_IN,
        revision=request.revision,
    )
    refuse([*reader.errors, *_together(request, policy, reader.errors)])
    return policy


def _together(
    request: PolicyRequest, policy: Policy, errors: Sequence[FieldError]
) -> Iterator[FieldError]:
    """Say what does not go together, of what could be read."""
    wrong = [error.field for error in errors]
    for error in (*_overruled(request, policy), *_impossible(request, policy)):
        if not any(field == error.field or field.startswith(f"{error.field}[") for field in wrong):
            yield error


class _Reader:
    """Read values one by one, and collect what is wrong with them."""

    def __init__(self, every: int) -> None:
        self.errors: list[FieldError] = []
        self._least = 2 * every
        self.prefix = ""
        """What the names of the fields that are read begin with."""

    def wrong(self, field: str, message: str, hint: str = "") -> None:
        """Note a mistake."""
        self.errors.append(FieldError(self.prefix + field, message, hint))

    def name(self, level: str, projects: Sequence[str]) -> bool:
        """Check the name of a level; tell whether it is written as one."""
        sort, _, name = level.partition(":")
        there = {"project": projects, "kind": _KINDS}.get(sort)
        if level == "everyone":
            return True
        if there is None or not name:
            hint = "Write everyone, project:NAME or kind:KIND."
            self.wrong("level", f"{level!r} is no level.", hint)
            return False
        if name not in there:
            hint = f"There are: {', '.join(there) or 'none'}."
            self.wrong("level", f"There is no {sort} {name!r}.", hint)
        return True

    def rules(self, request: PolicyRulesRequest) -> PolicyRules:
        """Read the rules of a level."""
        found: dict[str, Any] = {}
        for rule in RULES:
            asked = getattr(request, rule)
            if asked is None:
                continue
            if rule in SPANS:
                found[rule] = self.span(rule, asked)
            elif rule in _MOST:
                found[rule] = self.count(rule, asked)
            elif rule == "quiet_hours":
                found[rule] = tuple(self.quiet(i, hours) for i, hours in enumerate(asked))
            else:
                found[rule] = self.word(rule, asked, _ACTIONS)
        for i, name in enumerate(request.locked):
            if name not in RULES:
                self.wrong(f"locked[{i}]", f"There is no rule {name!r}.", _there(RULES))
            elif getattr(request, name) is None:
                hint = "Set it in the same level, or do not lock it."
                self.wrong(f"locked[{i}]", f"{name} is locked, but not set.", hint)
        locked = tuple(name for name in request.locked if name in RULES)
        return PolicyRules(**found, locked=locked)

    def span(self, field: str, value: object) -> int:
        """Read a length of time."""
        try:
            seconds = parse_span(str(value).strip())
        except ValueError as error:
            self.wrong(field, str(error), "0 stands for never or none.")
            return 0
        if seconds > LONGEST:
            self.wrong(field, "It is longer than a year.", "0 stands for never or none.")
        if 0 < seconds < self._least and field.rpartition(".")[2].startswith(_TIMEOUTS):
            least = write_span(self._least)
            hint = f"Take at least {least}."
            self.wrong(field, f"{write_span(seconds)} is shorter than it takes to look.", hint)
        return seconds

    def count(self, field: str, value: object) -> int:
        """Read a whole number."""
        text, most = str(value).strip().removesuffix("%"), _MOST[field]
        if text.isascii() and text.isdigit() and int(text) <= most:
            return int(text)
        self.wrong(field, f"{value!r} is no whole number from 0 to {most}.")
        return 0

    def word(self, field: str, value: str, words: Sequence[str]) -> str:
        """Read one of a few words."""
        if value not in words:
            self.wrong(field, f"{value!r} is not possible.", _there(words))
        return value

    def quiet(self, i: int, request: QuietHoursRequest) -> QuietHours:
        """Read quiet hours."""
        here = f"quiet_hours[{i}]."
        for n, day in enumerate(request.days):
            self.word(f"{here}days[{n}]", day, DAYS)
        begin, end = (
            self.clock(f"{here}begin", request.begin),
            self.clock(f"{here}end", request.end),
        )
        if request.zone not in available_timezones():
            hint = "Write one of the IANA database, for example Europe/Berlin or UTC."
            self.wrong(f"{here}zone", f"There is no time zone {request.zone!r}.", hint)
        before = len(self.errors)
        timeout = self.span(f"{here}idle_timeout", request.idle_timeout)
        if not timeout and len(self.errors) == before:
            self.wrong(f"{here}idle_timeout", "Quiet hours act sooner: they need a timeout.")
        days = cast("tuple[Day, ...]", request.days)
        return QuietHours(days=days, begin=begin, end=end, zone=request.zone, idle_timeout=timeout)

    def clock(self, field: str, value: str) -> int:
        """Read a time of the day, as minutes since midnight."""
        if match := _CLOCK.fullmatch(value.strip()):
            return int(match[1]) * 60 + int(match[2])
        self.wrong(field, f"{value!r} is no time of the day.", "Write 06:30 or 22:00.")
        return 0

    def exemption(self, request: ExemptionRequest) -> Exemption | None:
        """Read an exemption; one that has expired is none, but no mistake."""
        before = len(self.errors)
        if not _WHO.fullmatch(request.who):
            hint = "Write session:NAME, user:NAME or project:NAME."
            self.wrong("who", f"{request.who!r} is nobody.", hint)
        if not request.reason.strip():
            self.wrong("reason", "An exemption needs a reason.", "Others will want to know it.")
        until = self.time(request.until)
        if until is None or len(self.errors) > before:
            return None
        return Exemption(who=request.who, until=until, reason=request.reason.strip())

    def time(self, value: str) -> datetime | None:
        """Read a time with its zone."""
        hint = "Write 2026-03-01T18:00Z or 2026-03-01T18:00+01:00."
        try:
            until = datetime.fromisoformat(value.strip())
        except ValueError:
            self.wrong("until", f"{value!r} is no time.", hint)
            return None
        if until.tzinfo is None:
            self.wrong("until", "The time zone is missing.", hint)
        return until


def _there(words: Sequence[str]) -> str:
    return f"There are: {', '.join(words)}."


def _rank(level: PolicyLevel) -> tuple[int, str]:
    order = ("everyone", "project", "kind")
    return order.index(level.level.partition(":")[0]), level.level


def _overruled(request: PolicyRequest, policy: Policy) -> Iterator[FieldError]:
    """Say where a level sets what a weaker one has locked."""
    for level in policy.levels:
        for weaker in policy.levels:
            if _rank(weaker)[0] >= _rank(level)[0]:
                break
            for rule in weaker.rules.locked:
                if getattr(level.rules, rule) is not None:
                    yield FieldError(
                        _field(request, level.level, rule),
                        f"{weaker.level} has locked {rule}.",
                        "Unset it here, or unlock it there.",
                    )


def _impossible(request: PolicyRequest, policy: Policy) -> Iterator[FieldError]:
    """Say which rules cannot work together, for any project and kind of session."""
    names = {level.level.partition(":")[2] for level in policy.levels if ":" in level.level}
    said = set()
    for project in ("", *sorted(names - set(_KINDS))):
        for kind in _KINDS:
            found = layered(policy, project, kind)
            for rule, message, hint in _contradictions({r: d.value for r, d in found.items()}):
                level = found[rule].level
                error = FieldError(_field(request, level, rule), message, hint)
                if level != "built-in" and error not in said:  # nobody has set that
                    said.add(error)
                    yield error


def _contradictions(rules: dict[RuleName, Any]) -> Iterator[tuple[RuleName, str, str]]:
    warn, least, most = rules["warn_before"], rules["idle_timeout_min"], rules["idle_timeout_max"]
    ends = rules["action"] != "notify"
    timeouts = [("idle_timeout", rules["idle_timeout"], ends)]
    timeouts += [("quiet_hours", hours.idle_timeout, ends) for hours in rules["quiet_hours"]]
    gpu_ends = rules["gpu_idle_action"] != "notify"
    timeouts += [("gpu_idle_timeout", rules["gpu_idle_timeout"], gpu_ends)]
    for rule, timeout, warns in timeouts:
        if warns and timeout and warn > timeout:
            yield (
                cast("RuleName", rule),
                f"The warning comes {write_span(warn)} before, but the timeout is "
                f"{write_span(timeout)}.",
                "Take a longer timeout, or a shorter warn_before.",
            )
    keep = rules["keep_alive"]
    if 0 < keep < warn and rules["keep_alives"]:
        message = f"Kept alive for {write_span(keep)}, a session would be warned again at once."
        yield "keep_alive", message, f"Take at least {write_span(warn)}, or 0 for not at all."
    if most and least > most:
        message = f"The least, {write_span(least)}, is more than the most, {write_span(most)}."
        yield "idle_timeout_max", message, "Raise the most, or lower the least."


def _field(request: PolicyRequest, level: str, rule: RuleName) -> str:
    """Name the field that set a rule."""
    at = [i for i, asked in enumerate(request.levels) if asked.level == level]
    return f"levels[{at[0]}].rules.{rule}" if at else f"levels.{rule}"
