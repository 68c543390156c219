"""Lakes in folders and on an S3 server of this machine, filled as members do: from a shell."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.versions import Version


@dataclass(frozen=True)
class ShellLake:
    """A lake by its URL, and the home folder and variables of the processes that write to it."""

    url: str
    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def lake(self, credentials: str = "") -> Lake:
        """Return it as an administrator sets it up; Jobs get the Secret `credentials`."""
        return Lake(name="main", url=self.url, credentials=credentials, default=True)

    async def sync(self, dataset: str, files: dict[str, bytes]) -> Version:
        """Store files as the next version of a dataset."""
        source = self.home / dataset
        for name, body in files.items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        arguments = ("sync", dataset, str(source), "--lake", self.url)
        last = (await self._run(*arguments))[-1]
        report = last["report"]
        return Version(
            dataset=dataset,
            id=report["version"],
            time=datetime.now(UTC),
            size=report["size"],
            files=report["files"],
        )

    async def _run(self, *words: str) -> list[dict[str, Any]]:
        """Run the program of jobs, and return its lines."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "jupyter_gpuquota.store", *words, "--report", "lines"),
            env={**os.environ, "HOME": str(self.home), **self.variables},
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await process.communicate()
        assert process.returncode == 0
        return [json.loads(line) for line in output.splitlines()]


def folder_lake(folder: Path, home: Path) -> ShellLake:
    """Return a new lake in a folder."""
    folder.mkdir()
    return ShellLake(folder.as_uri(), home)


def claim(namespace: str, size: str = "1Gi", mode: str = "ReadWriteMany") -> dict[str, Any]:
    """Return the claim of a project's cache."""
    resources = {"requests": {"storage": size}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "datasets", "namespace": namespace},
        "spec": {"accessModes": [mode], "resources": resources},
    }
