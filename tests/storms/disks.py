"""The disk is filled while sessions run and controllers are killed, then space is freed.

    python -m tests.storms.disks FOLDER SEED ROUNDS

A separate program, as FOLDER has to be on a small disk. It prints a report.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from tests.disk import fill
from tests.storms import kills
from tests.storms.fleet import Fleet, Told

FREES = {"stop", "suspend", "delete"}
"""What is never refused for lack of room."""


def storm(fleet: Fleet, rounds: int) -> None:
    """Fill the disk repeatedly and check that everything is as users were told."""
    filler = fleet.home.parent / "filler"
    for number in range(1, rounds + 1):
        for verb, name in kills.requests(fleet, number * 100):
            fleet.ask(verb, name)
        fleet.check()
        fleet.full = True
        fill(filler, fleet.rng.choice([0, fleet.rng.randrange(65_536)]))
        for step in range(3):
            asked = kills.requests(fleet, number * 100 + step + 1)
            for name in {name for verb, name in asked if verb in ("launch", "resume")}:
                fleet.sessions.setdefault(name, Told()).hurt = True  # it may find no room to start
            if step == 1 and fleet.rng.random() < 0.7:
                fleet.at_once(asked, lambda: (time.sleep(fleet.rng.uniform(0, 0.25)), fleet.kill()))
            else:
                refused = [verb for verb, name in asked if fleet.ask(verb, name) == "StorageFailed"]
                if FREES & set(refused):
                    fleet.problems.append(f"{refused} were refused on a full disk")
        fleet.check()
        filler.unlink()
        fleet.full = False
        if fleet.rng.random() < 0.3:
            fleet.kill()
        fleet.check()
        if fleet.problems:
            return


def main() -> None:
    """Run the storm in a folder, and print what was found."""
    folder, seed, rounds = sys.argv[1:]
    home = Path(folder, "state")
    home.mkdir(mode=0o700)
    fleet = Fleet(home, random.Random(int(seed)))  # noqa: S311 (no secret)
    storm(fleet, int(rounds))
    fleet.end()
    print(json.dumps(fleet.report()))  # noqa: T201 (the test reads it)


if __name__ == "__main__":
    main()
