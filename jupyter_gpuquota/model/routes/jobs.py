"""The routes of jobs, the long operations on data."""

from __future__ import annotations

from ..datasets.jobs import Job, JobList, JobQuery, JobReport, JobRequest, JobStarted
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "jobs.list",
        "GET",
        "/jobs",
        JobList,
        "List jobs: active ones and those that have ended, newest first",
        query=JobQuery,
        noun="jobs",
    ),
    Route(
        "jobs.start",
        "POST",
        "/jobs",
        JobStarted,
        "Start a job on the machine of this Jupyter Server",
        request=JobRequest,
        status=202,
        runs=True,
    ),
    Route("jobs.get", "GET", "/jobs/{job}", Job, "Show a job", noun="jobs"),
    Route(
        "jobs.report",
        "PUT",
        "/jobs/{job}",
        Job,
        "Report how far a job of the caller has come",
        request=JobReport,
    ),
    Route("jobs.cancel", "DELETE", "/jobs/{job}", Job, "Cancel a job"),
)
