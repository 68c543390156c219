"""`policy`: what happens to idle sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, cast, get_args

from ...client import Client
from ...client.policy import Rules
from ...errors import FieldError, InvalidRequest, WrongState, refuse
from ...model.policy import RULES, IdleAction, Policy, RuleName
from ...model.sessions import Kind
from ..arguments import add_dry_run, add_session, offer
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.markup import tag
from ..views.policy import ExplainView, PolicyView
from ..views.texts import TextView
from ..views.view import View

_LEVEL = "everyone, project:NAME or kind:KIND"
_TEXTS: dict[RuleName, str] = {
    "idle_timeout": "idle time before the action",
    "idle_timeout_min": "minimum per-session timeout",
    "idle_timeout_max": "maximum per-session timeout",
    "gpu_idle_timeout": "time without GPU use before the GPU action",
    "gpu_idle_action": "action for an unused GPU: suspend, stop or notify",
    "warn_before": "time between the warning and the action",
    "action": "action for an idle session: suspend, stop or notify",
    "grace": "time to shut down",
    "interactive_life": "maximum run time of interactive sessions",
    "train_life": "maximum run time of trainings",
    "keep_alive": "length of an extension",
    "keep_alives": "number of extensions before the session must be used again",
    "cpu_busy": "a session is idle up to this use of a core, in per cent",
    "gpu_busy": "a GPU is idle up to this use, in per cent",
    "io_busy": "a session is idle up to these bytes per second of disks and network",
}
_EXAMPLE = "idle_timeout=2h"
_WHO = "session:NAME, user:NAME or project:NAME"


def _fill_set(parser: Parser) -> None:
    level = parser.add_argument("level", nargs="?", default="", metavar="LEVEL", help=_LEVEL)
    offer(level, _levels)
    text = "see the rules below"
    rules = parser.add_argument("rules", nargs="*", metavar="RULE=VALUE", help=text)
    offer(rules, _rules_with_values)
    parser.usage = "%(prog)s [options] LEVEL RULE=VALUE ..."
    group = parser.add_argument_group("rules, as options or as RULE=VALUE (idle_timeout=2h)")
    for rule in RULES:
        option = "--" + rule.replace("_", "-")
        group.add_argument(option, dest=f"rule_{rule}", metavar="VALUE", help=_TEXTS[rule])
    add_dry_run(parser)


def _fill_unset(parser: Parser) -> None:
    level = parser.add_argument("level", metavar="LEVEL", help=_LEVEL)
    offer(level, _levels_set)
    rules = parser.add_argument("rules", nargs="*", metavar="RULE", help="default: all")
    offer(rules, RULES)
    add_dry_run(parser)


def _fill_exempt(parser: Parser) -> None:
    offer(parser.add_argument("who", metavar="WHO", help=_WHO), _subjects)
    parser.add_argument("--until", metavar="TIME", help="2026-03-01T18:00, or 3d from now")
    parser.add_argument("--reason", metavar="TEXT", default="", help="shown to everyone")


def _fill_unexempt(parser: Parser) -> None:
    offer(parser.add_argument("who", metavar="WHO", help=_WHO), _exempt_subjects)


def _show(client: Client, _args: Args, _console: Console) -> PolicyView:
    return _view(client, client.policy.get(), client.about().warnings)


def _set(client: Client, args: Args, _console: Console) -> View[Any]:
    options = ((rule, getattr(args, f"rule_{rule}")) for rule in RULES)
    given = [f"{rule}={value}" for rule, value in options if value is not None]
    level, words = args.level, [*args.rules, *given]
    if not level or "=" in level:
        example = " ".join([level, *words]).strip() or _EXAMPLE
        hint = f"For example: policy set everyone {example}."
        raise InvalidRequest(f"Choose a level: {_LEVEL}.", hint=hint)
    rules = _rules(words)
    if not rules:
        hint = f"For example: policy set {level} {_EXAMPLE}."
        raise InvalidRequest("Nothing to set.", hint=hint)
    if args.dry_run:
        return _preview(client.policy.preview(level, **rules))
    return _view(client, client.policy.set(level, **rules))


def _unset(client: Client, args: Args, _console: Console) -> View[Any]:
    if args.dry_run:
        gone = cast("Rules", dict.fromkeys(args.rules or RULES))
        return _preview(client.policy.preview(args.level, **gone))
    return _view(client, client.policy.unset(args.level, *args.rules))


def _explain(client: Client, args: Args, _console: Console) -> View[Any]:
    session = client.sessions.get(args.name, project=args.project)
    explained, activity = client.policy.explain(session.id), None
    with suppress(WrongState):  # only running sessions have any
        activity = client.activity(session.id)
    return ExplainView(explained, session, activity, datetime.now(UTC))


def _exempt(client: Client, args: Args, _console: Console) -> View[Any]:
    if args.until is None:
        raise InvalidRequest(
            "An exemption needs an end.", hint="Add --until 3d, or --until 2026-03-01T18:00."
        )
    return _view(client, client.policy.exempt(args.who, until=args.until, reason=args.reason))


def _unexempt(client: Client, args: Args, _console: Console) -> View[Any]:
    return _view(client, client.policy.unexempt(args.who))


def _rules(words: Sequence[str]) -> Rules:
    """Return the rules of `rule=value` words. Raises InvalidFields naming all faulty ones."""
    rules: dict[str, Any] = {}
    problems = []
    for word in words:
        rule, separator, value = word.partition("=")
        if not separator or not value.strip():
            hint = f"Write {rule}=VALUE, or use `policy unset` to inherit it."
            problems.append(FieldError(rule, "Its value is missing.", hint))
        elif rule in rules:
            problems.append(FieldError(rule, "It is given twice.", "Keep one of them."))
        else:
            rules[rule] = value
    refuse(problems)
    return cast("Rules", rules)  # the client checks their names


def _preview(sentence: str) -> TextView:
    return TextView({"message": sentence}, sentence, html=tag("p", sentence))


def _view(client: Client, policy: Policy, warnings: Sequence[str] = ()) -> PolicyView:
    named = any(each.who.startswith("session:") for each in policy.exemptions)
    names = _session_names_by_id(client) if named else {}
    return PolicyView(policy, names, datetime.now(UTC), warnings)


def _session_names_by_id(client: Client) -> dict[str, str]:
    return {session.id: session.spec.name for session in client.sessions.list()}


def _levels(client: Client, _words: Sequence[str]) -> Iterable[str]:
    projects = (f"project:{project.name}" for project in client.projects.list().items)
    return ["everyone", *projects, *(f"kind:{kind}" for kind in get_args(Kind))]


def _levels_set(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return [level.level for level in client.policy.get().levels]


def _rules_with_values(_client: Client, _words: Sequence[str]) -> Iterable[str]:
    values = {rule: get_args(IdleAction) for rule in ("action", "gpu_idle_action")}
    return [f"{rule}={value}" for rule in RULES for value in values.get(rule, ("",))]


def _subjects(client: Client, _words: Sequence[str]) -> Iterable[str]:
    projects = [f"project:{project.name}" for project in client.projects.list().items]
    sessions = client.sessions.list()
    owners = {f"user:{session.owner}" for session in sessions}
    return [*projects, *owners, *(f"session:{session.spec.name}" for session in sessions)]


def _exempt_subjects(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return [each.who for each in client.policy.get().exemptions]


_ACTIONS = (
    Command("show", "show the policy: all levels and exemptions", _show),
    Command(
        "explain",
        "show the effective policy of a session, and its activity",
        _explain,
        add_session,
        examples=("policy explain exp1",),
    ),
    Command(
        "set",
        "set rules of a level",
        _set,
        _fill_set,
        notes="Times are 30m, 2h, 1d; 0 means never or none.",
        examples=(
            "policy set everyone idle_timeout=2h warn_before=10m",
            "policy set project:team-a idle_timeout=4h idle_timeout_max=8h",
            "policy set everyone idle_timeout=30m --dry-run",
        ),
    ),
    Command(
        "unset",
        "remove rules of a level, which then inherits them",
        _unset,
        _fill_unset,
        examples=("policy unset project:team-a idle_timeout --dry-run",),
    ),
    Command(
        "exempt",
        "exempt a session, user or project for some time",
        _exempt,
        _fill_exempt,
        examples=('policy exempt user:ana --until 3d --reason "demo for the board"',),
    ),
    Command(
        "unexempt",
        "end an exemption",
        _unexempt,
        _fill_unexempt,
        examples=("policy unexempt user:ana",),
    ),
)

COMMANDS = (
    Command(
        "policy",
        "show, explain or (admin) set the policy for idle sessions",
        actions=_ACTIONS,
        notes="Levels, weakest first: built-in, everyone, project:NAME, kind:KIND, and a session's "
        "own timeout (submit --idle-timeout). The strongest level that sets a rule decides. "
        "Everyone can show and explain; only administrators can change the policy.",
        examples=(
            "policy show",
            "policy explain exp1",
            "policy set everyone idle_timeout=2h warn_before=10m",
        ),
        section="Administration",
    ),
)
