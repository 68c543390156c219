"""Controllers and shims are killed while sessions are launched, stopped, suspended and resumed."""

from __future__ import annotations

import time

from tests.storms.fleet import GONE, Fleet

SESSIONS = 8
CHECKED = 10
"""Rounds from one check to the next."""


def storm(fleet: Fleet, rounds: int) -> None:
    """Kill repeatedly, and sometimes check that everything is as users were told."""
    for number in range(1, rounds + 1):
        kind = fleet.rng.choice(["request", "request", "start", "shim"])
        asked = requests(fleet, number)
        if kind == "start":
            fleet.kill()
        else:
            fleet.ready()
        fleet.at_once(asked, lambda kind=kind, asked=asked: strike(fleet, kind, asked))
        if number % CHECKED == 0 or number == rounds:
            fleet.check()
        if fleet.problems:
            return


def strike(fleet: Fleet, kind: str, asked: list[tuple[str, str]]) -> None:
    """Kill a shim, or a controller: 250 ms after it is asked at most, or while it starts."""
    time.sleep(fleet.rng.uniform(0, 1.5 if kind == "start" else 0.25))
    if kind == "shim":
        fleet.kill_shim({name for _, name in asked})
    else:
        fleet.kill()


def requests(fleet: Fleet, number: int) -> list[tuple[str, str]]:
    """Return what is asked in a round: nothing of a session twice."""
    rng, asked = fleet.rng, []
    if len(fleet.sessions) < SESSIONS or rng.random() < 0.2:
        asked.append(("launch", f"exp-{number}"))
    names = sorted(name for name, told in fleet.sessions.items() if told.may != {GONE})
    for name in rng.sample(names, min(len(names), rng.randint(1, 3))):
        may = fleet.sessions[name].may
        if "running" in may:
            asked.append((rng.choice(["stop", "suspend"]), name))
        else:
            full = len(fleet.sessions) > SESSIONS
            asked.append((rng.choice(["resume", "delete"] if full else ["resume"]), name))
    if rng.random() < 0.4:
        asked.append(("put", f"p{rng.randrange(4)}"))
    return asked
