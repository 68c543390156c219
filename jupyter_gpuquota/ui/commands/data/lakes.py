"""`data lakes`, `gc`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from ....client import Client
from ....model.spans import parse_span
from ...arguments import offer
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.datasets import LakesView
from ...views.data.formats import size_text
from ...views.data.jobs import JobView
from .arguments import add_detach
from .progress import following


def _fill_gc(parser: Parser) -> None:
    lake = parser.add_argument("lake", metavar="LAKE", help="the name of a lake")
    offer(lake, _names)
    parser.add_argument(
        "--grace",
        type=_span,
        default=3600,
        metavar="T",
        help="keep what is younger (default: 1h)",
    )
    add_detach(parser)


def _lakes(client: Client, _args: Args, _console: Console) -> LakesView:
    return LakesView(client.datasets.lakes().document)


def _gc(client: Client, args: Args, console: Console) -> JobView:
    with following(console) as show:
        job = client.datasets.collect(
            args.lake, grace=args.grace, progress=show, wait=not args.detach
        )
    if args.detach:
        return JobView(job, alone=True)
    return JobView(job, note=f"Removed {job.files:,} objects, {size_text(job.done)}.")


def _span(text: str) -> int:
    try:
        return parse_span(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _names(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return (lake.name for lake in client.datasets.lakes())


COMMANDS = (
    Command("lakes", "list the lakes", _lakes, examples=("data lakes",)),
    Command(
        "gc",
        "(admin) remove from a lake what no version needs",
        _gc,
        _fill_gc,
        examples=("data gc local", "data gc local --grace 1d"),
    ),
)
