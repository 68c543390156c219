"""`project`: projects, and the rules and node groups that all of them share."""

from __future__ import annotations

from ...command import Command
from . import audit, groups, projects, rules

COMMANDS = (
    Command(
        "project",
        "show or (admin) set projects, rules and node groups",
        actions=(
            *projects.ACTIONS,
            *rules.ACTIONS,
            *groups.ACTIONS,
            *audit.ACTIONS,
        ),
        default="list",
        notes="Everyone can list and show projects; only administrators can change them.",
        examples=("project", "project set team-a --quota 4", "project default team-a"),
        section="Administration",
    ),
)
