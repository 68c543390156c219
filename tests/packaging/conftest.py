"""One build and one installation for all packaging tests."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from tests.packaging.clean import Environment, copy_sources, make_environment

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Distributions:
    """What `python -m build` has made."""

    sdist: Path
    wheel: Path


@pytest.fixture(scope="session")
def wheel(scratch: Path) -> Path:
    """Build the wheel from a copy of the sources, with the packages that are installed here."""
    target = scratch / "wheel"
    built(copy_sources(scratch / "checkout"), target, "--wheel", "--no-isolation")
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def distributions(scratch: Path) -> Distributions:
    """Build from a copy of the sources as a release does: the sdist, and from that the wheel."""
    target = scratch / "dist"
    built(copy_sources(scratch / "sources"), target, "--installer=uv")
    (sdist,) = target.glob("*.tar.gz")
    (wheel,) = target.glob("*.whl")
    return Distributions(sdist, wheel)


def built(sources: Path, target: Path, *options: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", target, *options, sources],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


@pytest.fixture(scope="session")
def installed(wheel: Path, scratch: Path) -> Environment:
    """Install the wheel beside JupyterLab in a clean environment without Node."""
    folder = scratch / "installed"
    folder.mkdir()
    environment = make_environment(folder, system_programs=False)
    environment.install("jupyterlab", str(wheel))
    return environment


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """Provide a folder that is removed at the end: what is built here is large."""
    with TemporaryDirectory(prefix="gpuquota-") as folder:
        yield Path(folder)
