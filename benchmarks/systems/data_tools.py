"""Our store and its peers: the commands that sync, fetch and verify data."""

from __future__ import annotations

import json
import shutil
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts import programs

from ..errors import CouldNotMeasure
from .product import ROOT, run

FOLDER = ROOT / ".venv-data"
PACKAGES = ("dvc[s3]>=3.60,<4", "awscli>=1.40,<2", "s5cmd")

Words = Sequence[str]
Step = Callable[["Cell"], "list[Words]"]


@dataclass
class Cell:
    """Where one tool works: the folder to sync, its bucket, and what it remembers."""

    data: Path
    work: Path
    bucket: str
    endpoint: str
    versions: list[str] = field(default_factory=list)

    @property
    def cache(self) -> Path:
        """The folder that is fetched to."""
        return self.work / "cache"


@dataclass(frozen=True)
class Tool:
    """One tool: the commands of each step; without them the tool cannot do that."""

    name: str
    prepare: Step
    sync: Step
    cache: Step
    again: Step
    verify: Step
    note: Callable[[Cell, str], None] = lambda _cell, _said: None
    """Remembers what the tool has printed."""


def nothing(_: Cell) -> list[Words]:
    """Return no command."""
    return []


def tools() -> tuple[list[Tool], dict[str, str]]:
    """Return all tools that could be installed, ours first, and why the others could not."""
    missing: dict[str, str] = {}
    if not (FOLDER / "bin" / "dvc").exists():
        print("Setting up .venv-data …", flush=True)
        venv.create(FOLDER, with_pip=True)
        for package in PACKAGES:
            try:
                run([str(FOLDER / "bin" / "pip"), "install", "--quiet", package])
            except CouldNotMeasure as problem:
                missing[package] = str(problem).splitlines()[-1]
    made = [_ours(), _rclone(missing), _installed("dvc", _dvc), _installed("s5cmd", _s5cmd)]
    made.append(_installed("aws", _aws))
    return [tool for tool in made if tool], missing


def _installed(name: str, make: Callable[[str], Tool]) -> Tool | None:
    program = FOLDER / "bin" / name
    return make(str(program)) if program.exists() else None


def _ours() -> Tool:
    store = [sys.executable, "-m", "jupyter_gpuquota.store"]

    def job(verb: str, *words: str) -> Words:
        return [*store, verb, "--report", "lines", *words]

    def lake(cell: Cell) -> Words:
        return ["--lake", f"s3://{cell.bucket}"]

    def note(cell: Cell, said: str) -> None:
        version = json.loads(said.splitlines()[-1])["report"]["version"]
        if version not in cell.versions:
            cell.versions.append(version)

    def cache(cell: Cell, number: int) -> list[Words]:
        named = f"data@{cell.versions[number]}"
        return [job("cache", named, *lake(cell), "--cache", str(cell.cache))]

    return Tool(
        "jupyter_gpuquota",
        nothing,
        lambda cell: [job("sync", "data", str(cell.data), *lake(cell))],
        lambda cell: cache(cell, 0),
        lambda cell: cache(cell, 1),
        lambda cell: [job("verify", f"data@{cell.versions[1]}", *lake(cell), "--only", "lake")],
        note,
    )


def _copier(name: str, up: Step, down: Step, verify: Step = nothing) -> Tool:
    """Return a tool that copies folders: it knows one version, the last one."""
    return Tool(name, nothing, up, down, down, verify)


def _rclone(missing: dict[str, str]) -> Tool | None:
    try:
        program = str(programs.ensure_built(programs.RCLONE))
    except (OSError, RuntimeError) as problem:
        missing["rclone"] = str(problem)
        return None
    many = ["--transfers", "32", "--checkers", "32", "--quiet"]

    def remote(cell: Cell) -> str:
        options = f"provider=Other,env_auth=true,endpoint='{cell.endpoint}',region=us-east-1"
        return f":s3,{options}:{cell.bucket}"

    return _copier(
        "rclone",
        lambda cell: [[program, "sync", *many, str(cell.data), remote(cell)]],
        lambda cell: [[program, "sync", *many, remote(cell), str(cell.cache)]],
        lambda cell: [[program, "check", "--download", *many, str(cell.cache), remote(cell)]],
    )


def _s5cmd(program: str) -> Tool:
    def up(cell: Cell) -> list[Words]:
        return [[program, "sync", "--delete", f"{cell.data}/", f"s3://{cell.bucket}/"]]

    def down(cell: Cell) -> list[Words]:
        return [[program, "sync", "--delete", f"s3://{cell.bucket}/*", f"{cell.cache}/"]]

    return _copier("s5cmd", up, down)


def _aws(program: str) -> Tool:
    def sync(source: str, target: str) -> list[Words]:
        return [[program, "s3", "sync", "--delete", "--only-show-errors", source, target]]

    return _copier(
        "aws s3 sync",
        lambda cell: sync(str(cell.data), f"s3://{cell.bucket}"),
        lambda cell: sync(f"s3://{cell.bucket}", str(cell.cache)),
    )


def _dvc(program: str) -> Tool:
    def prepare(cell: Cell) -> list[Words]:
        """Make a repository around the data, and one to fetch to."""
        there = [program, "--cd", str(cell.data.parent)]
        return [
            ["git", "init", "--quiet", str(cell.data.parent)],
            [*there, "init", "--quiet"],
            [*there, "remote", "add", "--default", "lake", f"s3://{cell.bucket}/dvc"],
            [*there, "remote", "modify", "lake", "endpointurl", cell.endpoint],
        ]

    def sync(cell: Cell) -> list[Words]:
        there = [program, "--cd", str(cell.data.parent)]
        return [[*there, "add", "--quiet", cell.data.name], [*there, "push", "--quiet"]]

    def pull(cell: Cell) -> list[Words]:
        """Fetch to another repository, as another machine does."""
        if not (cell.cache / ".dvc").exists():
            shutil.copytree(
                cell.data.parent,
                cell.cache,
                ignore=shutil.ignore_patterns(cell.data.name, "cache", "tmp"),
                dirs_exist_ok=True,
            )
        return [[program, "--cd", str(cell.cache), "pull", "--quiet"]]

    def again(cell: Cell) -> list[Words]:
        described = f"{cell.data.name}.dvc"
        shutil.copy(cell.data.parent / described, cell.cache / described)
        return pull(cell)

    return Tool("dvc", prepare, sync, pull, again, nothing)
