"""A shell with its own controller, folders and preferences, and a console that records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.ports.backend import Backend
from tests.client.inmemory import InMemory
from tests.fakes import make_backend
from tests.shell import shell

__all__ = ["shell"]


@dataclass
class Notes:
    """A console that records its output."""

    shell: bool = False
    lines: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    redrawn: list[str] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)

    def note(self, line: str) -> None:
        self.lines.append(line)

    def write(self, text: str) -> None:
        self.written.append(text)

    def write_bytes(self, piece: bytes) -> None:
        self.pieces.append(piece)

    def redraw(self, line: str) -> None:
        self.redrawn.append(line)


@pytest.fixture
def console() -> Notes:
    return Notes()


@pytest.fixture
def backend() -> Backend:
    return make_backend()


@pytest.fixture
def transport(backend: Backend) -> InMemory:
    """A transport to a server in memory; `user` is the caller, the administrator `me`."""
    return InMemory(backend, url="http://lab/")


@pytest.fixture
def client(transport: InMemory, preferred: Path) -> Client:
    """A client of a server in memory."""
    return Client(transport=transport)


@pytest.fixture
def preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep preferences in a folder of the test."""
    monkeypatch.delenv("JUPYTER_NO_CONFIG", raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "config" / "gpuquota.json"
