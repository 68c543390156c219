"""`snapshot`: take, find, compare, restore and reproduce snapshots."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ....client import Client
from ....client.connection.protocol import to_json
from ....errors import Conflict, FieldError, InvalidRequest, refused
from ....model.snapshots.restore import RestoreRequest
from ....model.snapshots.snapshots import SnapshotDetails
from ...arguments import add_exclude, offer, offer_paths, own_projects, session_names
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views import snapshots as views
from ...views.data.formats import size_text
from ...views.data.jobs import JobView
from ...views.data.versions import SnapshotLineageView
from ...views.texts import TextView
from ...views.view import View
from ...waiting import wait
from .rules import RULES
from .variables import LOAD, names_of, variables_of

_SHELL = "jupyter gpu "


def metrics_of(texts: Iterable[str]) -> dict[str, float]:
    """Return numbers by name; `texts` are like `acc=0.9`. Raises InvalidFields."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        found[name] = _number(value)
        if not name or not math.isfinite(found[name]):
            raise refused(FieldError("metrics", f"{text!a}: write NAME=NUMBER."))
    return found


def _number(text: str) -> float:
    """Return a number, NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def add_snapshot(parser: Parser) -> None:
    """Add the name of a snapshot."""
    help_ = "an id, its beginning, a tag, a session, or latest"
    argument = parser.add_argument("snapshot", metavar="ID", help=help_)
    offer(argument, lambda client, _words: (each.short for each in client.snapshots.list()))


def notebook(found: SnapshotDetails) -> dict[str, Any]:
    """Return a notebook whose cells rebuild the run of a snapshot (nbformat 4.5)."""
    snapshot = found.snapshot
    metrics = ", ".join(f"{name}={value:g}" for name, value in snapshot.metrics.items())
    title = f"# The run of snapshot {snapshot.short}\n\n{snapshot.note}\n\n{metrics}".strip()
    magics = (
        line if line.startswith("#") else f"%gpu {line.removeprefix(_SHELL)}"
        for line in found.reproduce
    )
    code = ["%load_ext jupyter_gpuquota", *magics]
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": [
            {"id": "title", "cell_type": "markdown", "metadata": {}, "source": title},
            *(_cell(number, line) for number, line in enumerate(code)),
        ],
    }


def _cell(number: int, source: str) -> dict[str, Any]:
    return {
        "id": f"step-{number}",
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def _fill(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument("--name", default="", help="with --run: the name of the new session")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--run", action="store_true", help="do it, and compare the results")
    how.add_argument(
        "--notebook", default="", metavar="FILE", help="write the commands as a new notebook"
    )


def _reproduce(client: Client, args: Args, _console: Console) -> View[Any]:
    if args.run:
        return views.comparison(client.snapshots.reproduce(args.snapshot, args.name), results=True)
    if args.name:
        raise InvalidRequest(
            "--name needs --run.",
            hint="Add --run, or change the name in the commands that are shown without --name.",
        )
    found = client.snapshots.show(args.snapshot)
    if args.notebook:
        try:
            with Path(args.notebook).open("x", encoding="utf-8") as file:
                file.write(to_json(notebook(found)))
        except OSError as error:
            text = f"{args.notebook} cannot be written: {error.strerror}."
            raise Conflict(text, hint="Name a new file.") from error
        return TextView({"notebook": args.notebook}, f"Wrote {args.notebook}.")
    text = "\n".join(found.reproduce)
    return TextView({"commands": text}, text)


REPRODUCE = Command(
    "reproduce",
    "show how to run it again, or do so",
    _reproduce,
    _fill,
    notes="With --run the snapshot is restored into a new session, where its program or its "
    "notebooks run, and the results are compared.",
    examples=("snapshot reproduce best", "snapshot reproduce best --run --name best-again"),
)


def _fill_create(parser: Parser) -> None:
    session = parser.add_argument("session", nargs="?", default="", metavar="SESSION")
    offer(session, session_names())
    parser.add_argument("-m", "--message", default="", metavar="WHY", help="what is worth keeping")
    parser.add_argument("--tag", action="append", default=[], help="a name; it is kept for ever")
    parser.add_argument(
        "--artifact", action="append", default=[], metavar="PATTERN", help="files to record by name"
    )
    parser.add_argument(
        "--metric", action="append", default=[], metavar="NAME=VALUE", help="a number to record"
    )
    parser.add_argument(
        "--variables", default="", metavar="X,Y", help="variables of the notebook to store"
    )
    parser.add_argument(
        "--notebook", default="", metavar="PATH", help="whose variables, for another session's"
    )
    volumes = parser.add_mutually_exclusive_group()
    volumes.add_argument(
        "--volume", action="append", metavar="NAME", help="a volume to copy; default: all"
    )
    volumes.add_argument(
        "--no-volumes", dest="volume", action="store_const", const=(), help="copy no volume"
    )
    add_exclude(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be stored, and left out"
    )
    parser.add_argument("--no-wait", dest="wait", action="store_false", help="do not wait for it")


def _fill_list(parser: Parser) -> None:
    session = parser.add_argument("session", nargs="?", default="", metavar="SESSION")
    offer(session, session_names())
    offer(parser.add_argument("-p", "--project", default="", help="of a project"), own_projects)
    parser.add_argument("--tag", default="", help="with a tag")
    parser.add_argument("--match", default="", metavar="TEXT", help="in notes, names and tags")


def _fill_diff(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument("other", nargs="?", default="latest", metavar="ID", help="default: latest")


def _fill_restore(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument("--name", default="", help="the name of the new session")
    parser.add_argument("--folder", default="", help="the new folder; default: beside the old one")
    parser.add_argument(
        "--variables", action="store_true", help="with stored variables, which are code"
    )
    packages = parser.add_mutually_exclusive_group()
    packages.add_argument(
        "--environment", default="", metavar="ENV", help="start from this one; default: its own"
    )
    offer_paths(
        packages.add_argument(
            "--make-environment",
            default="",
            metavar="FOLDER",
            help="make its environment again with uv, and start from that",
        )
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be made")
    until = parser.add_mutually_exclusive_group()
    until.add_argument("--no-wait", dest="wait", action="store_false", help="do not wait for it")
    until.add_argument(
        "--wait-for",
        choices=("running", "ended"),
        default="",
        help="wait for the new session, too; it is an error if it fails",
    )


def _fill_environment(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument(
        "--pip", action="store_true", help="of an environment of conda, what pip has installed"
    )


def _environment(client: Client, args: Args, _console: Console) -> View[Any]:
    found = client.snapshots.show(args.snapshot)
    if found.environment is None:
        raise Conflict(
            "The snapshot does not say which packages its session had.",
            hint="On a cluster, its image has them: jupyter gpu snapshot show.",
        )
    by_conda = bool(found.environment.explicit) and not args.pip
    lines = found.environment.explicit if by_conda else found.environment.requirements
    text = "\n".join(lines)
    return TextView({"packages": text, "python": found.environment.python}, text)


def _fill_export(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument("folder", metavar="FOLDER", help="a folder to make")


def _fill_tag(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument("tags", nargs="*", metavar="TAG", help="all its tags from now on")


def _fill_pin(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument("--why", default="", metavar="TEXT", help="shown with the pin")


def _create(client: Client, args: Args, _console: Console) -> View[Any]:
    if args.dry_run:
        found = client.snapshots.preview(args.session, volumes=args.volume, exclude=args.exclude)
        return views.preview(found)
    names = names_of(args.variables)
    variables = variables_of(client, args.session, names, args.notebook)
    made = client.snapshots.create(
        args.session,
        args.message,
        tags=args.tag,
        metrics=metrics_of(args.metric),
        artifacts=args.artifact,
        variables=variables,
        volumes=args.volume,
        exclude=args.exclude,
        wait=args.wait,
    )
    if not args.wait:
        return views.SnapshotView(made, made.id)
    sizes = size_text(made.size)
    if made.added is not None:
        sizes += f", {size_text(made.added)} new"
    manifest = client.snapshots.show(made.id).manifest
    said = [*views.remarks(manifest), *views.left_out(manifest)]
    return views.SnapshotView(made, "\n".join([f"{made.short}: {made.state}, {sizes}.", *said]))


def _list(client: Client, args: Args, _console: Console) -> View[Any]:
    found = client.snapshots.list(args.session, project=args.project, tag=args.tag, text=args.match)
    return views.SnapshotsView(found.document)


def _show(client: Client, args: Args, _console: Console) -> View[Any]:
    return views.details(client.snapshots.show(args.snapshot))


def _diff(client: Client, args: Args, _console: Console) -> View[Any]:
    return views.comparison(client.snapshots.diff(args.snapshot, args.other))


def _lineage(client: Client, args: Args, _console: Console) -> View[Any]:
    return SnapshotLineageView(client.snapshots.lineage(args.snapshot))


def _restore(client: Client, args: Args, console: Console) -> View[Any]:
    environment = args.environment
    if args.dry_run or args.make_environment:
        request = RestoreRequest(
            name=args.name,
            folder=args.folder,
            variables=args.variables,
            environment=environment,
        )
        found = client.snapshots.plan(args.snapshot, request)
        others = [each for each in found.problems if each.field != "environment"]
        if args.dry_run or others:
            return views.plan(found)
    if args.make_environment:
        console.note(f"Making the environment {args.make_environment} with uv.")
        environment = client.snapshots.make_environment(args.snapshot, args.make_environment)
    begun = client.snapshots.restore(
        args.snapshot,
        args.name,
        folder=args.folder,
        variables=args.variables,
        environment=environment,
        wait=args.wait,
    )
    if args.wait_for and begun.session:
        ended = args.wait_for == "ended"
        wait(client, client.sessions.get(begun.session), console, ended=ended)
        client.sessions.wait(begun.session, ended=ended)
    return views.RestoreView(begun)


def _restores(client: Client, _args: Args, _console: Console) -> View[Any]:
    return views.RestoresView(client.snapshots.restores().document)


def _export(client: Client, args: Args, _console: Console) -> View[Any]:
    job = client.snapshots.export(args.snapshot, args.folder)
    return JobView(job, note=f"{args.folder} has the files of {args.snapshot}.")


def _verify(client: Client, args: Args, _console: Console) -> View[Any]:
    job = client.snapshots.verify(args.snapshot)
    return JobView(job, note=job.reason or f"{args.snapshot} is intact.")


def _tag(client: Client, args: Args, _console: Console) -> View[Any]:
    found = client.snapshots.tag(args.snapshot, *args.tags)
    return views.SnapshotView(found, f"{found.short}: {', '.join(found.tags) or 'no tags'}.")


def _pin(client: Client, args: Args, _console: Console) -> View[Any]:
    found = client.snapshots.pin(args.snapshot, args.why)
    return views.SnapshotView(found, f"{found.short} is pinned.")


def _unpin(client: Client, args: Args, _console: Console) -> View[Any]:
    found = client.snapshots.unpin(args.snapshot)
    return views.SnapshotView(found, f"{found.short} is not pinned.")


def _remove(client: Client, args: Args, _console: Console) -> View[Any]:
    client.snapshots.remove(args.snapshot)
    return TextView({"snapshot": args.snapshot}, f"Removed {args.snapshot}.")


_ACTIONS = (
    Command(
        "create",
        "take a snapshot of a session",
        _create,
        _fill_create,
        notes="Without SESSION: of the one in which the command runs. Volumes that the session may "
        "write are copied, too. State of this product, credentials, caches, environments and what "
        "the folder's file .gpuquotaignore names are left out, and named.",
        examples=(
            "snapshot create exp1 -m 'before the new loss' --tag base",
            "snapshot create exp1 --exclude '*.tmp' --exclude /raw/",
            "snapshot create exp1 --dry-run",
        ),
    ),
    Command("list", "list snapshots", _list, _fill_list, examples=("snapshot list exp1",)),
    Command("show", "show a snapshot", _show, add_snapshot, examples=("snapshot show base",)),
    Command(
        "diff", "show what differs", _diff, _fill_diff, examples=("snapshot diff base latest",)
    ),
    Command(
        "lineage",
        "show what a snapshot comes from, and what has come from it",
        _lineage,
        add_snapshot,
        examples=("snapshot lineage base", "snapshot lineage base --json"),
    ),
    Command(
        "restore",
        "restore a snapshot into a new folder and a new session",
        _restore,
        _fill_restore,
        examples=(
            "snapshot restore base --name exp2",
            "snapshot restore base --dry-run",
            "snapshot restore base --name exp2 --wait-for running",
            "snapshot restore base --make-environment ./exp2-env",
        ),
    ),
    Command(
        "environment",
        "print the packages of a snapshot, for pip, uv or conda",
        _environment,
        _fill_environment,
        notes="An environment of conda is printed for `conda create --file`, others for `pip "
        "install --no-deps -r`.",
        examples=(
            "snapshot environment base",
            "snapshot environment base --pip",
        ),
    ),
    LOAD,
    REPRODUCE,
    Command("restores", "list restores that go on or have ended within a day", _restores),
    Command(
        "export",
        "write the files of a snapshot to a new folder",
        _export,
        _fill_export,
        examples=("snapshot export base ./base",),
    ),
    Command("verify", "hash a snapshot again", _verify, add_snapshot),
    Command("tag", "set the tags of a snapshot", _tag, _fill_tag),
    Command("pin", "keep a snapshot whatever the rules say", _pin, _fill_pin),
    Command("unpin", "remove the pin of a snapshot", _unpin, add_snapshot),
    Command("rm", "remove a snapshot", _remove, add_snapshot),
    RULES,
)

COMMANDS = (
    Command(
        "snapshot",
        "take, compare and restore snapshots",
        actions=_ACTIONS,
        default="list",
        said="create",
        notes="A snapshot has the session's folder, its code, packages and notebooks.",
        examples=("snapshot create exp1 -m 'works'", "snapshot list", "snapshot restore latest"),
        section="Resources",
    ),
)
