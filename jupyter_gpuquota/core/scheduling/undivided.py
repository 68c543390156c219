"""Words for a machine of which one project has all GPUs: nobody there needs to hear of quotas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from ...model.messages.build import joined, message, reason_of, sentences_of
from ...model.messages.catalog import CATALOG
from ...model.previews import Preview
from ...model.quota import Project
from ...model.reasons import Reason
from ...model.resources import Node
from ...model.struct import Message
from .capacity import capacity_of

_UNSAID = ""
_WORDS: Mapping[str, str] = {
    "quota.interactive": "gpus.kept",
    "quota.interactive.ahead": "gpus.kept.ahead",
    "quota.interactive.never": "gpus.kept.never",
    "quota.no_borrowing": "gpus.in_use",
    "quota.no_borrowing.ahead": "gpus.in_use",
    "quota.borrow_all": "gpus.in_use",
    "quota.borrow_part": "gpus.in_use",
    "quota.not_reclaimable": _UNSAID,
    "quota.holders": _UNSAID,
    "preview.uses": "preview.uses_alone",
    "preview.queued": "preview.queued_alone",
}
"""Sentences about quotas by key, and those that say the same without."""


def is_undivided(projects: Sequence[Project], nodes: Iterable[Node]) -> bool:
    """Return whether one project has all GPUs."""
    return len(projects) == 1 and projects[0].quota == capacity_of(nodes)


def plain_reason(found: Reason) -> Reason:
    """Return a reason without words about quotas."""
    if found.key not in _WORDS and not found.more:
        return found
    first, *more = _plain(sentences_of(found))
    if first.key == found.key:
        return replace(found, message=joined(first, *more), more=tuple(more))
    result = reason_of("NoNodeFits", first.key, first.args, found.raw)
    for sentence in more:
        result = result.extended(sentence)
    return result


def plain_preview(found: Preview) -> Preview:
    """Return a preview without words about quotas."""
    sentences = tuple(_plain(found.sentences))
    why = plain_reason(found.reason) if found.reason else None
    return replace(found, message=joined(*sentences), sentences=sentences, reason=why)


def _plain(sentences: Iterable[Message]) -> Iterator[Message]:
    for each in sentences:
        key = _WORDS.get(each.key, each.key)
        if key == each.key:
            yield each
        elif key != _UNSAID:
            yield message(key, **{name: each.args[name] for name in CATALOG[key].names})
