"""`data jobs`, `cancel`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....client import Client
from ...arguments import offer
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.jobs import JobsView, JobView
from .arguments import dataset_names, following


def _fill_jobs(parser: Parser) -> None:
    name = parser.add_argument("name", nargs="?", default="", metavar="NAME", help="one dataset")
    offer(name, dataset_names)
    parser.add_argument("--active", action="store_true", help="only those that wait or run")


def _fill_job(parser: Parser) -> None:
    offer(parser.add_argument("job", metavar="JOB", help="its id"), _active)


def _jobs(client: Client, args: Args, _console: Console) -> JobsView:
    return JobsView(client.datasets.jobs(args.name, active=args.active).document)


def _cancel(client: Client, args: Args, _console: Console) -> JobView:
    job = client.datasets.cancel(args.job)
    return JobView(job, note=f"Cancelling the {job.kind} {job.id}.")


def _follow(client: Client, args: Args, console: Console) -> JobView:
    with following(console) as show:
        return JobView(client.datasets.follow(args.job, progress=show))


def _active(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return (job.id for job in client.datasets.jobs(active=True))


COMMANDS = (
    Command(
        "jobs",
        "list syncs, fetches and other jobs",
        _jobs,
        _fill_jobs,
        examples=("data jobs", "data jobs digits --active"),
    ),
    Command(
        "wait",
        "show the progress of a job until it ends",
        _follow,
        _fill_job,
        notes="Ctrl-C cancels the job.",
        examples=("data wait 5f3a9c21b07e",),
    ),
    Command("cancel", "cancel a job", _cancel, _fill_job, examples=("data cancel 5f3a9c21b07e",)),
)
