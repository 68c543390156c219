"""A step of the set-up says what it does, that it goes on, and why it failed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

STEP = Path(__file__).parents[2] / "scripts" / "step.sh"


def step(script: str, every: str = "10") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [STEP, "Installing it", "bash", "-c", script],
        env={**os.environ, "EVERY": every},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_step_says_what_it_does_and_hides_what_its_command_prints() -> None:
    ran = step("echo noise")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "Installing it\n", "")


def test_a_long_step_says_that_it_goes_on_and_what_was_printed_last() -> None:
    first, second, *_ = step("echo a; echo fetching 3 of 9; sleep 2.5", every="1").stdout.split(
        "\n"
    )
    assert first == "Installing it"
    assert second.startswith("  … Installing it: ")
    assert second.endswith(" s  fetching 3 of 9")


def test_a_step_that_fails_shows_what_its_command_printed() -> None:
    ran = step("echo no such package; exit 7")
    assert ran.returncode == 1
    assert ran.stdout == "Installing it\nno such package\n"
    assert ran.stderr.startswith("This step failed: Installing it (bash -c echo no such package")
