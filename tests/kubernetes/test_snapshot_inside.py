"""What is found in the pod of a session, and what is said of each part that is not."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.snapshots.inside import Inside, Looked, PodVariables
from jupyter_gpuquota.model.programs import ExecRequest, ExecResult
from jupyter_gpuquota.model.sessions import LogChunk, LogQuery
from tests.jobs.snapshots.taken import order
from tests.kubernetes.fake_snapshots import NOTHING

pytestmark = pytest.mark.asyncio

DIGEST = f"sha256:{'ab' * 32}"
GONE = Unavailable("The pod does not answer.")


class Session:
    """The programs and the log of a session; what has a problem fails with it."""

    def __init__(self, **problems: Unavailable | int) -> None:
        self.ran: list[str] = []
        self._problems = problems

    async def execute(self, _session: str, request: ExecRequest) -> ExecResult:
        """Run `sync`, or what looks at everything else."""
        name = "sync" if request.command == ("sync",) else "look"
        self.ran.append(name)
        problem = self._problems.get(name, 0)
        if isinstance(problem, Unavailable):
            raise problem
        return ExecResult(exit_code=problem, output=NOTHING)

    def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[Any]:
        """Never called."""
        raise NotImplementedError

    async def read(self, _session: str, _query: LogQuery) -> LogChunk:
        """Return the log."""
        self.ran.append("logs")
        problem = self._problems.get("logs")
        if isinstance(problem, Unavailable):
            raise problem
        return LogChunk(text="epoch 1\n", cursor="", ended=False)


def pod(image_id: str) -> Pod:
    raw = {
        "metadata": {"name": "exp", "namespace": "team-a"},
        "spec": {"containers": [{"name": "main", "image": "quay.io/a:1"}]},
        "status": {"containerStatuses": [{"name": "main", "imageID": image_id}]},
    }
    return msgspec.convert(raw, Pod)


async def looked(session: Session, found: Pod | None = None, *, running: bool = True) -> Looked:
    # Variables are asked for only where some were chosen.
    inside = Inside(lambda _: found, cast("PodVariables", None))
    inside.exec = inside.logs = session
    return await inside.look(order(Path(), running=running))


def said(found: Looked) -> dict[str, str]:
    return {each.part: each.message for each in found.draft.problems}


@pytest.mark.parametrize(
    ("image_id", "digest"),
    [(f"docker-pullable://quay.io/a@{DIGEST}", DIGEST), (DIGEST, DIGEST), ("quay.io/a:1", "")],
)
async def test_the_digest_of_the_running_image_is_recorded(image_id: str, digest: str) -> None:
    found = await looked(Session(), pod(image_id))
    assert found.draft.environment.digest == digest
    assert (await looked(Session())).draft.environment.digest == ""


async def test_everything_is_written_to_the_volumes_last() -> None:
    session = Session()
    found = await looked(session)
    assert (session.ran, said(found)) == (["look", "logs", "sync"], {})
    assert found.draft.consistency == "quiesced"
    [log] = found.draft.logs
    assert found.files[log.sha256] == b"epoch 1\n"
    over = Session()
    await looked(over, running=False)
    assert over.ran == ["logs"]


@pytest.mark.parametrize(
    ("part", "problem", "why", "consistency"),
    [
        ("look", GONE, "(python3) did not say what it has: The pod does not", "quiesced"),
        ("logs", GONE, "The pod does not answer.", "quiesced"),
        ("sync", GONE, "The newest writes may be missing: The pod", "best-effort"),
        ("sync", 1, "The newest writes may be missing: sync ended with 1.", "best-effort"),
    ],
)
async def test_each_part_fails_alone(
    part: str, problem: Unavailable | int, why: str, consistency: str
) -> None:
    session = Session(**{part: problem})
    found = await looked(session)
    [(name, message)] = said(found).items()
    assert name == {"look": "session"}.get(part, part)
    assert why in message
    assert session.ran == ["look", "logs", "sync"]
    assert found.draft.consistency == consistency
