"""Which paths of a folder on disk are left out of a version, and why."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core import exclusion
from ..core.exclusion import CACHE, ENVIRONMENT, IGNORE_FILE, STATE, Patterns
from ..core.snapshots import redaction
from ..errors import FieldError, refused
from .entries import FOLDER, LINK, Mode
from .paths import printable
from .tree import Found

_CACHE_TAG = "CACHEDIR.TAG"
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
"""What a tag of a cache begins with: see https://bford.info/cachedir/."""
_VENV = "pyvenv.cfg"
_CONDA = "conda-meta"
_OF_VENV = frozenset(
    {
        _VENV,
        _CACHE_TAG,
        *(".gitignore", ".lock", "bin", "etc", "include", "lib", "lib64", "man", "sbin"),
        *("share", "var"),
    }
)
"""What a virtual environment consists of."""
_PACKAGES = re.compile(r"(?P<around>(?:.*/)?)lib(?:64)?/python3\.[0-9]+", re.DOTALL)
"""The folder with the packages of an environment, or of an account: `pip install --user`."""
_OF_USER = ".local/"
_OURS = ".gpuquota"
"""The folder with a session's hooks, and what a snapshot adds: no pattern is about it."""
_STATE = "controller.lock"
_BESIDE = ("controller.log", "sessions", "state.db")
_MANIFESTS = "manifests"
_LAKE = ("datasets", _MANIFESTS)
_FAN = re.compile(r"[0-9a-f]{2}")
_EXCLUDE = f"Sync another folder, or write its path in {IGNORE_FILE}."
_LARGEST_FILE = 1 << 20
"""The most bytes of a file of patterns."""


def own_patterns(root: Path) -> tuple[Sequence[str], str]:
    """Return the lines of a folder's file of patterns, and what is wrong with it.

    Lines that are no patterns are left out, as git does.
    """
    try:
        handle = os.open(root / IGNORE_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return (), ""
    except OSError as error:
        why = "It is a link" if error.errno == errno.ELOOP else error.strerror
        return (), f"It cannot be read: {why}."
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return (), "It is not a file of patterns."
    with os.fdopen(handle, "rb") as file:
        body = file.read(_LARGEST_FILE + 1)
    if len(body) > _LARGEST_FILE:
        return (), f"It has more than {_LARGEST_FILE:,} bytes."
    lines = [os.fsdecode(line) for line in body.removeprefix(b"\xef\xbb\xbf").splitlines()]
    wrong = [
        number
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#") and exclusion.problem(line)
    ]
    good = [line for number, line in enumerate(lines, 1) if number not in wrong]
    numbers = ", ".join(map(str, wrong[:5]))
    return good, f"These lines are no patterns of gitignore: {numbers}." if wrong else ""


def has_tokens(root: Path, path: str) -> bool:
    """Return whether a folder is the state of a controller, or that of Jupyter."""

    def has(name: str) -> bool:
        return os.path.lexists(f"{root}/{path}/{name}")

    return exclusion.is_runtime(path) or (has(_STATE) and any(map(has, _BESIDE)))


def _is_lake(root: Path, path: str) -> bool:
    """Return whether a folder is a lake."""
    there = all(os.path.lexists(f"{root}/{path}/{name}") for name in _LAKE)
    return there and _is_fanned(root / path / _MANIFESTS)


def _is_fanned(folder: Path) -> bool:
    """Return whether a folder has only such folders as a lake spreads its objects over."""
    names = _names(folder)
    return bool(names) and all(map(_FAN.fullmatch, names))


def _names(folder: Path) -> list[str]:
    """Return what a folder has, nothing for one that cannot be read."""
    try:
        return [each.name for each in folder.iterdir()]
    except OSError:
        return []


class Ignored:
    """What patterns leave out of a version of a dataset.

    Raises InvalidFields for a folder's own patterns that cannot be read.
    """

    def __init__(self, root: Path, patterns: Iterable[str] = ()) -> None:
        lines, problem = own_patterns(root)
        if problem:
            raise refused(FieldError(f"folder.{IGNORE_FILE}", problem, "Mend or remove it."))
        self._root = root
        self._patterns = Patterns((*lines, *patterns))

    def __call__(self, found: Found) -> bool:
        """Return whether a path is left out.

        Raises InvalidFields for a folder with tokens of the product that is not.
        """
        if self._patterns.excludes(_named(found.path, found.mode)):
            return True
        if found.mode == FOLDER and has_tokens(self._root, found.path):
            name = printable(found.path)
            text = f"{name} is state of jupyter-gpuquota or of Jupyter: it has tokens."
            raise refused(FieldError(f"folder.{name}", text, _EXCLUDE))
        return False


@dataclass(frozen=True, slots=True)
class Rules:
    """What a snapshot leaves out besides what every one does.

    `patterns` follow those in the folder's own file. `own` are absolute paths of the product's
    state and of Jupyter's.
    """

    patterns: Sequence[str] = ()
    own: Sequence[str] = ()


NO_RULES = Rules()


class Exclusion:
    """What is left out of a snapshot of a folder.

    The folder is read at `root`, where it may be a frozen view of `folder`.
    """

    def __init__(self, root: Path, rules: Rules = NO_RULES, folder: Path | None = None) -> None:
        lines, self.problem = own_patterns(root)
        """What is wrong with the folder's own file of patterns, empty if nothing is."""
        self._root = root
        self._patterns = Patterns((*lines, *rules.patterns))
        self._own = frozenset(_below(folder or root, rules.own))

    def why(self, path: str, mode: Mode) -> str:
        """Return why a path is left out, empty if it is not: `has_key` knows more of a file."""
        if path in self._own or (mode == FOLDER and self._is_state(path)):
            return STATE
        name = _named(path, mode)
        is_ours = name.startswith(f"{_OURS}/")
        decided = None if is_ours else self._patterns.excludes(name)
        if decided:
            return f"Excluded by {self._patterns.which(name)}"
        if mode == FOLDER:
            return self._why_folder(path) if decided is None else ""
        return redaction.LEFT_OUT if mode != LINK and redaction.secret_path(path) else ""

    def has_key(self, path: str, size: int) -> bool:
        """Return whether a file that may hold a key or a token does. Raises OSError."""
        handle = os.open(f"{self._root}/{path}", _READ)
        try:
            return redaction.secret_content(path, _read(handle, size))
        finally:
            os.close(handle)

    def _why_folder(self, path: str) -> str:
        """Return why a folder is left out that can be made again, empty for others."""
        if why := exclusion.by_name(path):
            return why
        if self._is_environment(path):
            return ENVIRONMENT
        return CACHE if self._is_cache(path) else ""

    def _is_state(self, path: str) -> bool:
        return has_tokens(self._root, path) or _is_lake(self._root, path)

    def _is_environment(self, path: str) -> bool:
        """Return whether a folder is an environment, or has the packages of one around it."""

        def has(name: str) -> bool:
            return os.path.lexists(f"{self._root}/{name}")

        if has(f"{path}/{_CONDA}"):
            return True
        if has(f"{path}/{_VENV}"):
            # Who makes one in a folder of a project has code beside it.
            return _OF_VENV.issuperset(_names(self._root / path))
        if not (found := _PACKAGES.fullmatch(path)):
            return False
        around = found["around"]
        return around.endswith(_OF_USER) or has(f"{around}{_VENV}") or has(f"{around}{_CONDA}")

    def _is_cache(self, path: str) -> bool:
        try:
            handle = os.open(f"{self._root}/{path}/{_CACHE_TAG}", _READ)
        except OSError:
            return False
        try:
            return os.read(handle, len(_SIGNATURE)) == _SIGNATURE
        except OSError:
            return False
        finally:
            os.close(handle)


_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def _read(handle: int, size: int) -> bytes:
    """Return the bytes of an open file that had a size, and is not larger than is looked through.

    Raises OSError.
    """
    body = os.read(handle, size)
    while len(body) < size and (more := os.read(handle, size - len(body))):
        body += more  # some network file systems return less than is there
    return body


def _named(path: str, mode: Mode) -> str:
    """Return a path as patterns know it: that of a folder ends with `/`."""
    return f"{path}/" if mode == FOLDER else path


def _below(root: Path, paths: Iterable[str]) -> Iterable[str]:
    """Yield which of some paths are below a folder, relative to it; links are followed."""
    real = root.resolve()
    for each in paths:
        found = Path(each).resolve()
        if found != real and found.is_relative_to(real):
            yield str(found.relative_to(real))
