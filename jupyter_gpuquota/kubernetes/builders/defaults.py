"""What builders are given beside a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...model.pods import Toleration
from ..engines.engine import EnginePatch
from ..nodes import GROUP_LABELS
from ..shares.provider import PodPatch
from ..state.attached import Attached


@dataclass(frozen=True, slots=True)
class PodDefaults:
    """The administrator's settings for the pods of all sessions.

    `server` is the command of a Jupyter Server. `home` is the path of the home folder, which is a
    claim named by `home_claim` ({user} stands for the owner) or else ends with the pod. CPUs are
    millicores, memory MiB; 0 sets no request. `proxy` are the peers of a NetworkPolicy that may
    reach sessions. `node_type_labels` are labels of nodes whose values are node groups.
    `controller_url` is where sessions reach the controller, empty where they cannot;
    `controller_ca` is what verifies its certificate, in PEM format, else the image's authorities.
    `data_claim` is the claim with cached datasets in the session's namespace, empty for none.
    `mpi_sshd` is the command of the workers of MPIJobs, `mpi_ssh_path` their folder for SSH keys.
    `training_runtime` is the runtime of TrainJobs, empty where none are to be made.
    """

    server: tuple[str, ...] = ("jupyter", "lab")
    home: str = "/home/jovyan"
    home_claim: str = ""
    run_as_user: int = 1000
    run_as_group: int = 100
    cpu: int = 0
    memory: int = 0
    pull_policy: str = ""
    pull_secrets: tuple[str, ...] = ()
    service_account: str = ""
    tolerations: tuple[Toleration, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    node_type_labels: tuple[str, ...] = GROUP_LABELS
    proxy: Sequence[Mapping[str, Any]] = ()
    controller_url: str = ""
    controller_ca: str = ""
    data_claim: str = ""
    mpi_sshd: tuple[str, ...] = ("/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config")
    mpi_ssh_path: str = "/home/mpiuser/.ssh"
    training_runtime: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the engine, the share's provider and the administrator add to a session's objects.

    `node_types` are the node groups of which a node must belong to one, empty for any. `grace` is
    the number of seconds for programs to end. `attached` are the volumes that tie the pod to nodes.
    """

    engine: EnginePatch = field(default_factory=EnginePatch)
    share: PodPatch = field(default_factory=PodPatch)
    defaults: PodDefaults = field(default_factory=PodDefaults)
    node_types: Sequence[str] = ()
    grace: int = 30
    attached: Sequence[Attached] = ()
