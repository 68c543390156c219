"""What a restore into claims needs for its next steps."""

from __future__ import annotations

import msgspec

from ...model.sessions import SessionSpec
from ...model.snapshots.restore import Restoration
from .restoring import Wanted


class ClaimRestore(msgspec.Struct, frozen=True, kw_only=True):
    """One restore, with the claims to make and the session to launch.

    `variables`: the session is given the variables that the snapshot has.
    """

    shown: Restoration
    wanted: tuple[Wanted, ...]
    spec: SessionSpec | None = None
    variables: bool = False
