"""The progress of a job in a terminal or a cell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ....client.data.following import Progress
from ....model.datasets.jobs import Job
from ...console import Console
from ...views.data.jobs import progress_text


@contextmanager
def following(console: Console, *, quiet: bool = False) -> Iterator[Progress]:
    """Yield what shows the progress of a job, until the block ends."""

    def show(job: Job) -> None:
        if not quiet:
            console.redraw(progress_text(job))

    try:
        yield show
    finally:
        console.redraw("")
