"""`data`: datasets, their versions, cached copies and jobs."""

from __future__ import annotations

from ...command import Command
from . import caches, datasets, files, jobs, lakes, lineage, transfers, versions

COMMANDS = (
    Command(
        "data",
        "version, browse and cache datasets",
        actions=(
            *datasets.COMMANDS,
            *transfers.COMMANDS,
            *versions.COMMANDS,
            *files.COMMANDS,
            *caches.COMMANDS,
            *jobs.COMMANDS,
            *lineage.COMMANDS,
            *lakes.COMMANDS,
        ),
        default="list",
        notes="A version is NAME@REF, a file in it NAME@REF:PATH. REF is latest, a tag, or the "
        "beginning of an id; without it the latest version is meant.",
        examples=(
            "data init digits",
            "data sync digits ./digits -m 'first images' --tag v1",
            "data cache digits@v1",
            "data ls digits@v1:train",
        ),
        section="Resources",
    ),
)
