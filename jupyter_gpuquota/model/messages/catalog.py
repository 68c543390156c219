"""All messages, by key."""

from __future__ import annotations

from collections.abc import Mapping

from .admin_fields import ADMIN_FIELDS
from .audit import AUDIT
from .changes import CHANGES
from .endings import ENDINGS
from .exits import EXITS
from .fallback import FALLBACK
from .fields import FIELDS, SESSIONS, SHARES
from .previews import PREVIEWS
from .progress import PROGRESS
from .reasons import REASONS
from .templates import Text

SUBJECTS: Mapping[str, Mapping[str, Text]] = {
    "reasons": REASONS,
    "endings": ENDINGS,
    "exits": EXITS,
    "progress": PROGRESS,
    "previews": PREVIEWS,
    "fallback": FALLBACK,
    "audit": AUDIT,
    "changes": CHANGES,
    "fields": FIELDS,
    "shares": SHARES,
    "sessions": SESSIONS,
    "admin": ADMIN_FIELDS,
}
"""The tables of the catalog by subject; a key is in one of them."""

CATALOG: Mapping[str, Text] = {
    key: text for subject in SUBJECTS.values() for key, text in subject.items()
}
"""English templates by key."""
