"""Why KAI does not start a session, by the numbers that it compared."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.kubernetes.engines.kai.objects import PodGroupReason
from jupyter_gpuquota.kubernetes.engines.kai.reasons import Numbers, explained
from tests.builders import make_session
from tests.kubernetes.kai.objects import said


def numbers(bound: str, **amounts: str) -> dict[str, Any]:
    """Return the numbers of the queue `all`, of which only GPUs are bounded."""
    unbounded = {"cpu": "-1m", "memory": "-1"}
    own = {
        "podGroupRequestedResources": amounts["more"],
        "podGroupRequestedNonPreemptibleResources": amounts["more"],
        "queueAllocatedResources": amounts["used"],
        "queueAllocatedNonPreemptibleResources": amounts["used"],
        "queueDeservedResources": bound,
        "queueResourceLimits": bound,
    }
    return {"name": "all", **{k: {**unbounded, "nvidia.com/gpu": v} for k, v in own.items()}}


@pytest.mark.parametrize(
    ("word", "text", "details", "expected", "missing"),
    [
        (
            "OverLimit",
            "Limit is 9 GPUs in other words",
            numbers("3", used="2750m", more="500m"),
            "all already uses 2.75 of its limit of 3 GPUs",
            250,
        ),
        (
            "NonPreemptibleOverQuota",
            "",
            numbers("2000000001n", used="2", more="500m"),
            "all's interactive sessions already",
            500,
        ),
        (
            "OverLimit",
            "team-a quota has reached the allowable limit of CPU cores.",
            numbers("0", used="2", more="500m"),
            "does not admit this request",
            0,
        ),
    ],
)
def test_bounds_are_read_from_the_numbers_that_kai_compared(
    word: str, text: str, details: dict[str, Any], expected: str, missing: int
) -> None:
    told = msgspec.convert(said(word, text, **details), PodGroupReason)
    session = make_session("exp-1", "0.5")
    snapshot = ClusterSnapshot(sessions=(session,), projects=(), nodes=(), now=datetime.now(UTC))
    found = explained([told], session, Numbers(snapshot), "team-a")
    assert found is not None
    assert expected in found.message
    assert found.raw == text
    assert found.args.get("missing", 0) == missing
