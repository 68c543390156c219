"""What was found beside a session, or inside of it, as parts of its manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from ....model.snapshots.manifest import (
    EnvironmentPart,
    FilePart,
    GitPart,
    Manifest,
    NotebookPart,
    PartProblem,
)

Store = Callable[[str, bytes], FilePart]
"""Stores a file with the snapshot, by a name."""


def added_to(draft: Manifest, found: Mapping[str, Any], store: Store) -> Manifest:
    """Return a draft with the parts that `script.look` has found. Raises ValueError."""
    fields = msgspec.structs.asdict(draft.environment)
    fields |= {**found.get("environment", {}), **found.get("gpus", {})}
    problems = (PartProblem(part=part, message=why) for part, why in found["problems"])
    return replace(
        draft,
        git=tuple(_repositories(found, store)),
        environment=msgspec.convert(fields, EnvironmentPart),
        notebooks=msgspec.convert(found.get("notebooks", ()), tuple[NotebookPart, ...]),
        artifacts=msgspec.convert(found.get("artifacts", ()), tuple[FilePart, ...]),
        problems=(*draft.problems, *problems),
    )


def _repositories(found: Mapping[str, Any], store: Store) -> list[GitPart]:
    parts = []
    for number, fields in enumerate(found.get("git", ())):
        patch = "".join(found["patches"][number : number + 1])
        body = patch.encode(errors="surrogateescape")
        stored = store(f"{number}.patch", body).sha256 if body else ""
        parts.append(msgspec.convert({**fields, "patch": stored}, GitPart))
    return parts
