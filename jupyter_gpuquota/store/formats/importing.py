"""Making versions of the states of data that another tool has stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from ..catalog import Catalog
from ..commits import Commit
from ..lake.history import History
from ..lake.objects import Objects
from ..progress import Report
from ..sync import Wanted, sync
from .files import Files
from .state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """What is to be imported into a dataset, and what is said where the other tool says nothing.

    `message`, if given, comes before the other tool's; `tag` names the last version.
    """

    dataset: str
    place: str
    message: str = ""
    author: str = ""
    tag: str = ""


async def bring(
    wanted: Import,
    states: Iterable[State],
    objects: Objects,
    history: History,
    catalog: Catalog,
    *,
    clock: Callable[[], datetime],
    report: Report,
) -> list[Commit]:
    """Return the commits of some states, from the oldest to the newest.

    A state that was imported before is passed over, but for the last one.

    :raises InvalidFields: a state contains what a version cannot.
    :raises Damaged: a file is not what the other tool says.
    :raises NotFound: a file is missing.
    """
    known = {commit.source: commit for commit in await history.commits(wanted.dataset)}
    *earlier, last = states
    made = []
    for state in [*(each for each in earlier if each.source not in known), last]:
        one = Wanted(
            dataset=wanted.dataset,
            folder=Files(state, wanted.place),
            message=wanted.message or state.message,
            author=state.author or wanted.author,
            tag=state.tag,
            source=state.source,
        )
        when = _at(state.time) if state.time else clock
        made.append(await sync(one, objects, history, catalog, clock=when, report=report))
    if wanted.tag:
        await history.tag(wanted.dataset, wanted.tag, made[-1].version)
    return made


def _at(when: datetime) -> Callable[[], datetime]:
    return lambda: when
