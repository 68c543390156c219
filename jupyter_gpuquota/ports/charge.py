"""Controllers that are not in charge of a backend: another one may be."""

from __future__ import annotations

from ..errors import Unavailable


class NotInCharge(Unavailable):
    """This controller may not act: what it has begun, itself or the next one goes on with later.

    To clients it is Unavailable.
    """
