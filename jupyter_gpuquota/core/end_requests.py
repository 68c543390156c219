"""Why a session ends on request: who asked for it, and the reason that they gave."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.messages.build import reason, sentences_of
from ..model.reasons import Reason, ReasonCode
from ..model.sessions import Goal
from .fields import FieldReader

LONGEST = 300
"""The most characters of a reason that a person gives."""

CODES: Mapping[Goal, ReasonCode] = {"stop": "StopRequested", "suspend": "SuspendRequested"}
_GOALS: Mapping[str, Goal] = {code: goal for goal, code in CODES.items()}
_ENDS = (".", "!", "?", "…")


def requested(goal: Goal, who: str = "", why: str = "") -> Reason:
    """Return why a session is stopped or suspended on request.

    `who` is empty where its owner has asked for it, `why` where no reason was given.
    """
    args = {name: text for name, text in (("who", who), ("why", why)) if text}
    return reason(CODES[goal], ".".join(("request", goal, *args)), **args)


def impersonal(why: Reason) -> Reason:
    """Return a reason without who has asked for the end, and what they said."""
    goal = _GOALS.get(why.code)
    if goal is None or not why.args:
        return why
    found = requested(goal)
    for sentence in sentences_of(why)[1:]:
        found = found.extended(sentence)
    return found


def read_reason(text: str) -> str:
    """Return a reason as a sentence on one line, empty for none. Raises InvalidFields."""
    line, reader = " ".join(text.split()), FieldReader()
    if len(line) > LONGEST:
        reader.wrong("reason", "name.long", most=LONGEST, count=len(line))
    if not line.isprintable():
        reader.wrong("reason", "field.printable")
    reader.finish()
    return line if not line or line.endswith(_ENDS) else f"{line}."
