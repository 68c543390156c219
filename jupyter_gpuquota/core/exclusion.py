"""What is not stored of a folder: what can be made again, and what the user excludes.

A user's patterns are those of gitignore: the last one that matches decides, and one with `!` brings
back what a rule would leave out. A pattern never brings back secrets or the product's own state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pathspec import GitIgnoreSpec

from ..errors import FieldError
from ..model.snapshots.manifest import PartProblem

IGNORE_FILE = ".gpuquotaignore"
"""The file with the patterns of a folder, in the folder itself."""
CACHE = "Caches are not stored."
ENVIRONMENT = "Environments are not stored: they can be made again."
STATE = "State of jupyter-gpuquota and of Jupyter is not stored: it has tokens, and lakes."
_COMPILED = "Compiled Python is not stored: it is made again."
_MODULES = "Packages of Node are not stored: they can be installed again."
_NAMES = {".cache": CACHE, "__pycache__": _COMPILED, "node_modules": _MODULES}
_RUNTIME = "jupyter/runtime"
_LEFT = "left out:"
_SHOWN = 3
_LONGEST = 1000
"""The most letters of a pattern."""
_MOST = 1000


def by_name(folder: str) -> str:
    """Return why a folder is left out, by its path; empty if it is not."""
    return _NAMES.get(folder.rpartition("/")[2], "")


def is_runtime(folder: str) -> bool:
    """Return whether a folder is that of Jupyter's running kernels and servers, by its path."""
    return f"/{folder}".endswith(f"/{_RUNTIME}")


class Patterns:
    """Patterns by which a user decides; later ones override earlier ones."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._lines = [line for line in lines if line.strip() and not line.startswith("#")]
        self._spec = GitIgnoreSpec.from_lines(self._lines)

    def excludes(self, path: str) -> bool | None:
        """Return whether they leave a path out, None if none matches.

        The path of a folder ends with `/`.
        """
        return self._spec.check_file(path).include if self._lines else None

    def which(self, path: str) -> str:
        """Return the pattern that decides on a path, empty if none matches."""
        index = self._spec.check_file(path).index
        return "" if index is None else self._lines[index].strip()


def summary(problems: Iterable[PartProblem]) -> str:
    """Return in a sentence what a snapshot left out, empty if nothing."""
    every = [each.part for each in problems]
    parts = [part for part in every if part.startswith(_LEFT)]
    names = [part.removeprefix(_LEFT) for part in parts[:_SHOWN]]
    if not names:
        return ""
    others = len(parts) - len(names)
    more = f" and {others} more" if others else ""
    if _LEFT.rstrip(":") in every:  # others are not named
        more = " and many more"
    return f"Left out: {', '.join(names)}{more}."


def check_patterns(field: str, patterns: Sequence[str]) -> list[FieldError]:
    """Return what is wrong with patterns in a request."""
    wrong = [
        FieldError(f"{field}[{index}]", f"{pattern[:_LONGEST]!a}: {why}")
        for index, pattern in enumerate(patterns)
        if (why := problem(pattern))
    ]
    if len(patterns) > _MOST:
        wrong.append(FieldError(field, f"Use at most {_MOST:,} patterns."))
    return wrong


def problem(pattern: str) -> str:
    """Return why a line is no pattern, empty if it is one."""
    if not pattern.strip() or "\n" in pattern or len(pattern) > _LONGEST:
        return "Write one pattern as in .gitignore, such as data/*.bin."
    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return "This is no pattern of gitignore."
    return ""
