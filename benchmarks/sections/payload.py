"""The code that a browser and a kernel load."""

from __future__ import annotations

import gzip
import subprocess
from functools import partial
from pathlib import Path

from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.report import Report, half_ms, ms, signed_ms
from ..measuring.timing import in_turn
from ..systems.environment import OURS, Environment, Extension

TITLE = "what a browser and a kernel have to load"
PAYLOAD_BYTES = 100e3
IMPORT_SECONDS = 0.060

# What a kernel has loaded before its user's first line.
KERNEL = "import ipykernel.kernelapp, ipykernel.ipkernel"
IMPORTS = {
    "nothing": "pass",
    "import jupyter_gpuquota": "import jupyter_gpuquota",
    "from jupyter_gpuquota import Client": "from jupyter_gpuquota import Client",
    "import ipywidgets": "import ipywidgets",
    "import requests": "import requests",
}
TARGET = "from jupyter_gpuquota import Client"


def measure(context: Context) -> Report:
    """Measure the sizes of front ends, and time imports in new interpreters in turn."""
    report = Report()
    _payload(context.environment, report)
    _imports(context, report, "a fresh interpreter", "")
    _imports(context, report, "a kernel", KERNEL)
    return report


def _payload(environment: Environment, report: Report) -> None:
    table = report.table("Front end, gzip -9 of all its scripts and styles", "", "kB", "files")
    for extension in (OURS, *environment.peers):
        size, count = _weigh(environment, extension)
        table.add(extension.package, f"{size / 1e3:.0f}", str(count))
        if extension is OURS:
            report.judge(
                "front-end payload",
                f"{size / 1e3:.0f} kB",
                "at most 100 kB",
                met=size <= PAYLOAD_BYTES,
            )
    table.note("without source maps and licence texts, which browsers do not load")


def _weigh(environment: Environment, extension: Extension) -> tuple[int, int]:
    files = [
        path
        for folder in extension.folders
        for path in (environment.labextensions / folder).rglob("*")
        if path.suffix in {".js", ".css"}
    ]
    if not files:
        raise CouldNotMeasure(
            f"{extension.package} has no front end in {environment.labextensions}"
        )
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in files), len(files)


def _imports(context: Context, report: Report, where: str, before: str) -> None:
    sides = {
        name: partial(_import, context.environment.python, before, statement)
        for name, statement in IMPORTS.items()
        if context.environment.peers or statement != "import requests"
    }
    samples = in_turn(context.rounds(25, 7), sides)
    table = report.table(f"Imports in {where}", "", "median", "middle half", "added")
    for name, sample in samples.items():
        added = "" if name == "nothing" else signed_ms((sample - samples["nothing"]).median, 1)
        table.add(name, ms(sample.median, 1), half_ms(sample, 1), added)
    if before:
        figure = samples[TARGET].median
        report.judge(
            f"import of our client in {where}",
            ms(figure, 1),
            "at most 60 ms",
            met=figure <= IMPORT_SECONDS,
        )


def _import(python: str, before: str, statement: str) -> float:
    """Return the time of a statement in a new interpreter."""
    program = f"{before}\nimport time\nt = time.perf_counter()\n{statement}\n"
    program += "print(time.perf_counter() - t)"
    result = subprocess.run(
        [python, "-c", program], cwd=Path("/"), capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise CouldNotMeasure(f"`{statement}` failed: {result.stderr.strip().splitlines()[-1]}")
    return float(result.stdout)
