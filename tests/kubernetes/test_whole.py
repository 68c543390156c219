"""What the parts of the backend come to together, on a fake API server."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.model.sessions import SessionRequest
from tests.fakes import ask
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.gpu_nodes import mig_single, sliced
from tests.kubernetes.whole import TEAM, opened, put_nodes, put_quota
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@pytest.fixture
def api() -> FakeApi:
    return FakeApi((TEAM,))


async def test_replicas_that_look_like_whole_gpus_cost_what_quotas_count(
    api: FakeApi, tmp_path: Path
) -> None:
    put_quota(api)
    put_nodes(api, sliced(), mig_single())
    async with opened(api, tmp_path) as backend:
        request = SessionRequest(name="exp-1", project=TEAM, gpu="0.25", kind="train")
        preview = await ask(backend, "sessions.preview", body=request)
        assert preview.message.endswith("Uses 1 GPU of your quota.")
        await wait_for(lambda: any("ts-1" in each for each in backend.changes.warnings()))
