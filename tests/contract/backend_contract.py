"""The contract of every backend.

A backend's test inherits `BackendContract`, names its optional capabilities in `declares`, and
provides the fixture `backend`: a fresh backend with at least 4 GPUs on one node, the projects
`PROJECTS` and the administrator `ADMIN`. Sessions run `sleep`, so that no backend needs a Jupyter
image to pass. What backends share (administration, idle policy) is tested once in tests/control,
with the memory backend; `RecordedHistoryContract` is for it and for several clusters.
"""

from __future__ import annotations

from tests.contract.abilities_contract import ExecContract, IngressContract, LogsContract
from tests.contract.access_contract import AccessContract
from tests.contract.access_table import ADMIN, PROJECT
from tests.contract.data_jobs_contract import CachesContract, DataJobsContract
from tests.contract.datasets_contract import DatasetsContract
from tests.contract.helpers import launch, run, until
from tests.contract.inventory_contract import InventoryContract
from tests.contract.planning_contract import PlanningContract
from tests.contract.required_contract import RequiredContract
from tests.contract.sessions_contract import SessionsContract
from tests.contract.templates_contract import TemplatesContract

__all__ = ["ADMIN", "PROJECTS", "BackendContract", "launch", "run", "until"]

PROJECTS = [{"name": "team-a", "quota": "4"}, {"name": "team-b", "quota": "2"}, PROJECT]


class BackendContract(
    RequiredContract,
    SessionsContract,
    InventoryContract,
    AccessContract,
    PlanningContract,
    LogsContract,
    ExecContract,
    IngressContract,
    DatasetsContract,
    CachesContract,
    DataJobsContract,
    TemplatesContract,
):
    """The whole contract of a backend."""
