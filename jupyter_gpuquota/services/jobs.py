"""Use cases of jobs."""

from __future__ import annotations

from ..core.datasets import rights
from ..errors import NotAllowed, NotFound, Unsupported
from ..model.datasets.datasets import DatasetAction
from ..model.datasets.jobs import Job, JobKind, JobList, JobQuery, JobReport, JobStarted
from ..ports.backend import Backend, require
from ..ports.datasets import Jobs
from . import datasets
from .call import Call

_NEEDS: dict[JobKind, DatasetAction] = {
    "sync": "write",
    "import": "write",
    "register": "write",
    "export": "see",
    "cache": "cache",
    "verify": "cache",
}
"""What a job needs of its dataset; one without a dataset is of an admin."""


async def list_(backend: Backend, call: Call) -> JobList:
    """Return the jobs that the caller may see."""
    query: JobQuery = call.query
    items = (
        rights.job(job, call.rights)
        for job in _able(backend).all()
        if _sees(backend, call, job)
        and query.dataset in {"", job.dataset}
        and (job.active or not query.active)
    )
    return JobList(items=tuple(items))


async def get(backend: Backend, call: Call) -> Job:
    """Return one job."""
    return rights.job(_find(backend, call), call.rights)


async def start(backend: Backend, call: Call) -> JobStarted:
    """Refuse: a Jupyter Server answers this itself, as it has the folder and the credentials."""
    raise Unsupported(
        "Jobs on folders are started where the folder is.",
        hint="Start it in JupyterLab, or in a shell: jupyter gpu data sync.",
    )


async def report(backend: Backend, call: Call) -> Job:
    """Note how far a job of the caller has come."""
    told: JobReport = call.body
    known = next((job for job in _able(backend).all() if job.id == call.args["job"]), None)
    if known and known.kind == told.kind and known.dataset == told.dataset:
        pass  # what it needs was checked when it began, by the controller too
    elif told.dataset:
        dataset = rights.find(told.dataset, datasets.able(backend).all(), call.rights)
        rights.check(_NEEDS.get(told.kind, "remove"), dataset, call.rights, told.kind)
    elif told.kind != "gc":  # a member may collect a lake of their own
        call.rights.check_admin()
    if known and known.user != call.who and not call.rights.admin:
        raise NotAllowed(f"The job {known.id} is another user's.", hint="Start a job of your own.")
    return rights.job(await _able(backend).report(call.args["job"], told, call.who), call.rights)


async def cancel(backend: Backend, call: Call) -> Job:
    """Ask a job to end."""
    job = _find(backend, call)
    if job.user != call.who:
        if not job.dataset:
            call.rights.check_admin()
        else:
            dataset = rights.find(job.dataset, datasets.able(backend).all(), call.rights)
            rights.check("remove", dataset, call.rights, f"cancel the {job.kind} of")
    return rights.job(await _able(backend).cancel(job.id), call.rights)


def _find(backend: Backend, call: Call) -> Job:
    wanted = call.args["job"]
    for job in _able(backend).all():
        if job.id == wanted and _sees(backend, call, job):
            return job
    raise NotFound(f"Job {wanted!r} not found.", hint="jupyter gpu data jobs lists them.")


def _sees(backend: Backend, call: Call, job: Job) -> bool:
    if call.rights.admin or (job.user == call.who and not call.rights.caller.session):
        return True
    seen = rights.seen(datasets.able(backend).all(), call.rights)
    return any(dataset.name == job.dataset for dataset in seen)


def _able(backend: Backend) -> Jobs:
    return require(backend, "jobs", backend.jobs)
