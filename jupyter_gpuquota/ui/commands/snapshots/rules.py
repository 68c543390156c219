"""`snapshot rules`: when snapshots are taken and removed by themselves."""

from __future__ import annotations

from typing import Any

from ....client import Client
from ....model.datasets.versions import SHOWN
from ....model.messages.formats import duration
from ....model.snapshots.snapshots import SnapshotRules, SnapshotRulesRequest, SnapshotSettings
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.texts import TextView
from ...views.view import View, pairs_text

_RULES = ("keep_last", "daily", "weekly", "every")


def _fill_rules(parser: Parser) -> None:
    for name, help_ in (
        ("--keep-last", "snapshots of a session to keep"),
        ("--daily", "days of which the last one stays"),
        ("--weekly", "weeks of which the last one stays"),
        ("--every", "seconds between snapshots of a running session"),
    ):
        parser.add_argument(name, type=int, metavar="N", help=help_)
    for name in ("--on-suspend", "--on-finish"):
        words = "suspended" if name == "--on-suspend" else "over"
        parser.add_argument(name, choices=("yes", "no"), help=f"when a session is {words}")
    text = "only show which snapshots the rules would remove"
    parser.add_argument("--dry-run", action="store_true", help=text)


def _rules(client: Client, args: Args, _console: Console) -> View[Any]:
    settings = client.snapshots.settings()
    asked = {name: getattr(args, name) for name in (*_RULES, "on_suspend", "on_finish")}
    given = {name: value for name, value in asked.items() if value is not None}
    if given:
        flags = {name: value == "yes" for name, value in given.items() if name not in _RULES}
        now = {name: getattr(settings.rules, name) for name in asked}
        wanted = SnapshotRulesRequest(**(now | given | flags), dry_run=args.dry_run)
        settings = client.snapshots.put_settings(wanted)
    values = {name: str(getattr(settings.rules, name)) for name in asked}
    would = "would remove" if args.dry_run else "remove"
    values[would.replace(" ", "_")] = " ".join(each[:SHOWN] for each in settings.removed)
    return TextView(values, _text(settings, would=would))


def _text(found: SnapshotSettings, *, would: str) -> str:
    """Return what rules keep and take by themselves, and what they remove."""
    pairs = [
        ("keep", ", ".join(_keeping(found.rules)) or "all snapshots"),
        ("take", ", ".join(_taking(found.rules)) or "none by themselves"),
        (would, ", ".join(each[:SHOWN] for each in found.removed) or "none"),
    ]
    return pairs_text(pairs)


def _keeping(rules: SnapshotRules) -> list[str]:
    """Return what is kept where anything is removed."""
    numbers = {
        "the last {} of each session": rules.keep_last,
        "the last one of each of {} days": rules.daily,
        "the last one of each of {} weeks": rules.weekly,
    }
    kept = [text.format(number) for text, number in numbers.items() if number]
    return [*kept, "all with a tag or a pin"] if kept else []


def _taking(rules: SnapshotRules) -> list[str]:
    every = f"every {duration(rules.every)} while a session runs" if rules.every else ""
    suspend = "when it is suspended" if rules.on_suspend else ""
    return [text for text in (every, suspend, "when it ends" if rules.on_finish else "") if text]


RULES = Command(
    "rules",
    "show or set when snapshots are taken and removed by themselves",
    _rules,
    _fill_rules,
    examples=("snapshot rules --keep-last 5 --daily 7 --on-suspend yes",),
)
