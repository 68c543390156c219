"""A ZFS dataset whose snapshots are copies; commands and the folder `.zfs` are as documented."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from jupyter_gpuquota.store.frozen.commands import Refused


class FakeZfs:
    """The program `zfs` for one dataset that is mounted at a folder."""

    def __init__(self, dataset: str, point: Path) -> None:
        self.ran: list[list[str]] = []
        self.refuses = ""
        self._dataset = dataset
        self._point = point

    def has(self, program: str) -> bool:
        return program == "zfs"

    def run(self, words: Sequence[str]) -> str:
        self.ran.append(list(words))
        program, verb, what = words
        assert program == "zfs"
        if verb == self.refuses:
            raise Refused(f"cannot {verb}: permission denied")
        if verb == "allow":
            return "---- Permissions on tank ----\nLocal permissions:\n\teveryone destroy,mount\n"
        dataset, name = what.split("@")
        assert dataset == self._dataset
        place = self._point / ".zfs" / "snapshot" / name
        if verb == "destroy":
            shutil.rmtree(place)
        else:
            assert verb == "snapshot"
            shutil.copytree(
                self._point, place, symlinks=True, ignore=shutil.ignore_patterns(".zfs")
            )
        return ""
