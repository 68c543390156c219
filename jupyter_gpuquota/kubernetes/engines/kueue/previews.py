"""An outcome of Kueue in words, before a request is made. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....model.messages.build import joined, message, sentences_of
from ....model.messages.formats import share_arg
from ....model.previews import Preview
from ....model.resources import Share
from ....model.struct import Message
from .admission import mentioned
from .forecast import Outcome, Projects, Wanted
from .state import KueueState


@dataclass(frozen=True, slots=True)
class PreviewFacts:
    """A request with its outcome, and what else to say.

    `place` is its position in the queue of its project, `kept` whether nobody may reclaim what it
    borrows, `nearest` a smaller share that would start now.
    """

    wanted: Wanted
    outcome: Outcome
    place: int = 0
    kept: bool = False
    nearest: Share | None = None


def preview_of(facts: PreviewFacts, state: KueueState, projects: Projects) -> Preview:
    """Return a preview; where the session would run, Kueue does not know."""
    outcome = facts.outcome
    sentences = list(_sentences(facts, state, projects))
    waits = outcome.verdict == "waits"
    return Preview(
        verdict=outcome.verdict,
        message=joined(*sentences),
        sentences=tuple(sentences),
        reason=outcome.reason if outcome.verdict in {"waits", "reclaims", "forbidden"} else None,
        queue_position=facts.place if waits else 0,
        nearest=facts.nearest if outcome.verdict in {"waits", "forbidden"} else None,
    )


def _sentences(facts: PreviewFacts, state: KueueState, projects: Projects) -> Iterator[Message]:
    wanted, outcome = facts.wanted, facts.outcome
    share = share_arg(wanted.share)
    match outcome.verdict:
        case "fits":
            yield message("preview.admitted", share=share)
            yield message("preview.uses", used=wanted.milli)
        case "borrows":
            yield message("preview.admitted", share=share)
            yield _borrows(facts, projects)
        case "reclaims":
            victims = outcome.victims
            yield message(
                "preview.preempts",
                sessions=mentioned(victims, wanted.project),
                freed=sum(map(state.amount, victims)),
            )
        case _:
            if outcome.verdict == "waits":
                yield message("preview.queued", place=facts.place, project=wanted.project)
            yield from sentences_of(outcome.reason) if outcome.reason else ()
            if facts.nearest:
                yield message("preview.nearest", share=share_arg(facts.nearest))


def _borrows(facts: PreviewFacts, projects: Projects) -> Message:
    borrowed = facts.outcome.borrowed
    if facts.kept:
        return message("preview.borrows_kept", borrowed=borrowed)
    owners = _owners(facts.wanted.project, projects)
    if owners:
        return message("preview.borrows", borrowed=borrowed, owners=",".join(owners))
    return message("preview.borrows_any", borrowed=borrowed)


def _owners(borrower: str, projects: Projects) -> Sequence[str]:
    """Return the projects that do not use all of their quota."""
    return [
        name for name, queues in projects.items() if name != borrower and queues.used < queues.quota
    ]
