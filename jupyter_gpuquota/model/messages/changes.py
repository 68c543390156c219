"""What a change of quotas, rules or policies would do, and would have done."""

from __future__ import annotations

from .templates import Plural, Text


def _counted(one: str, many: str = "", rest: str = "") -> Text:
    """Return a text about one session or several."""
    return Text(
        Plural(
            "n",
            one=f"{{n:count}} session {one}{rest}.",
            many=f"{{n:count}} sessions {many or one}{rest}.",
        )
    )


def _ended(when: str) -> Text:
    """Return a text about what a policy would have ended."""
    return Text(
        Plural(
            "n",
            one=f"It would have ended {{n:count}} idle session {when}.",
            many=f"It would have ended {{n:count}} idle sessions {when}.",
        )
    )


_WHO = "{session} ({project})"

CHANGES = {
    "change.none": Text("No immediate effect on current sessions."),
    "lakes.orphaned": Text("Not in a lake any more: {datasets:and}."),
    "cache.same": Text("No cached version would go now."),
    "cache.evicts": Text(
        Plural(
            "count",
            one="{count:count} cached version would go now ({size:bytes}).",
            many="{count:count} cached versions would go now ({size:bytes}).",
        )
    ),
    "change.fair_share": Text("{project}'s fair share: {before:amount} → {after:gpus}."),
    "change.count.starts": _counted("would start"),
    "change.count.reclaimed": _counted("would be preempted and requeued"),
    "change.count.keeps": _counted("would keep its GPUs", "would keep their GPUs"),
    "change.count.delayed": _counted("would be queued instead of starting"),
    "change.count.waits": _counted("would be queued for another reason"),
    "change.count.ends": _counted("would be stopped"),
    "change.session.starts": Text(f"{_WHO} would start on {{place:place}}."),
    "change.session.reclaimed": Text(f"{_WHO} would be preempted and requeued."),
    "change.session.keeps": Text(f"{_WHO} would stay on {{place:place}}."),
    "change.session.delayed": Text(f"{_WHO} would be queued instead of starting."),
    "change.session.waits": Text(f"{_WHO} would be queued for another reason."),
    "change.session.ends": Text(f"{_WHO} would be stopped: its maximum run time is over."),
    "past.idle.none": Text("No activity is recorded yet."),
    "past.idle.week": _ended("in the last 7 days"),
    "past.idle.part": _ended("in the last {span:duration} (no earlier activity is recorded)"),
}
