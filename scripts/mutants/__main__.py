"""Change modules by chance, one at a time, and see whether the tests notice.

    python -m scripts.mutants [SEED]

Prints each mutant that no test has noticed with its diff, and the share of those that were noticed.
A mutant that survives is a missing test, or changes nothing that anybody could see. The tests run
in copies of this tree.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

from .mutations import Mutation, mutations
from .tests import LAYERS, PACKAGE, Imports

ROOT = Path(__file__).resolve().parents[2]
COUNT, PARALLEL = 70, 2
LIMIT = 1200.0
"""Seconds for the tests of one mutant, on a busy machine too."""
FAILED, NOTHING = {1, 2}, 5
"""Exit codes of pytest: tests have failed, or a file could not be read; there was no test."""
MADE = (".git", ".venv*", ".*_cache", ".hypothesis", "node_modules", "reports", "ui-tests")


class Result(NamedTuple):
    """What became of a mutant."""

    mutation: Mutation
    verdict: str
    """`killed`, `survived`, or `undecided`: time was up."""
    note: str
    """The test that failed, else the diff."""


def main(arguments: list[str]) -> int:
    """Try the mutants of a seed, and print what became of them."""
    seed = int(arguments[0]) if arguments else random.SystemRandom().randrange(2**32)
    print(f"Seed {seed}", flush=True)
    chance = random.Random(seed)  # noqa: S311 (no secret)
    chosen = list(choose(chance))
    chance.shuffle(chosen)  # so that a run that is ended early says something of all layers
    imports = Imports(ROOT)
    with TemporaryDirectory(prefix="mutants-") as folder:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(PARALLEL):
            trees.put(copied(Path(folder, str(number))))
        with ThreadPoolExecutor(PARALLEL) as pool:
            results = []
            running = [pool.submit(tried, each, imports, trees) for each in chosen]
            for done in as_completed(running):
                show(done.result())
                results.append(done.result())
    count = {verdict: [each.verdict for each in results].count(verdict) for verdict in VERDICTS}
    decided = count["killed"] + count["survived"]
    print(f"Seed {seed}: {count}, {count['killed'] / max(decided, 1):.0%} of those decided killed")
    return 0


VERDICTS = ("killed", "survived", "undecided")


def choose(chance: random.Random) -> Iterator[Mutation]:
    """Return mutations, one a module, spread over the layers by their size."""
    modules = {layer: sorted((ROOT / PACKAGE / layer).rglob("*.py")) for layer in LAYERS}
    sizes = {layer: sum(path.stat().st_size for path in paths) for layer, paths in modules.items()}
    for layer, paths in modules.items():
        quota = max(1, round(COUNT * sizes[layer] / sum(sizes.values())))
        # The larger a module, the sooner it comes.
        paths.sort(key=lambda path: chance.random() ** (1 / (path.stat().st_size + 1)))
        found = filter(None, (one_of(path, chance) for path in reversed(paths)))
        yield from (each for each, _ in zip(found, range(quota), strict=False))


def one_of(path: Path, chance: random.Random) -> Mutation | None:
    """Return a mutation of a module: its kind first, as some kinds have many places."""
    found = mutations(str(path.relative_to(ROOT)), path.read_bytes())
    if not found:
        return None
    kind = chance.choice(sorted({each.kind for each in found}))
    return chance.choice([each for each in found if each.kind == kind])


def copied(tree: Path) -> Path:
    """Copy this tree."""
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*MADE), symlinks=True)
    return tree


def tried(mutation: Mutation, imports: Imports, trees: SimpleQueue[Path]) -> Result:
    """Run the tests of a mutant in a free copy: those that import it, then those of its layer."""
    tree = trees.get()
    path = tree / mutation.file
    source = path.read_bytes()
    near = imports.tests_of(mutation.file)
    layer = [each for each in imports.layer_of(mutation.file) if each not in near]
    try:
        path.write_bytes(mutation.applied(source))
        for files in filter(None, (near, layer)):
            code, said = tested(tree, files)
            if code in FAILED:
                return Result(mutation, "killed", said)
            if code not in {0, NOTHING}:
                return Result(mutation, "undecided", f"{said}\n{mutation.diff(source)}")
        return Result(mutation, "survived", mutation.diff(source))
    finally:
        path.write_bytes(source)
        trees.put(tree)


def tested(tree: Path, files: list[str]) -> tuple[int, str]:
    """Run test files until one fails; return the exit code, and the test that failed."""
    # Compiled files are told apart by seconds and sizes only.
    env = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not rare and not storm"]
    command = [sys.executable, "-m", "pytest", *options, f"--basetemp={tree}-t", *files]
    try:
        done = subprocess.run(
            command, cwd=tree, env=env, capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode, failed[0] if failed else ""


def show(result: Result) -> None:
    """Print what became of a mutant."""
    mutation = result.mutation
    print(f"{result.verdict}: {mutation.file}:{mutation.line}, {mutation.kind}")
    print(result.note[:1000], flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
