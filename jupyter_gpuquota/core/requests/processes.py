"""How many processes a training is to have."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.pods import ContainerRules
from ...model.quota import Project
from ...model.sessions import SessionRequest, SessionSpec
from ..fields import FieldReader
from .feasibility import Fit, check_quota


def check_processes(
    request: SessionRequest, containers: ContainerRules | None, reader: FieldReader
) -> None:
    """Check that several processes are possible here, and for this kind of session."""
    if request.processes == 1:
        return
    most = containers.processes if containers else 1
    if most == 1:
        reader.wrong("processes", "processes.none")
    elif request.kind != "train" or not request.command:
        reader.wrong("processes", "processes.training")
    else:
        reader.within("processes", request.processes, 1, most)


def check_together(request: SessionRequest, fit: Fit, project: Project) -> Sequence[FieldError]:
    """Return whether all processes together exceed what a project may use."""
    if request.processes <= 1:
        return ()
    return check_quota(fit.share, fit.milli * request.processes, request.kind, project)


def last_process(spec: SessionSpec) -> int:
    """Return the highest number of a process; with MPI, number 0 of several is the launcher."""
    launchers = int(spec.framework == "mpi" and spec.processes > 1)
    return spec.processes - 1 + launchers
