"""Run one test several times, to find out why it fails now and then: `make again TEST=…`.

It says how often it passed. This is for a diagnosis: in `make test`, a test that fails has failed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FRONT_END = ROOT / "labextension"
TIMES = 5


def command(test: str) -> tuple[Path, list[str]]:
    """Return the folder and the command that run a test: a file, or one test of a Python file."""
    if test.startswith("labextension/ui-tests/"):
        return FRONT_END / "ui-tests", ["jlpm", "test", test.removeprefix("labextension/ui-tests/")]
    if test.startswith("labextension/"):
        return FRONT_END, ["jlpm", "test", test.removeprefix("labextension/")]
    cluster = ["python", "-m", "scripts.cluster", "run"] if "tests/cluster/" in test else []
    return ROOT, [*cluster, "pytest", "-p", "no:cacheprovider", test]


def main(test: str) -> int:
    """Run a test, print how often it passed, and return 1 unless it always did."""
    if not test:
        print("Name a test: make again TEST=tests/core/test_shares.py::test_a_share_is_exact")
        return 2
    folder, words = command(test)
    results = []
    for number in range(1, TIMES + 1):
        print(f"── {number} of {TIMES}: {' '.join(words)} ──", flush=True)
        results.append(subprocess.run(words, cwd=folder, check=False).returncode == 0)
    print(f"\n{test} passed {sum(results)} of {TIMES} times")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
