"""How long a session has to end by itself: by the policy, by a reclaim, and by a user."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.core.idle.endings import BY_POLICY
from jupyter_gpuquota.core.idle.policy import BUILT_IN
from jupyter_gpuquota.local.sessions.process_watcher import grace_of
from jupyter_gpuquota.model.policy import Policy, PolicyLevel, PolicyRules
from jupyter_gpuquota.model.quota import Rules
from jupyter_gpuquota.model.reasons import Reason
from tests.builders import make_project, make_session

USUAL, POLICY, RECLAIM = 5.0, 70, 30.0
SETTINGS = Settings(
    projects=(make_project(),),
    rules=Rules(grace=RECLAIM),
    policy=Policy(
        levels=(PolicyLevel(level="everyone", rules=PolicyRules(grace=POLICY)),), built_in=BUILT_IN
    ),
)


@pytest.mark.parametrize("code", sorted(BY_POLICY))
def test_whom_the_policy_ends_has_the_grace_of_the_policy(code: str) -> None:
    ended = replace(make_session(state="stopping"), reason=Reason(code=code, message="Idle."))
    assert grace_of(ended, SETTINGS, USUAL) == POLICY


def test_whose_gpus_are_reclaimed_has_the_grace_of_reclaims() -> None:
    requeued = replace(make_session(state="stopping"), goal="requeue")
    assert grace_of(requeued, SETTINGS, USUAL) == RECLAIM


def test_who_is_stopped_has_the_usual_grace() -> None:
    assert grace_of(make_session(state="stopping"), SETTINGS, USUAL) == USUAL
