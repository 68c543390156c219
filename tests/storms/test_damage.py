"""Kills while a lost or damaged state file is rebuilt lose nothing."""

from __future__ import annotations

import pytest

from tests.storms import damage

pytestmark = pytest.mark.timeout(7200)


def test_kills_while_the_state_file_is_built_anew_lose_nothing(fleet, rounds, show):
    damage.storm(fleet, rounds(200))
    fleet.end()
    show("damage", fleet.report())
    assert fleet.problems == []
