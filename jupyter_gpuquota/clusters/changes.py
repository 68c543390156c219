"""Revisions and changes of all clusters together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ..control.board import Board
from ..model.about import Revisions
from ..ports.changes import Changes
from .members import Members

_BETWEEN = "."


class UnitedChanges:
    """A revision is those of all clusters one after the other; `own` is of what has none."""

    def __init__(self, members: Members, own: Board) -> None:
        self._members = members
        self._own = own

    @property
    def instance(self) -> str:
        """The id of this run of the controller."""
        return self._own.instance

    def revision(self, noun: str) -> str:
        """Return the revision of a noun."""
        return _BETWEEN.join([self._own.revision(noun), *(c.revision(noun) for c in self._each())])

    async def changed(self, since: str, timeout: float) -> Revisions:
        """Wait until `latest` differs from `since`, or `timeout` seconds; return all revisions."""
        sources = [self._own, *self._each()]
        known = since.split(_BETWEEN)
        if len(known) == len(sources):
            await _first_change(sources, known, timeout)
        found = [await source.changed("", 0) for source in sources]
        nouns = {noun: [each.nouns.get(noun, "") for each in found] for noun in found[0].nouns}
        return Revisions(
            instance=self.instance,
            latest=_BETWEEN.join(each.latest for each in found),
            nouns={noun: _BETWEEN.join(each) for noun, each in nouns.items()},
        )

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins; those of other clusters begin with their names."""
        first, *others = self._members.members.values()
        said = [
            f"{member.name}: {text}"
            for member in others
            for text in member.backend.changes.warnings()
        ]
        own = (*self._members.problems(), *self._own.warnings())
        return (*first.backend.changes.warnings(), *said, *own)

    def _each(self) -> list[Changes]:
        return [member.backend.changes for member in self._members.members.values()]


async def _first_change(
    sources: Sequence[Changes | Board], known: Sequence[str], timeout: float
) -> None:
    """Return once one of the revisions is another one, or after `timeout` seconds."""
    waits = [
        asyncio.ensure_future(source.changed(since, timeout))
        for source, since in zip(sources, known, strict=True)
    ]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
