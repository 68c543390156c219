"""The run of MLflow that a snapshot belongs to: recorded in the draft, and tagged afterwards."""

from __future__ import annotations

import logging

from msgspec.structs import replace

from ...core import tracking
from ...errors import GpuQuotaError
from ...model.snapshots.manifest import Manifest, PartProblem
from ...ports.charge import NotInCharge
from ...ports.runs import Runs

_log = logging.getLogger(__name__)


async def with_run(runs: Runs | None, draft: Manifest) -> Manifest:
    """Return a draft with the run that its session began last, as far as that can be read.

    Raises NotInCharge.
    """
    if runs is None:
        return draft
    try:
        found = await runs.of(draft.session)
    except NotInCharge:
        raise
    except GpuQuotaError as error:
        return _without(draft, error.message)
    return _without(draft, found.problem) if found.problem else tracking.recorded(draft, found)


async def tag_run(runs: Runs | None, draft: Manifest, snapshot: str) -> None:
    """Tag the run of a snapshot that is complete. A failure is logged: the snapshot is whole."""
    if runs is None or not draft.mlflow_run:
        return
    try:
        tags = tracking.snapshot_tags(draft, snapshot)
        wrong = await runs.tag(draft.session, draft.mlflow_run, tags)
    except GpuQuotaError as error:
        wrong = error.message
    if wrong:
        _log.warning("The run of the snapshot %s was not tagged: %s", snapshot, wrong)


def _without(draft: Manifest, why: str) -> Manifest:
    problem = PartProblem(part="mlflow", message=why)
    return replace(draft, problems=(*draft.problems, problem))
