"""The routes of restores of snapshots."""

from __future__ import annotations

from ..snapshots.restore import Restoration, RestorationList, RestorePlan, RestoreRequest
from ..struct import Nothing
from .route import Route

_ONE = "/restores/{restore}"

ROUTES: tuple[Route, ...] = (
    Route(
        "snapshots.plan",
        "POST",
        "/snapshots/{snapshot}/plan",
        RestorePlan,
        "Show what a restore would make, and what stands against it",
        request=RestoreRequest,
    ),
    Route(
        "snapshots.restore",
        "POST",
        "/snapshots/{snapshot}/restores",
        Restoration,
        "Restore a snapshot into a new folder and a new session",
        request=RestoreRequest,
        status=202,
        runs=True,
    ),
    Route(
        "snapshots.restores",
        "GET",
        "/restores",
        RestorationList,
        "List the restores of the caller, newest first",
        noun="snapshots",
    ),
    Route("snapshots.restoration", "GET", _ONE, Restoration, "Show a restore", noun="snapshots"),
    Route(
        "snapshots.replace",
        "POST",
        f"{_ONE}/replace",
        Restoration,
        "Put a restored folder in the place of the original one, which is kept beside it",
    ),
    Route(
        "snapshots.undo",
        "POST",
        f"{_ONE}/undo",
        Restoration,
        "Put the original folder back in its place",
    ),
    Route(
        "snapshots.confirm",
        "DELETE",
        _ONE,
        Nothing,
        "Forget a restore; after a replacement, remove the original folder that was kept",
    ),
)
