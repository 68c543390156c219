"""How long to wait before connecting again."""

from __future__ import annotations

SHORTEST = 0.5
LONGEST = 30.0


def delay(failures: int, asked: float, chance: float) -> float:
    """Return seconds to wait after so many failures in a row, doubled by each up to a limit.

    `asked` is what the server asks for. A random part, from `chance` between 0 and 1, keeps many
    clients from coming back at the same moment.
    """
    longest = min(LONGEST, SHORTEST * (1 << min(failures - 1, 10)))
    return max(asked, longest * (0.5 + chance / 2))
