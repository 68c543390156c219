"""Datasets and snapshots of a cluster, as its configuration wants them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..control.board import Board
from .api import Api
from .builders.defaults import PodDefaults
from .config import KubernetesConfig
from .datasets.assembly import Cluster as DataCluster
from .datasets.assembly import ClusterData
from .session_pods import PodOf
from .snapshots.assembly import Cluster, ClusterSnapshotParts
from .snapshots.order import Patience
from .watching.watches import Watches


def open_data(
    config: KubernetesConfig,
    defaults: PodDefaults,
    board: Board,
    home: Path,
    api: Api,
    watches: Watches,
    wake: Callable[[str], None],
) -> ClusterData:
    """Return the datasets, whose state is in the folder `home`. Raises TraitError, StorageFailed.

    `wake` looks at a session soon.
    """
    cluster = DataCluster(
        api,
        watches,
        config.data_jobs(defaults.run_as_user, defaults.run_as_group),
        config.dataset_claim,
        config.dataset_namespace,
        wake,
        config.lakes(),
    )
    return ClusterData(board, home, cluster)


def open_snapshots(
    config: KubernetesConfig,
    defaults: PodDefaults,
    board: Board,
    api: Api,
    data: ClusterData,
    lost: Callable[[], str],
    pod_of: PodOf,
) -> ClusterSnapshotParts:
    """Return the snapshots, which live as long as the datasets: both are in the same lakes."""
    patience = Patience(ready=float(config.snapshot_timeout))
    parts = ClusterSnapshotParts(
        Cluster(
            api=api,
            defaults=defaults,
            board=board,
            jobs=data.job_board,
            own=data.own,
            lakes=data.registry.lakes,
            objects=data.registry.objects,
            readers=config.data_jobs(defaults.run_as_user, defaults.run_as_group),
            copying=tuple(config.snapshot_copy_drivers),
            patience=patience,
            lost=lost,
            pod=lambda id_: pod_of(board.find(id_)) if id_ in board.by_id else None,
        )
    )
    data.companions.append(parts)
    return parts
