"""The notebook whose kernel the relay is: who started it, where, and what identifies it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PARENT, _SESSION_NAME = "JPY_PARENT_PID", "JPY_SESSION_NAME"
"""Variables that Jupyter sets for a kernel: the process that started it, and its notebook."""


@dataclass(frozen=True, slots=True)
class Parent:
    """The process that started the relay; `pid` is 0 if it does not want to be watched.

    `info` is the info file of a Jupyter Server, None if it is another program.
    """

    pid: int = 0
    info: Path | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str], runtime: Path) -> Parent:
        """Return the parent that the environment names."""
        text = environ.get(_PARENT, "")
        pid = int(text) if text.isdecimal() else 0
        info = runtime / f"jpserver-{pid}.json"
        return cls(pid, info if pid and info.exists() else None)

    @property
    def is_gone(self) -> bool:
        """Whether it has exited without a word; another process is our parent then."""
        return self.pid > 1 and os.getppid() != self.pid

    @property
    def is_stopping(self) -> bool:
        """Whether it is a Jupyter Server that stops: it first removes its info file."""
        return self.info is not None and not self.info.exists()


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook, or whatever else has a kernel.

    `file` is its path, empty where the client does not name it; `key` identifies it for as long as
    its client knows it. `folder` is where its code expects to run.
    """

    file: str
    key: str
    folder: str

    @classmethod
    def of(cls, connection_file: Path, parent: Parent, environ: Mapping[str, str]) -> Notebook:
        """Return the notebook of a kernel.

        Only a Jupyter Server names it: others pass on the variable of the kernel that they run in.
        """
        file = environ.get(_SESSION_NAME, "") if parent.info else ""
        key = file or str(connection_file.absolute())
        return cls(file, hashlib.sha256(key.encode()).hexdigest()[:8], str(Path.cwd()))

    @property
    def name(self) -> str:
        """What pages call it."""
        return Path(self.file).name if self.file else f"notebook-{self.key}"

    def path_in(self, root: str) -> str:
        """Return its path for a Jupyter Server with a root folder on this machine, else ''.

        A path below a folder that does not exist identifies notebooks that are elsewhere.
        """
        if self.file and root:
            inside = Path(self.file).resolve()
            if inside.is_relative_to(Path(root).resolve()):
                return inside.relative_to(Path(root).resolve()).as_posix()
        return f"elsewhere/{self.key}/{self.name}"
