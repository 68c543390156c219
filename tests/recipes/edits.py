"""The lines that the recipe of a noun adds to files that exist already."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines that are added to a file, `above` or below the one line that contains `anchor`."""

    path: str
    anchor: str
    lines: str
    above: bool = False

    def apply(self, root: Path) -> None:
        """Change the file. Raises AssertionError unless exactly one line contains the anchor."""
        path = root / self.path
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (at,) = [i for i, line in enumerate(lines) if self.anchor in line] or [-1]
        assert at >= 0, f"{self.path} has no line with {self.anchor!r}"
        lines.insert(at if self.above else at + 1, self.lines + "\n")
        path.write_text("".join(lines), encoding="utf-8")


ROUTE = (
    Edit(
        "jupyter_gpuquota/model/routes/nodes.py",
        "ROUTES: tuple[Route, ...] = (",
        '    Route("nodes.free", "GET", "/nodes/free", Nodes, "List nodes with free GPUs"),',
    ),
    Edit(
        "jupyter_gpuquota/services/nodes.py",
        "async def list_(",
        "async def free(backend: Backend, call: Call) -> Nodes:\n"
        '    """Return the nodes that have a free part of a GPU."""\n'
        "    found = await list_(backend, call)\n"
        "    nodes = (node for node in found.nodes if any(gpu.free for gpu in node.devices))\n"
        "    return Nodes(nodes=tuple(nodes), source=found.source, revision=found.revision)\n\n",
        above=True,
    ),
)
"""Of a route: one row, one function."""

NOUN = (
    Edit(
        "jupyter_gpuquota/ports/backend.py",
        "from .inventory import Inventory",
        "from .licences import Licensing",
    ),
    Edit(
        "jupyter_gpuquota/ports/backend.py",
        "logs: Logs | None = field(",
        "    licensing: Licensing | None = field(\n"
        '        default=None, metadata=_lack("knows no licences")\n'
        "    )",
        above=True,
    ),
    Edit(
        "jupyter_gpuquota/memory/backend.py",
        "from ..model.sessions import Endpoint",
        "from ..model.licences import Licence",
        above=True,
    ),
    Edit(
        "jupyter_gpuquota/memory/backend.py",
        "ingress=MemoryIngress(",
        "        licensing=MemoryLicensing(),",
        above=True,
    ),
    Edit(
        "jupyter_gpuquota/memory/backend.py",
        "class MemoryIngress:",
        "class MemoryLicensing:\n"
        '    """Licences of a program that does not exist."""\n\n'
        "    def licences(self) -> tuple[Licence, ...]:\n"
        '        """Return all licences, by name."""\n'
        '        return (Licence(name="solver", total=4, free=3),)\n\n',
        above=True,
    ),
    Edit(
        "jupyter_gpuquota/client/clients.py",
        "from .listing import Listing",
        "from .licences import Licences",
        above=True,
    ),
    Edit(
        "jupyter_gpuquota/client/clients.py",
        "self.nodes = Nodes(self.context)",
        "        self.licences = Licences(self.context)",
    ),
    Edit(
        "labextension/src/views/panel/sections.ts",
        "const SECTIONS: readonly",
        "  { id: 'licences', rank: 150, size: 2, load: () => import('./licences') },",
    ),
)
"""Of a noun that is listed, beside the new files in `noun/`."""
