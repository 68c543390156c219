"""Entries of the audit log about what the system did by itself."""

from __future__ import annotations

from .templates import Text

AUDIT = {
    "audit.went_on": Text(
        "moved the session {session} of {owner} from {place} to {next} ({project}): it had not "
        "started after {span:duration}"
    ),
    "audit.refused": Text(
        "moved the session {session} of {owner} from {place} to {next} ({project}): {place} "
        "refused it: {why}"
    ),
    "audit.no_place": Text(
        "ended the session {session} of {owner}: no place takes it; {place} refused it: {why}"
    ),
}
