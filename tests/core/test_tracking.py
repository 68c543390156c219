"""The tags that runs of MLflow get from their session."""

from __future__ import annotations

import json

from jupyter_gpuquota.core import tracking
from tests.builders import make_session


def test_tags_that_a_user_has_set_for_all_runs_stay() -> None:
    own = make_session(env={tracking.CONTEXT: '{"team": "vision"}'})
    tags = json.loads(tracking.context(own)[tracking.CONTEXT])
    assert (tags["team"], tags["gpuquota.session"]) == ("vision", own.id)
    assert tracking.context(make_session(env={tracking.CONTEXT: "no json"})) == {}
