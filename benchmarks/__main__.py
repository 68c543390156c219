"""Benchmark the product and its peers: `python -m benchmarks [SECTION …] [--quick]`."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from importlib import import_module

from scripts.contained import adopt_orphans, end_descendants

from .context import Context
from .errors import CouldNotMeasure
from .measuring.background_load import BackgroundLoad
from .measuring.report import Report
from .systems.environment import Environment

SECTIONS = (
    "launch",
    "kernel",
    "start",
    "ingress",
    "bodies",
    "load",
    "thousand",
    "panel",
    "payload",
    "rounds",
    "idle",
    "signals",
    "notices",
    "kubernetes",
    "cluster",
    "datasets",
    "snapshots",
)
SELF_CONTAINED = frozenset({"snapshots"})
"""Sections that need no environment of the benchmarks' own."""


def main() -> int:
    """Run the requested sections; return 1 if something could not be measured."""
    options = _options()
    adopt_orphans()
    environment = Environment(peers=options.peers)
    context = Context(environment, options.quick, options.full, tuple(options.tools))
    reports: list[Report] = []
    problems: list[str] = []
    try:
        if not SELF_CONTAINED.issuperset(options.sections or SECTIONS):
            environment.set_up()
        for name in options.sections or SECTIONS:
            _measure(name, context, reports, problems)
    except CouldNotMeasure as problem:
        problems.append(f"the environment cannot be set up: {problem}")
    finally:
        end_descendants()
    _summary(reports, problems)
    return 1 if problems else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller bodies")
    parser.add_argument("--full", action="store_true", help="more and larger files")
    parser.add_argument(
        "--no-peers", dest="peers", action="store_false", help="install and measure no peers"
    )
    text = "only this tool, by itself: its name's beginning (snapshots)"
    parser.add_argument("--tool", action="append", dest="tools", default=[], help=text)
    options = parser.parse_args()
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"unknown section {name!r}; choose from {', '.join(SECTIONS)}")
    return options


def _measure(name: str, context: Context, reports: list[Report], problems: list[str]) -> None:
    section = import_module(f"benchmarks.sections.{name}")
    print(f"\n── {name}: {section.TITLE} ──\n", flush=True)
    background = BackgroundLoad()
    try:
        report = section.measure(context)
    except CouldNotMeasure as problem:
        problems.append(f"{name}: {problem}")
        print(f"not measured: {problem}", flush=True)
    except Exception as problem:  # noqa: BLE001 (one broken section must not hide the others)
        traceback.print_exc()
        problems.append(f"{name}: {problem!r}")
    else:
        reports.append(report)
        print("\n\n".join(str(table) for table in report.tables))
        print(
            f"\nother processes used {background.share():.0%} of all processors",
            flush=True,
        )


def _summary(reports: list[Report], problems: list[str]) -> None:
    print(f"\n── summary ({os.cpu_count()} processor cores) ──\n")
    for report in reports:
        for verdict in report.verdicts:
            print(f"  {verdict}")
    for problem in problems:
        print(f"  not measured  {problem}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
