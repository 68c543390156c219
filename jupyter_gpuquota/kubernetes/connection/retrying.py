"""When a call is repeated: a pure decision."""

from __future__ import annotations

from ..api import Fault

ATTEMPTS = 4
"""How often a call is made at most."""
LONGEST = 10.0
"""The longest wait in seconds; who asks to wait longer gets no second call."""
BUSY = (500, 502, 503, 504)


def pause(fault: Fault, attempt: int, *, reads: bool, chance: float) -> float | None:
    """Return the seconds to wait before a call is repeated, None to give up.

    `attempt` counts the calls made, `chance` is a random number from 0 to 1. 429 means that the
    server has not begun, so any call may be repeated. After other failures a write may have had its
    effect: it is not repeated here, but by who compares what is with what should be.
    """
    again = fault.status == 429 or (reads and fault.status in BUSY)
    if reads and fault.status == 0:
        # A kept connection may have been closed; a lost server is not chased, and credentials that
        # cannot be loaded are not either.
        again = attempt == 1 and fault.reason != "Credentials"
    if not again or attempt >= ATTEMPTS or fault.wait > LONGEST:
        return None
    return max(fault.wait, 0.1 * (1 << attempt)) * (1 + 0.25 * chance)
