"""Many short processes: one has everything imported, and forks for each that is asked for.

    python -m tests.jobs.forks MODULE

Each line that it reads is a JSON list, the arguments of `main` of that module. It answers with a
line of JSON: the exit code (negative: the signal), and what was printed.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Ended(NamedTuple):
    """How a process has ended, and what it has printed."""

    code: int
    said: str


def steps_of(count: int, steps: int, seed: int) -> list[int]:
    """Return the steps at which the rounds of a storm kill: all in turn, from 0.

    Fewer rounds than steps are spread over all of them, and another seed chooses others.
    """
    if count >= steps:
        return [number % steps for number in range(count)]
    first = random.Random(seed).random()  # noqa: S311 (no secret)
    return [int((number + first) * steps / count) for number in range(count)]


class Forks:
    """Runs `main` of a module in new processes that need not import anything."""

    def __init__(self, module: str, **variables: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.jobs.forks", module],
            cwd=ROOT,
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: object) -> Ended:
        """Run a process to its end."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps([str(word) for word in words]), file=self._process.stdin, flush=True)
        return Ended(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def _fork(main: Callable[[Sequence[str]], int], words: Sequence[str]) -> Ended:
    with tempfile.TemporaryFile() as said:
        pid = os.fork()
        if not pid:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            _end(main, words)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said.seek(0)
        return Ended(code, said.read().decode(errors="replace"))


def _end(main: Callable[[Sequence[str]], int], words: Sequence[str]) -> None:
    """Run as the new process to its end."""
    code = 70
    try:
        code = main(words)
    except BaseException as error:  # noqa: BLE001 (the process ends here, whatever happens)
        print(repr(error))  # noqa: T201 (the test reads it)
    finally:
        sys.stdout.flush()
        os._exit(code)


def serve(module: str, lines: Any) -> None:
    """Fork for each line."""
    main = importlib.import_module(module).main
    for line in lines:
        print(json.dumps(_fork(main, json.loads(line))), flush=True)  # noqa: T201 (the test reads it)


if __name__ == "__main__":
    serve(sys.argv[1], sys.stdin)
