"""What a user is told of a session whose GPUs were taken back."""

from __future__ import annotations

import msgspec

from jupyter_gpuquota.model.sessions import Reclaim
from jupyter_gpuquota.ui.views.details import SessionView
from tests.builders import NOW, make_session


def test_a_session_says_when_and_for_whom_and_that_it_is_in_line() -> None:
    reclaim = Reclaim(at=NOW, session="id-d", name="d-2-gg", project="team-d")
    session = msgspec.structs.replace(
        make_session("b-4-gg", "2"), reclaimed=reclaim, place_in_line=1
    )
    text = SessionView(session).text
    assert "2026-01-02 03:04:05 UTC, for d-2-gg of team-d" in text
    assert "number 1 of team-a" in text
    untold = msgspec.structs.replace(reclaim, session="", name="")
    text = SessionView(msgspec.structs.replace(session, reclaimed=untold)).text
    assert "2026-01-02 03:04:05 UTC, for a session of team-d" in text
