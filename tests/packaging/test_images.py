"""What deploy/Containerfile installs, in clean environments."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.packaging.clean import ROOT, make_environment
from tests.packaging.conftest import Distributions

pytestmark = pytest.mark.rare
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
_TARGET = re.compile(r"^FROM \S+ AS (\S+)$", re.MULTILINE)


def commands(target: str) -> list[str]:
    """Return the shell commands that make an image."""
    _, *parts = _TARGET.split(CONTAINERFILE.read_text())
    steps = dict(zip(parts[::2], parts[1::2], strict=True))
    return re.findall(r"^RUN (.*)$", steps[target], re.MULTILINE)


@pytest.mark.parametrize(
    ("target", "needed"),
    [
        ("controller", "jupyter_gpuquota.kubernetes.client"),
        ("singleuser", "jupyter_gpuquota.server.app"),
    ],
)
def test_an_image_has_what_it_needs(
    distributions: Distributions, tmp_path: Path, target: str, needed: str
) -> None:
    image = make_environment(tmp_path, system_programs=True)
    for command in commands(target):
        here = command.replace("/tmp/", f"{distributions.wheel.parent}/")  # noqa: S108 (of the image)
        subprocess.run(["/bin/sh", "-c", here], env=image.variables, cwd=tmp_path, check=True)
    image.run("python", "-c", f"import {needed}", cwd=tmp_path)
