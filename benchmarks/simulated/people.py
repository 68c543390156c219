"""A simulated week of users and their sessions: activity and signals by minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

HOUR, DAY = 60, 24 * 60
WEEK = 7 * DAY


@dataclass(slots=True)
class Minute:
    """One minute of a session: whether it was of use, and its signals.

    `busy` is a kernel that runs a cell, `moved` a change of a kernel's `last_activity` (cells,
    prints, widgets), `terminal` terminal input or output, `cpu` active processes, `person` a user
    who types, `tab` a browser with the page open, which polls.
    """

    used: bool = False
    busy: bool = False
    moved: bool = False
    terminal: bool = False
    cpu: bool = False
    person: bool = False
    tab: bool = False


@dataclass(slots=True)
class Session:
    """One session and its week; `kernels` is false if it never had one."""

    name: str
    milli: int
    minutes: list[Minute] = field(default_factory=lambda: [Minute() for _ in range(WEEK)])
    kernels: bool = True


Life = Callable[[Session, Random], None]


def week(sessions: int, seed: int = 1) -> Iterator[Session]:
    """Yield the sessions of a team whose members work in different ways."""
    chance = Random(seed)  # noqa: S311 (a week that is the same every time)
    for i in range(sessions):
        life = LIVES[i % len(LIVES)]
        session = Session(f"{life.__name__}-{i}", chance.choice([250, 500, 1000]))
        life(session, chance)
        yield session


def at_the_desk(session: Session, chance: Random) -> None:
    """Work in office hours with a lunch break; leave the tab open overnight and at weekends."""
    for day in range(5):
        begin = day * DAY + 9 * HOUR + chance.randint(-60, 60)
        for start, length in ((begin, 3 * HOUR), (begin + 4 * HOUR, 4 * HOUR)):
            _sit(session, chance, start, length)
    for minute in session.minutes[9 * HOUR :]:
        minute.tab = True


def long_cells(session: Session, chance: Random) -> None:
    """Start a cell that prints nothing for hours, close the laptop, look in the morning."""
    for day in range(5):
        evening = day * DAY + 17 * HOUR + chance.randint(-30, 30)
        _sit(session, chance, evening - HOUR, HOUR)
        for minute in _from(session, evening, chance.randint(4, 11) * HOUR):
            minute.used = minute.busy = minute.cpu = True
        _sit(session, chance, (day + 1) * DAY + 9 * HOUR, 30)


def in_a_terminal(session: Session, chance: Random) -> None:
    """Train in a terminal that prints a line now and then, with the browser closed."""
    session.kernels = False
    for day in (0, 2, 4):
        begin = day * DAY + 10 * HOUR + chance.randint(0, 120)
        for i, minute in enumerate(_from(session, begin, chance.randint(6, 20) * HOUR)):
            minute.used = minute.cpu = True
            minute.terminal = i % 90 == 0
            minute.tab = minute.person = i < 20


def live_widget(session: Session, chance: Random) -> None:
    """Look at a widget that the kernel drives for an hour, and leave it running all week."""
    _sit(session, chance, 10 * HOUR, HOUR)
    for minute in session.minutes[10 * HOUR :]:
        minute.moved = minute.tab = True


def background_print(session: Session, chance: Random) -> None:
    """Leave a thread behind that prints the time, and close the tab."""
    for day in (0, 3):
        _sit(session, chance, day * DAY + 10 * HOUR, 2 * HOUR)
    for minute in session.minutes[10 * HOUR :]:
        minute.moved = True


def another_editor(session: Session, chance: Random) -> None:
    """Work in another editor over SSH: only process activity is visible."""
    session.kernels = False
    for day in range(5):
        for minute in _from(session, day * DAY + 9 * HOUR + chance.randint(0, 90), 8 * HOUR):
            minute.used = minute.cpu = chance.random() < 0.7


def forgotten(session: Session, chance: Random) -> None:
    """Work for two hours, and never come back."""
    _sit(session, chance, chance.randint(0, 3) * DAY + 13 * HOUR, 2 * HOUR)


LIVES: tuple[Life, ...] = (
    at_the_desk,
    long_cells,
    in_a_terminal,
    live_widget,
    background_print,
    another_editor,
    forgotten,
)


def _sit(session: Session, chance: Random, begin: int, length: int) -> None:
    """Work at the desk: type most of the time, sometimes run a cell, pause for some minutes."""
    pause = 0
    for minute in _from(session, begin, length):
        minute.tab = True
        pause = chance.randint(5, 20) if not pause and chance.random() < 0.03 else max(0, pause - 1)
        if pause:
            continue
        minute.used = minute.person = True
        minute.busy = minute.moved = minute.cpu = chance.random() < 0.3


def _from(session: Session, begin: int, length: int) -> list[Minute]:
    return session.minutes[begin : begin + length]
