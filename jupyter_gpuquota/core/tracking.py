"""What is written to runs of MLflow, and what is read from them: never a secret."""

from __future__ import annotations

import json

from msgspec.structs import replace

from ..model.sessions import Session
from ..model.snapshots.manifest import Manifest
from ..model.snapshots.runs import Run, RunList
from .snapshots import redaction

CONTEXT = "MLFLOW_RUN_CONTEXT"
"""The variable whose tags MLflow gives to each run (mlflow.tracking.context)."""
PREFIX = "gpuquota."
"""Our tags begin so."""
DATA = f"{PREFIX}data."


def context(session: Session) -> dict[str, str]:
    """Return the variable by which MLflow tags the runs of a session.

    Tags that the session's owner has set by the same variable stay.
    """
    spec = session.spec
    own = _tags(spec.env.get(CONTEXT, "{}"))
    if own is None:
        return {}
    ours = {
        f"{PREFIX}session": session.id,
        f"{PREFIX}name": spec.name,
        f"{PREFIX}project": spec.project,
        f"{PREFIX}share": spec.share.text,
        **{f"{DATA}{each.dataset}": each.version for each in spec.data},
    }
    return {CONTEXT: json.dumps(own | ours)}


def snapshot_tags(manifest: Manifest, snapshot: str) -> dict[str, str]:
    """Return the tags that say which snapshot has a run, and what the run used."""
    found = {
        f"{PREFIX}snapshot": snapshot,
        f"{PREFIX}session": manifest.session,
        f"{PREFIX}share": manifest.spec.share.text,
        **{f"{DATA}{each.dataset}": each.version for each in manifest.data},
    }
    if manifest.run and manifest.run.gpu is not None:
        found[f"{PREFIX}gpu_utilization"] = f"{manifest.run.gpu:.0f}"
    return found


def recorded(draft: Manifest, runs: RunList) -> Manifest:
    """Return the draft of a snapshot with the run that its session began last.

    What the caller has given as metrics is newer than what was logged.
    """
    if not runs.items:
        return draft
    run = runs.items[0]
    return replace(draft, mlflow_run=run.id, run=run, metrics=run.metrics | draft.metrics)


def redacted(runs: RunList) -> RunList:
    """Return runs without what may be a secret."""
    return replace(
        runs,
        items=tuple(map(_redacted, runs.items)),
        store=redaction.address(runs.store),
        problem=redaction.text(runs.problem),
    )


def _redacted(run: Run) -> Run:
    texts = {name: redaction.text(getattr(run, name)) for name in ("name", "experiment", "source")}
    return replace(
        run,
        **texts,
        place=redaction.address(run.place),
        params=redaction.document(run.params),
        data=redaction.document(run.data),
        metrics={redaction.text(name): value for name, value in run.metrics.items()},
        artifacts=tuple(map(redaction.text, run.artifacts)),
    )


def _tags(text: str) -> dict[str, str] | None:
    """Return the tags of the variable, None if it is not what MLflow would read."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
