"""Print the build requirements of this package from pyproject.toml, their only source."""

import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def main() -> None:
    """Print the requirements of the build backend and of its hooks, one per line."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    hooks = project["tool"]["hatch"]["build"]["hooks"].values()
    hook_requirements = [name for hook in hooks for name in hook.get("dependencies", [])]
    for requirement in [*project["build-system"]["requires"], *hook_requirements]:
        print(requirement)


if __name__ == "__main__":
    main()
