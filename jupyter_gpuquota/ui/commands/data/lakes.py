"""`data lakes`, `rules`, `gc`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from ....client import Client
from ....errors import InvalidRequest
from ....model.datasets.settings import DataChangePreview, DataSettings
from ....model.spans import parse_span
from ...arguments import add_dry_run, offer
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.datasets import LakesView, SettingsChangeView, SettingsView
from ...views.data.formats import size_text
from ...views.data.jobs import JobView
from ...views.view import View
from .arguments import add_detach, following


def _fill_lake(parser: Parser) -> None:
    offer(parser.add_argument("lake", metavar="LAKE", help="the name of a lake"), _names)


def _fill_set(parser: Parser) -> None:
    _fill_lake(parser)
    parser.add_argument("url", metavar="URL", help="s3://bucket/prefix, gs://, az://, file:///path")
    parser.add_argument(
        "--credentials",
        default="",
        metavar="FILE",
        help="a file of KEY=VALUE lines; on a cluster the name of a Secret",
    )
    parser.add_argument("--projects", metavar="A,B", help="who may use it (default: all)")
    parser.add_argument("--default", action="store_true", help="for datasets that name no lake")
    add_dry_run(parser)


def _fill_delete(parser: Parser) -> None:
    _fill_lake(parser)
    add_dry_run(parser)


def _fill_rules(parser: Parser) -> None:
    parser.add_argument(
        "--unused",
        metavar="T",
        help="how long unused versions stay, such as 1d; 0: while there is room",
    )
    parser.add_argument(
        "--high-water", type=_share, metavar="P", help="how full the cache may get, such as 90%%"
    )
    for name in ("project", "dataset"):
        parser.add_argument(
            f"--{name}",
            dest=f"{name}s",
            action="append",
            type=_exception,
            metavar="NAME=T",
            help=f"another time for one {name}; repeatable",
        )
    add_dry_run(parser)


def _fill_gc(parser: Parser) -> None:
    _fill_lake(parser)
    parser.add_argument(
        "--grace", type=_span, default=3600, metavar="T", help="keep what is younger (default: 1h)"
    )
    add_detach(parser)


def _lakes(client: Client, _args: Args, _console: Console) -> LakesView:
    return LakesView(client.datasets.lakes().document)


def _set(client: Client, args: Args, _console: Console) -> View[Any]:
    projects = [name.strip() for name in (args.projects or "").split(",") if name.strip()]
    return _view(
        client.datasets.put_lake(
            args.lake,
            args.url,
            credentials=args.credentials,
            projects=projects,
            default=args.default,
            dry_run=args.dry_run,
        )
    )


def _delete(client: Client, args: Args, _console: Console) -> View[Any]:
    return _view(client.datasets.remove_lake(args.lake, dry_run=args.dry_run))


def _rules(client: Client, args: Args, _console: Console) -> View[Any]:
    given = {
        "unused": args.unused,
        "high_water": args.high_water,
        "projects": dict(args.projects) if args.projects else None,
        "datasets": dict(args.datasets) if args.datasets else None,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    if wanted:
        return _view(client.datasets.put_rules(**wanted, dry_run=args.dry_run))
    if args.dry_run:
        raise InvalidRequest("Nothing to try.", hint="See `help data rules`.")
    return SettingsView(client.datasets.settings())


def _gc(client: Client, args: Args, console: Console) -> JobView:
    with following(console) as show:
        job = client.datasets.collect(
            args.lake, grace=args.grace, progress=show, wait=not args.detach
        )
    if args.detach:
        return JobView(job, alone=True)
    return JobView(job, note=f"Removed {job.files:,} objects, {size_text(job.done)}.")


def _view(answer: DataSettings | DataChangePreview) -> View[Any]:
    if isinstance(answer, DataSettings):
        return SettingsView(answer)
    return SettingsChangeView(answer)


def _span(text: str) -> int:
    try:
        return parse_span(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share: use 90% or 0.9") from error


def _exception(text: str) -> tuple[str, str]:
    name, equals, span = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=T, such as team-a=7d")
    return name, span


def _names(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return (lake.name for lake in client.datasets.lakes())


COMMANDS = (
    Command(
        "lakes",
        "list or (admin) set lakes",
        actions=(
            Command("list", "list the lakes", _lakes, examples=("data lakes list",)),
            Command(
                "set",
                "add a lake, or change it",
                _set,
                _fill_set,
                notes="Credentials never are in a URL.",
                examples=(
                    "data lakes set main s3://ours/lake --credentials /etc/gpuquota/s3.env",
                    "data lakes set disk file:///data/lake --projects team-a --dry-run",
                ),
            ),
            Command(
                "delete",
                "forget a lake; what is in it stays",
                _delete,
                _fill_delete,
                examples=("data lakes delete disk --dry-run",),
            ),
        ),
        default="list",
        examples=("data lakes",),
    ),
    Command(
        "rules",
        "(admin) show or set how long cached versions stay",
        _rules,
        _fill_rules,
        examples=(
            "data rules",
            "data rules --unused 2d --project team-a=7d --dry-run",
            "data rules --high-water 80%",
        ),
    ),
    Command(
        "gc",
        "remove from a lake what no version needs",
        _gc,
        _fill_gc,
        examples=("data gc local --grace 1d", "data gc s3://mine/lake"),
        notes="For a lake of the admins you must be one; your own is named by its URL.",
    ),
)
