"""What a backend lacks of the ports is named before its contract runs."""

from __future__ import annotations

from tests.contract.required_contract import missing


def test_all_that_is_missing_is_named_at_once() -> None:
    class Half:
        class Logs:
            pass

        class Sessions:
            def all(self) -> tuple[()]:
                return ()

        logs = Logs()
        sessions = Sessions()

    named = missing(Half())
    assert {"logs.read", "sessions.create", "sessions.stop", "access"} <= set(named)
    assert "sessions.all" not in named
    assert not [name for name in named if name.startswith("exec.")]
