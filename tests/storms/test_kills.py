"""Kills by chance: no session, setting, entry or log is lost, and nothing runs twice."""

from __future__ import annotations

import pytest

from tests.storms import kills

pytestmark = pytest.mark.timeout(7200)


def test_kills_lose_nothing(fleet, rounds, show):
    kills.storm(fleet, rounds(1000))
    fleet.end()
    show("kills", fleet.report())
    assert fleet.problems == []
