"""Reading the pods of a cluster, beside the official client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.report import Report, mb, ms
from ..measuring.timing import in_turn
from ..simulated.pods import pod

TITLE = "5,000 pods, from JSON to objects"
PODS = 5_000
SHARE = 0.1
ROOT = Path(__file__).resolve().parents[2]
OFFICIAL, LIST, WATCH = "official client, typed", "ours, a list", "ours, a watch into a cache"
WAYS = {OFFICIAL: "official", LIST: "list", WATCH: "watch"}


def measure(context: Context) -> Report:
    """Decode the same pods in each way in turn, each time in a new process."""
    report = Report()
    with TemporaryDirectory(prefix="gpuquota-bench-") as folder:
        files = _write(Path(folder))
        memory: dict[str, float] = {}
        sides: Mapping[str, Callable[[], float]] = {
            name: partial(_decode, way, files[way], name, memory) for name, way in WAYS.items()
        }
        samples = in_turn(context.rounds(5, 2), sides, warm_up=0)
        size = files["list"].stat().st_size
    table = report.table(f"{PODS:,} pods, {mb(size)}", "", "processor time", "of typed", "memory")
    for name, sample in samples.items():
        share = (sample / samples[OFFICIAL]).median
        table.add(name, ms(sample.median), f"{share:.1%}", f"+{mb(memory[name], 0)}")
    share = (samples[WATCH] / samples[OFFICIAL]).median
    report.judge("reading pods", f"{share:.1%} of typed", "at most 10 %", met=share <= SHARE)
    return report


def _write(folder: Path) -> dict[str, Path]:
    pods = [pod(number) for number in range(PODS)]
    whole = folder / "list.json"
    whole.write_text(json.dumps({"kind": "PodList", "metadata": {}, "items": pods}))
    events = folder / "watch.json"
    events.write_text("".join(json.dumps({"type": "ADDED", "object": it}) + "\n" for it in pods))
    return {"official": whole, "list": whole, "watch": events}


def _decode(way: str, file: Path, name: str, memory: dict[str, float]) -> float:
    command = [sys.executable, "-m", "benchmarks.clients.pods", way, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CouldNotMeasure(f"{name} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    if found["count"] != PODS:
        raise CouldNotMeasure(f"{name} read {found['count']} pods of {PODS}")
    memory[name] = found["bytes"]
    return float(found["seconds"])
