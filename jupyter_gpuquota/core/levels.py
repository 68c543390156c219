"""Name the levels of the policy in the words of a sentence."""

from __future__ import annotations


def whose(level: str, session: str = "the session") -> str:
    """Name whose policy a level is: `team-a's policy`; `session` names who wished by itself."""
    sort, _, name = level.partition(":")
    return {
        "everyone": "everyone's policy",
        "project": f"{name}'s policy",
        "kind": f"the policy for {name} sessions",
        "session": f"{session} itself",
    }.get(sort, "the built-in policy")
