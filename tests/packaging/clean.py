"""Clean places for the packaging tests: copies of the sources and fresh virtual environments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

ROOT = Path(__file__).resolve().parents[2]

# Would let a Python or a Jupyter look beyond its own virtual environment.
LEAKS = ("PYTHON", "JUPYTER", "VIRTUAL_ENV", "REPORTS")


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and the variables for what runs in it."""

    folder: Path
    variables: dict[str, str]

    def install(self, *requirements: str) -> None:
        """Install packages as pip would, sooner."""
        command = ["uv", "pip", "install", "--quiet", "--python", str(self.folder), *requirements]
        subprocess.run(command, check=True)

    def run(self, *command: str, cwd: Path) -> str:
        """Run one of its programs and return what it says, on whichever stream."""
        program = str(self.folder / "bin" / command[0])
        result = subprocess.run(
            [program, *command[1:]],
            cwd=cwd,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}"
        return result.stdout


def make_environment(folder: Path, *, system_programs: bool) -> Environment:
    """Create a virtual environment; its PATH has nothing else unless asked for."""
    subprocess.run(["uv", "venv", "--quiet", "--seed", folder / "venv"], check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}
    kept["PATH"] = str(folder / "venv" / "bin")
    if system_programs:
        ours = str(Path(sys.prefix) / "bin")
        others = [path for path in os.environ["PATH"].split(os.pathsep) if path != ours]
        kept["PATH"] = os.pathsep.join([kept["PATH"], *others])
    for name in ("CONFIG", "DATA", "RUNTIME"):
        kept[f"JUPYTER_{name}_DIR"] = str(folder / "jupyter" / name.lower())
    return Environment(folder / "venv", kept)


def copy_sources(target: Path) -> Path:
    """Copy the files of this project, and nothing that a build or a test has made.

    What those make is what .gitignore names; git itself need not be there.
    """
    made = GitIgnoreSpec.from_lines((ROOT / ".gitignore").read_text("utf-8").splitlines())

    def left_out(folder: str, names: list[str]) -> list[str]:
        inside = Path(folder).relative_to(ROOT)
        paths = {name: f"{inside / name}{'/' * (ROOT / inside / name).is_dir()}" for name in names}
        return [name for name, path in paths.items() if name == ".git" or made.match_file(path)]

    shutil.copytree(ROOT, target, ignore=left_out)
    return target
