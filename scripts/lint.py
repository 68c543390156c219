"""Run every static check, continuing after failures.

Writes a JUnit report, so `make test` counts these checks like tests.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT, run
from xml.etree.ElementTree import Element, ElementTree, SubElement

ROOT = Path(__file__).resolve().parents[1]
REPORTS = Path(os.environ.get("REPORTS", ROOT / "reports"))


@dataclass(frozen=True)
class Check:
    """A command that passes with exit code 0."""

    name: str
    command: tuple[str, ...]
    folder: Path = ROOT


FRONT_END = ROOT / "labextension"

# Outside the checkout: a fresh clone checks only what differs from the last one.
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "jupyter_gpuquota", "lint")


def _by_content(name: str) -> tuple[str, ...]:
    """Return the options of eslint and prettier for a cache that trusts no times of files."""
    return ("--cache", "--cache-strategy", "content", "--cache-location", str(CACHE / name))


BUILD_INFO = ("--incremental", "--tsBuildInfoFile", str(CACHE / "tsc"))
CHECKS = (
    Check("ruff check", ("ruff", "check", ".")),
    Check("ruff format", ("ruff", "format", "--check", ".")),
    Check("mypy", ("mypy", "--cache-dir", str(CACHE / "mypy"))),
    Check("import layers", ("lint-imports", "--no-logo", "--no-cache")),
    Check("links", (sys.executable, "scripts/check_links.py")),
    Check("generated types", (sys.executable, "-m", "jupyter_gpuquota.api.schema", "--check")),
    Check("tsc", ("jlpm", "typecheck", *BUILD_INFO), FRONT_END),
    Check("eslint", ("jlpm", "eslint:check", *_by_content("eslint")), FRONT_END),
    Check("prettier", ("jlpm", "prettier:check", *_by_content("prettier")), FRONT_END),
    Check("stylelint", ("jlpm", "stylelint:check"), FRONT_END),
)


def main() -> int:
    """Run all checks and return 1 if any failed."""
    suite = Element("testsuite", name="lint", tests=str(len(CHECKS)))
    failed = sum(not passes(check, suite) for check in CHECKS)
    suite.set("failures", str(failed))
    REPORTS.mkdir(exist_ok=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    ElementTree(suite).write(REPORTS / "lint.xml", encoding="utf-8", xml_declaration=True)
    return 1 if failed else 0


def passes(check: Check, suite: Element) -> bool:
    """Run one check, print its output if it fails, and add it to the report."""
    started = time.monotonic()
    result = run(
        check.command, cwd=check.folder, stdout=PIPE, stderr=STDOUT, text=True, check=False
    )
    seconds = f"{time.monotonic() - started:.1f}"
    case = SubElement(suite, "testcase", classname="lint", name=check.name, time=seconds)
    passed = result.returncode == 0
    print(f"{'ok    ' if passed else 'FAILED'} {check.name} ({seconds} s)", flush=True)
    if not passed:
        print(result.stdout, flush=True)
        SubElement(case, "failure", message=f"{check.name} failed").text = result.stdout
    return passed


if __name__ == "__main__":
    sys.exit(main())
