"""`data cache`, `uncache`, `pin`, `unpin`, `caches`, `path`."""

from __future__ import annotations

import os
from typing import Any

from ....client import Client
from ....model.datasets.caches import CachedVersion
from ....model.datasets.jobs import Job
from ...arguments import offer
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.caches import CachedView, CachesView, pin_text
from ...views.data.formats import short, size_text
from ...views.data.jobs import JobView
from ...views.texts import TextView
from ...views.view import View
from .arguments import add_detach, add_path, add_version, dataset_names, following


def _fill_cache(parser: Parser) -> None:
    add_version(parser)
    add_detach(parser)


def _fill_pin(parser: Parser) -> None:
    add_version(parser)
    parser.add_argument(
        "--until", default="", metavar="T", help="such as 2d or 2030-01-31 (default: for ever)"
    )
    parser.add_argument("--why", default="", metavar="TEXT", help="shown to others")


def _fill_caches(parser: Parser) -> None:
    name = parser.add_argument("name", nargs="?", default="", metavar="NAME", help="one dataset")
    offer(name, dataset_names)


def _cache(client: Client, args: Args, console: Console) -> View[Any]:
    with following(console) as show:
        found = client.datasets.cache(args.name, progress=show, wait=not args.detach)
    if isinstance(found, Job):
        return JobView(found, alone=True)
    return CachedView(found, f"{_name(found)} is cached: {size_text(found.size)}.")


def _uncache(client: Client, args: Args, _console: Console) -> TextView:
    client.datasets.uncache(args.name)
    return TextView({"version": args.name}, f"Cleared the cached copy of {args.name}.")


def _pin(client: Client, args: Args, _console: Console) -> CachedView:
    found = client.datasets.pin(args.name, until=args.until, why=args.why)
    return CachedView(found, f"{_name(found)} is pinned by {_pins(found)}.")


def _unpin(client: Client, args: Args, _console: Console) -> CachedView:
    found = client.datasets.unpin(args.name)
    others = f"; still pinned by {_pins(found)}" if found.pins else ""
    return CachedView(found, f"Removed your pin of {_name(found)}{others}.")


def _caches(client: Client, args: Args, _console: Console) -> CachesView:
    return CachesView(client.datasets.caches(args.name).document)


def _path(client: Client, args: Args, console: Console) -> TextView | None:
    found = client.datasets.path(args.name)
    if console.shell and not args.json:
        console.write_bytes(os.fsencode(found) + b"\n")  # for programs: unchanged
        return None
    return TextView({"path": str(found)}, str(found))


def _name(found: CachedVersion) -> str:
    return f"{found.dataset}@{short(found.version)}"


def _pins(found: CachedVersion) -> str:
    return ", ".join(map(pin_text, found.pins))


COMMANDS = (
    Command(
        "cache",
        "copy a version near the GPUs",
        _cache,
        _fill_cache,
        notes="Nothing happens if it is there. Copies that nobody uses are cleared after a while.",
        examples=("data cache digits@v1", "data cache digits --detach"),
    ),
    Command(
        "uncache",
        "clear the cached copy of a version",
        _uncache,
        add_version,
        examples=("data uncache digits@v1",),
    ),
    Command(
        "pin",
        "keep a cached version",
        _pin,
        _fill_pin,
        examples=("data pin digits@v1 --until 2d --why 'paper deadline'",),
    ),
    Command("unpin", "remove your pin", _unpin, add_version, examples=("data unpin digits@v1",)),
    Command(
        "caches",
        "list cached versions, and the room for more",
        _caches,
        _fill_caches,
        examples=("data caches", "data caches digits"),
    ),
    Command(
        "path",
        "print the read-only folder of a cached version",
        _path,
        lambda parser: add_path(parser, "NAME@REF[:PATH]"),
        notes="The exit code is 3 if the version is not cached.",
        examples=("data path digits@v1", "data path digits@v1:labels.csv"),
    ),
)
