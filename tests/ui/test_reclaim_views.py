"""What a user is told about a preempted session."""

from __future__ import annotations

import msgspec

from jupyter_gpuquota.model.sessions import Reclaim
from jupyter_gpuquota.ui.views.details import SessionView
from tests.builders import NOW, make_session


def test_a_preempted_session_shows_when_for_whom_and_its_queue_position() -> None:
    reclaim = Reclaim(at=NOW, session="id-d", name="d-2-gg", project="team-d")
    session = msgspec.structs.replace(
        make_session("b-4-gg", "2"), reclaimed=reclaim, queue_position=1
    )
    text = SessionView(session).text
    assert "2026-01-02 03:04:05 UTC, for d-2-gg (team-d)" in text
    assert "queued (#1)" in text
    untold = msgspec.structs.replace(reclaim, session="", name="")
    text = SessionView(msgspec.structs.replace(session, reclaimed=untold)).text
    assert "2026-01-02 03:04:05 UTC, for a session (team-d)" in text
