"""Print what building this package needs, so that it is written down in pyproject.toml only."""

import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def main() -> None:
    """Print one requirement per line: the build backend's and those of its hooks."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    hooks = project["tool"]["hatch"]["build"]["hooks"].values()
    hook_requirements = [name for hook in hooks for name in hook.get("dependencies", [])]
    for requirement in [*project["build-system"]["requires"], *hook_requirements]:
        print(requirement)


if __name__ == "__main__":
    main()
