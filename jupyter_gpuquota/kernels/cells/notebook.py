"""This notebook, and the kernel of its cells in a session."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...environ import NOTEBOOK

_PROCESS = f"{os.uname().nodename}:{os.getpid()}"


@dataclass(frozen=True, slots=True)
class Notebook:
    """The notebook in which a cell runs; without one, the program.

    `path` is that of the notebook, empty without one. `key` tells notebooks apart.
    """

    path: str
    key: str

    @property
    def name(self) -> str:
        """The name of the notebook's file, without its ending."""
        return PurePosixPath(self.path).stem if self.path else "python"

    @property
    def folder(self) -> str:
        """The folder of the notebook's file; without one, that of the program."""
        path = Path(self.path)
        return str(path.parent if path.is_absolute() else Path.cwd())

    def scratch(self, request: Mapping[str, object]) -> str:
        """Return the name of the notebook's scratch session for a request."""
        return f"{self.scratches}{_digest(*map(str, sorted(request.items())))}"

    @property
    def scratches(self) -> str:
        """What the names of the notebook's scratch sessions begin with."""
        return f"scratch-{self.key}-"

    def path_in(self, root: str) -> str:
        """Return the path that identifies the kernel of the notebook's cells in a session.

        It is beside the notebook if that is in the `root` folder of the session's server.
        """
        name = f"{self.name}-{self.key}.gpu"
        if not (self.path and os.path.isabs(self.path) and root):  # noqa: PTH117 (text)
            return name
        here = Path(self.path).parent
        if not here.is_relative_to(root) or not here.is_dir():
            return name
        return str(here.relative_to(root) / name)


def this_notebook(environment: Mapping[str, str] = os.environ) -> Notebook:
    """Return the notebook that this process is the kernel of."""
    path = environment.get(NOTEBOOK, "")
    return Notebook(path, _digest(path or _PROCESS))


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:8]
