"""The routes of snapshots and their restores."""

from __future__ import annotations

from ..datasets.jobs import Job
from ..datasets.lineage import Lineage
from ..snapshots.comparison import SnapshotCompareQuery, SnapshotComparison
from ..snapshots.restore import Restoration, RestorationList, RestorePlan, RestoreRequest
from ..snapshots.snapshots import (
    Snapshot,
    SnapshotDetails,
    SnapshotFiles,
    SnapshotFolder,
    SnapshotList,
    SnapshotMarks,
    SnapshotPinRequest,
    SnapshotPreview,
    SnapshotQuery,
    SnapshotRequest,
    SnapshotRulesRequest,
    SnapshotSettings,
)
from ..struct import Nothing
from .route import Route

_ONE = "/snapshots/{snapshot}"

ROUTES: tuple[Route, ...] = (
    Route(
        "snapshots.list",
        "GET",
        "/snapshots",
        SnapshotList,
        "List snapshots, newest first",
        query=SnapshotQuery,
        noun="snapshots",
        need="anyone",
    ),
    Route(
        "snapshots.create",
        "POST",
        "/sessions/{id}/snapshots",
        Snapshot,
        "Take a snapshot of a session",
        request=SnapshotRequest,
        status=202,
        need="see",
        runs=True,
        action="take a snapshot of",
    ),
    Route(
        "snapshots.preview",
        "POST",
        "/sessions/{id}/snapshots/preview",
        SnapshotPreview,
        "Show what a snapshot of a session would store now, and leave out",
        request=SnapshotRequest,
        need="see",
        action="take a snapshot of",
    ),
    Route(
        "snapshots.get",
        "GET",
        _ONE,
        SnapshotDetails,
        "Show a snapshot with its manifest",
        noun="snapshots",
    ),
    Route(
        "snapshots.mark", "PATCH", _ONE, Snapshot, "Change a snapshot's tags", request=SnapshotMarks
    ),
    Route("snapshots.delete", "DELETE", _ONE, Nothing, "Remove a snapshot"),
    Route(
        "snapshots.pin",
        "PUT",
        f"{_ONE}/pin",
        Snapshot,
        "Keep a snapshot whatever the rules say",
        request=SnapshotPinRequest,
    ),
    Route("snapshots.unpin", "DELETE", f"{_ONE}/pin", Snapshot, "Remove the pin of a snapshot"),
    Route(
        "snapshots.compare",
        "GET",
        f"{_ONE}/compare",
        SnapshotComparison,
        "Show what differs between two snapshots",
        query=SnapshotCompareQuery,
        noun="snapshots",
    ),
    Route(
        "snapshots.lineage",
        "GET",
        f"{_ONE}/lineage",
        Lineage,
        "Show what a snapshot comes from, and what has come from it",
        noun="snapshots",
    ),
    Route(
        "snapshots.verify",
        "POST",
        f"{_ONE}/verify",
        Job,
        "Hash what is stored of a snapshot again",
        status=202,
    ),
    Route(
        "snapshots.export",
        "POST",
        f"{_ONE}/export",
        Job,
        "Write a snapshot's files to a new folder",
        request=SnapshotFolder,
        status=202,
    ),
    Route(
        "snapshots.files",
        "POST",
        f"{_ONE}/files",
        SnapshotFiles,
        "Stream a snapshot's files as an archive, where they are in volumes of a cluster",
        streams=True,
    ),
    Route(
        "snapshots.settings",
        "GET",
        "/snapshot-settings",
        SnapshotSettings,
        "Show when snapshots of the caller are taken and removed by themselves",
        noun="snapshots",
    ),
    Route(
        "snapshots.put_settings",
        "PUT",
        "/snapshot-settings",
        SnapshotSettings,
        "Set when snapshots of the caller are taken and removed by themselves",
        request=SnapshotRulesRequest,
    ),
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
        "List the restores of the caller that go on or have ended lately, newest first",
        noun="snapshots",
    ),
)
