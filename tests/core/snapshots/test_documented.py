"""The manifest is documented: every field is in the table of docs/snapshots.md."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from jupyter_gpuquota.model.snapshots import manifest
from jupyter_gpuquota.model.struct import Model

DOCS = Path(__file__).resolve().parents[3] / "docs/snapshots.md"
PARTS = [
    manifest.Manifest,
    manifest.TreePart,
    manifest.NotebookPart,
    manifest.GitPart,
    manifest.EnvironmentPart,
    manifest.PackageSource,
    manifest.CondaPackage,
    manifest.VolumePart,
    manifest.FilePart,
    manifest.KernelPart,
    manifest.PartProblem,
]


@pytest.mark.parametrize("part", PARTS)
def test_every_field_of_a_manifest_is_documented(part: type[Model]) -> None:
    section = DOCS.read_text().partition("## The manifest")[2]
    named = set(re.findall(r"`(\w+)(?:\[\])?`", section))
    assert {each.encode_name for each in msgspec.structs.fields(part)} - named == set()
