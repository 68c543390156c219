"""The subject of a storm on a lake: a folder that changes, what it was, and what the lake holds."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.connection import Connection, connect
from jupyter_gpuquota.store.lake.presence import EXPIRY
from scripts.s3 import servers
from tests.jobs.forks import Forks
from tests.store.living import entries, log, verified
from tests.storms.lake.program import DATASET, NEVER

ROOT = Path(__file__).resolve().parents[3]
SMALL_FILES, LARGE = 40, 1_100_000
KEPT = 3
"""Versions that there are at least before one is forgotten."""


class Place:
    """A lake in a folder, with a folder beside it that is synced."""

    def __init__(
        self, home: Path, rng: random.Random, server: tuple[str, Path] | None = None
    ) -> None:
        self.rng = rng
        endpoint, root = server or ("", home)
        self.lake = root / f"lake-{uuid4().hex}"
        self.lake.mkdir()
        self.url = f"s3://{self.lake.name}" if server else f"file://{self.lake}"
        self._config = servers.config(endpoint) if server else {}
        variables = servers.environment(endpoint) if server else {}
        self._env = {**os.environ, **variables}
        self._forks = Forks("tests.storms.lake.program", **variables)
        self.catalog = home / "catalog.db"
        self.folder = home / "folder"
        self.folder.mkdir()
        for number in range(SMALL_FILES):
            self._write(f"{number % 5}/{number}")
        self._write("large")

    def _write(self, name: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        body = self.rng.randbytes(self.rng.choice([0, 10, 3000]))
        path.write_bytes(self.rng.randbytes(LARGE) if name == "large" else body)

    def change(self) -> None:
        """Change some files of the folder: rewrite, remove and add."""
        for number in self.rng.sample(range(SMALL_FILES), 4):
            self._write(f"{number % 5}/{number}")
        removed = self.folder / f"{self.rng.randrange(5)}" / f"{self.rng.randrange(SMALL_FILES)}"
        removed.unlink(missing_ok=True)
        if self.rng.random() < 0.3:
            self._write("large")

    def start(
        self, verb: str, last: int = NEVER, folder: Path | None = None
    ) -> subprocess.Popen[str]:
        """Start a process that works on the lake."""
        module = ("-m", "tests.storms.lake.program")
        words = (verb, self.catalog, folder or self.folder, self.url, last)
        return subprocess.Popen(
            [sys.executable, *module, *map(str, words)],
            cwd=ROOT,
            env=self._env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, verb: str, last: int = NEVER, folder: Path | None = None) -> tuple[int, str]:
        """Run a process to its end; return its exit code and what it printed."""
        done = self._forks.run(verb, self.catalog, folder or self.folder, self.url, last)
        return done.code, done.said.strip()

    def close(self) -> None:
        """End what starts the processes."""
        self._forks.close()

    def objects(self) -> Connection:
        """Return the objects of the lake."""
        return connect(self.url, **self._config)

    def expire(self) -> None:
        """Let the records of dead processes be as old as they are after some minutes."""
        then = time.time() - EXPIRY.total_seconds() - 1
        for path in self.lake.glob("writers/*"):
            os.utime(path, (then, then))

    async def forget(self) -> None:
        """Remove the oldest of many versions, so that collections find much to do."""
        keys = [each.key async for each in self.objects().list(layout.commits(DATASET))]
        if len(keys) > KEPT:
            await self.objects().delete([min(keys)])

    async def problems(self) -> list[str]:
        """Return what is wrong with the versions that the lake says it holds."""
        objects = self.objects()
        found = []
        for commit in await log(objects).commits(DATASET):
            bad = await verified(objects, commit.version)
            found += [f"{commit.version[:8]}: {each.path} {each.problem}" for each in bad]
        return found

    async def latest(self) -> dict[str, str]:
        """Return the files of the last version by path, with their sha256."""
        objects = self.objects()
        commits = await log(objects).commits(DATASET)
        listed = await entries(objects, commits[-1].version) if commits else []
        return {entry.path: entry.sha256 for entry, _ in listed}

    async def versions(self) -> int:
        """Return how many versions the dataset has."""
        return len(await log(self.objects()).commits(DATASET))
