"""What is checked out in git repositories, without anything that a repository configures.

The configuration of a repository can name programs: filters, monitors, hooks, helpers that compare
or fetch. So git runs here with an administrative folder of our own, which has the repository's
objects and copies of its index and references, but neither its configuration nor its hooks. There
is nothing to switch off, whichever settings a version of git knows.

Like `parts`, this module is carried into sessions: the standard library and Python 3.8 only.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import (  # noqa: UP035 (Python 3.8 in sessions)
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
)

from ...beneath import open_beneath
from ...core.snapshots import redaction

_PATIENCE = 60.0
_DEPTH = 2
"""How far below the folder repositories are looked for."""
_REPOSITORIES = 20
_DIFF = ("diff", "--binary", "--no-color", "--submodule=short", "--ignore-submodules=dirty")
"""For changes inside of a submodule, git would run there with what the submodule configures."""
_NAMED = 200
"""Untracked paths that are named at most."""
_LARGE = 64 << 20
"""The size above which the changes of a file are not in the patch."""
_READ = r"^(core|extensions)\.|^remote\.origin\.url$"
_COMPARED = re.compile(
    r"core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat)"
)
"""Settings of a repository by which its files are compared."""
_FORMAT = re.compile(r"extensions\.(objectformat|refstorage)")
_WORD = re.compile(r"[A-Za-z0-9]{0,16}", re.ASCII)
"""The values of both."""
_IGNORED = "core.excludesfile"
"""The setting of an account that names its own ignored files."""
_REF = re.compile(rb"ref: (refs/[!-~]+)\s*")
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n"
    rb"(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize \d+\n"
)
_REMOTE = "remote.origin.url"
_CHUNK = 1 << 20


class Repository(NamedTuple):
    """One repository: the fields of a `GitPart`, its patch, and what the patch does not have."""

    part: Dict[str, Any]  # noqa: UP006 (Python 3.8 in sessions)
    patch: bytes
    problems: List[str]  # noqa: UP006


def repositories(root: Path) -> Iterator[Path]:
    """Yield the folders of repositories: the folder itself, and those a little below it.

    Raises ValueError after very many.
    """
    found = [root] if (root / ".git").exists() else []
    level = [root]
    for _ in range(_DEPTH):
        level = [each for folder in level for each in _folders(folder)]
        found += [folder for folder in level if (folder / ".git").exists()]
    yield from found[:_REPOSITORIES]
    if len(found) > _REPOSITORIES:
        raise ValueError(f"Only the first {_REPOSITORIES} repositories are recorded.")


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                Path(each.path)
                for each in entries
                if each.is_dir(follow_symlinks=False) and each.name != ".git"
            )
    except OSError:
        return []


def named(root: Path, folder: Path) -> str:
    """Return the part of a manifest that a repository is, to say what is wrong with it."""
    return "git" if folder == root else f"git:{folder.relative_to(root)}"


def origin(folder: Path) -> dict[str, Any]:
    """Return which commit of which repository is where a folder lies, nothing without one.

    It is `dirty` if files that git knows have other contents.
    """
    whole = folder.resolve()
    top = next((each for each in (whole, *whole.parents) if (each / ".git").exists()), None)
    if top is None:
        return {}
    try:
        with _checkout(top, top) as git:
            names = git.differing()
            found: Dict[str, Any] = {  # noqa: UP006 (Python 3.8 in sessions)
                "commit": git.head,
                "remote": redaction.address(git.remote),
                "dirty": len(git.unchanged(names)) < len(names),
            }
    except (OSError, ValueError, subprocess.SubprocessError):
        return {}
    below = whole.relative_to(top).as_posix()
    return {**found, "subdirectory": "" if below == "." else below} if found["commit"] else {}


def repository(
    root: Path, folder: Path, secrets: Iterable[str] = (), live: Path | None = None
) -> Repository:
    """Return what is checked out in a folder, which is named by its path below `root`.

    `live` is the folder of which `root` is a view, if it is one. The patch has none of the
    secrets, and leads from the committed bytes to those of the files: no filter runs. Raises
    OSError, ValueError, subprocess.SubprocessError where the repository cannot be read.
    """
    below = folder.relative_to(root)
    with _checkout(folder, (live or root) / below) as git:
        names = git.differing()
        same = git.unchanged(names)
        large = [name for name in names if name not in same and _size(folder / name) > _LARGE]
        secret = [name for name in names if _is_secret(folder, name)]
        patch = redaction.text(git.patch({*same, *large, *secret}), secrets)
        known = git.names("ls-files", "--others", "--exclude-standard")
        untracked = sorted(redaction.text(name) for name in known)
        part = {
            "folder": str(below),
            "remote": redaction.address(git.remote),
            "commit": git.head,
            "branch": git.run("symbolic-ref", "--short", "--quiet", "HEAD", check=False).strip(),
            "dirty": len(same) < len(names) or bool(untracked),
            "untracked": untracked[:_NAMED],
            "all_untracked": len(untracked),
        }
    why = f"Its changes are not in the patch: it is larger than {_LARGE >> 20} MiB."
    problems = [f"{redaction.text(name)}: {why}" for name in large]
    return Repository(part, patch.encode(errors="surrogateescape"), problems)


def _is_secret(folder: Path, name: str) -> bool:
    """Return whether a file is one of credentials or keys, by its path or what it contains."""
    if redaction.secret_path(name):
        return True
    if not redaction.may_hold_key(name, _size(folder / name)):
        return False
    try:
        with os.fdopen(open_beneath(folder, name), "rb") as file:
            return redaction.secret_content(name, file.read(redaction.LARGEST))
    except OSError:
        return False  # its bytes are not in the patch, either


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


class _Checkout:
    """Runs git on the files of a folder, with an administrative folder of our own."""

    def __init__(self, folder: Path, own: Path, settings: dict[str, str]) -> None:
        self.remote = settings.pop(_REMOTE, "")
        self._folder = folder
        self._own = own
        self._settings = [w for name in settings for w in ("-c", f"{name}={settings[name]}")]
        self.run("rev-parse", "--git-dir")  # a better error than that of what comes
        self.head = self.run("rev-parse", "--verify", "--quiet", "HEAD", check=False).strip()
        self._base = "HEAD" if self.head else "--cached"

    def run(self, *words: str, check: bool = True, given: str = "") -> str:
        """Return what git prints. Raises OSError, subprocess.SubprocessError."""
        answer = _run(
            [*self._settings, *words],
            self._folder,
            {
                "GIT_DIR": str(self._own),
                "GIT_WORK_TREE": str(self._folder),
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_OPTIONAL_LOCKS": "0",
            },
            given.encode(errors="surrogateescape"),
            check=check,
        )
        return answer.decode(errors="surrogateescape")

    def names(self, *words: str) -> list[str]:
        """Return the paths that git prints."""
        return [each for each in self.run(*words, "-z").split("\0") if each]

    def differing(self) -> list[str]:
        """Return the paths of files whose bytes are not those that are committed."""
        return self.names(*_DIFF, "--name-only", self._base)

    def unchanged(self, names: Iterable[str]) -> set[str]:
        """Return which of these files have the content that a pointer of Git LFS names."""
        given = "".join(f"{name}\0" for name in names)
        said = self.run("check-attr", "-z", "--stdin", "filter", given=given).split("\0")
        large = (name for name, value in zip(said[::3], said[2::3]) if value == "lfs")  # noqa: B905 (Python 3.8)
        return {name for name in large if self._is_pointed_at(name)}

    def patch(self, left_out: Iterable[str]) -> str:
        """Return the changes of all files but some."""
        others = (f":(exclude,literal,top){name}" for name in left_out)
        return self.run(*_DIFF, self._base, "--", ".", *others)

    def _is_pointed_at(self, name: str) -> bool:
        blob = self.run("cat-file", "blob", f"HEAD:{name}", check=False)
        pointer = _POINTER.fullmatch(blob.encode(errors="surrogateescape"))
        if not pointer:
            return False
        digest = hashlib.sha256()
        try:
            with os.fdopen(open_beneath(self._folder, name), "rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
        except OSError:
            return False
        return digest.hexdigest().encode() == pointer.group(1)


@contextmanager
def _checkout(folder: Path, live: Path) -> Iterator[_Checkout]:
    """Yield what runs git on a checkout. Raises OSError, ValueError, CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="gpuq-git-") as name:
        own = Path(name)
        account = _settings(["--includes"], own)
        admin, common, settings = _places(folder, live, own)
        safe = {name: value for name, value in settings.items() if _WORD.fullmatch(value)}
        form = {name: value for name, value in safe.items() if _FORMAT.fullmatch(name)}
        _administration(own, admin, common, form)
        kept = {
            **{n: v for n, v in account.items() if _COMPARED.fullmatch(n) or n == _IGNORED},
            **{n: v for n, v in safe.items() if _COMPARED.fullmatch(n)},
            _REMOTE: settings.get(_REMOTE, ""),
        }
        try:
            yield _Checkout(folder, own, kept)
        except subprocess.CalledProcessError as error:
            error.stderr = error.stderr.replace(os.fsencode(own), os.fsencode(folder / ".git"))
            raise


def _places(folder: Path, live: Path, own: Path) -> tuple[Path, Path, dict[str, str]]:
    """Return the administrative folders of a checkout and of its repository, and its settings.

    They lie elsewhere only if they name the checkout, as those of worktrees and submodules do: a
    folder that comes from elsewhere must not lead to another repository of the account.
    """
    dot = folder / ".git"
    if dot.is_symlink():
        raise ValueError("Its .git is a link: it may lead to another repository.")
    if dot.is_dir():
        settings = _settings_of(dot, own)
        if _text(dot, "commondir"):
            raise ValueError("Its .git names another repository.")
        if settings.get("core.bare") == "true":
            raise ValueError("It is a bare repository, without files.")
        return dot, dot, settings
    admin = Path(os.path.realpath(folder / _text(folder, ".git").partition("gitdir: ")[2]))
    if back := _text(admin, "gitdir"):
        common = Path(os.path.realpath(admin / _text(admin, "commondir")))
        is_ours = admin.parent == common / "worktrees" and _same(admin / back, live / ".git")
        settings = _settings_of(common, own)
    else:
        common, settings = admin, _settings_of(admin, own)
        tree = settings.get("core.worktree")
        is_ours = tree is not None and any(_same(admin / tree, each) for each in (folder, live))
    if not is_ours:
        raise ValueError("Its repository lies elsewhere, and has no worktree here.")
    return admin, common, settings


def _same(path: Path, other: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _text(folder: Path, path: str) -> str:
    """Return the one line of a small file, empty if it is not there."""
    with suppress(FileNotFoundError):
        return os.fsdecode(_body(folder, path)).strip()
    return ""


def _body(folder: Path, path: str) -> bytes:
    with os.fdopen(open_beneath(folder, path), "rb") as file:
        return file.read()


def _administration(own: Path, admin: Path, common: Path, form: dict[str, str]) -> None:
    """Fill an administrative folder with what git needs to know of a checkout."""
    tabled = form.get("extensions.refstorage") == "reftable"
    if tabled and admin != common:
        raise ValueError("Worktrees of repositories with a reftable are not read.")
    lines = [f"\t{name.partition('.')[2]} = {value}\n" for name, value in sorted(form.items())]
    head = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n"
    (own / "config").write_text(head + "".join(lines))
    (own / "objects").symlink_to(os.path.realpath(common / "objects"))
    (own / "refs").mkdir()
    reference = _REF.fullmatch(_body(admin, "HEAD"))
    refs = [os.fsdecode(reference.group(1))] if reference and not tabled else []
    tables = [f"reftable/{each.name}" for each in (common / "reftable").glob("*")]
    shared = [each.name for each in admin.glob("sharedindex.*")]
    for place, names in (
        (common, [*refs, *tables, "packed-refs", "info/exclude"]),
        (admin, [*refs, *shared, "HEAD", "index"]),
    ):
        for name in names:
            _copied(place, name, own)


def _copied(folder: Path, name: str, target: Path) -> None:
    """Copy a file to the same path below another folder, if it is there.

    It has the same time: by that of its index, git knows which files may have changed since.
    """
    try:
        source = os.fdopen(open_beneath(folder, name), "rb")
    except FileNotFoundError:
        return
    with source:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        with (target / name).open("wb") as file:
            shutil.copyfileobj(source, file, _CHUNK)
        written = os.fstat(source.fileno()).st_mtime_ns
        os.utime(target / name, ns=(written, written))


def _settings_of(repository: Path, own: Path) -> dict[str, str]:
    """Return some settings of a repository; files that it includes are not read."""
    try:
        given = _body(repository, "config")
    except FileNotFoundError:
        return {}
    return _settings(["--no-includes", "--file", "-"], own, given)


def _settings(words: list[str], own: Path, given: bytes = b"") -> dict[str, str]:
    """Return some settings of this account, or those that are given."""
    said = _run(
        ["config", "-z", *words, "--get-regexp", _READ],
        own,
        {"GIT_CEILING_DIRECTORIES": str(own.parent)},
        given,
        check=False,
    )
    pairs = (each.partition(b"\n") for each in said.split(b"\0") if each)
    return {os.fsdecode(n): os.fsdecode(v) if equals else "true" for n, equals, v in pairs}


def _run(
    words: list[str], folder: Path, places: dict[str, str], given: bytes, *, check: bool
) -> bytes:
    """Return what git prints.

    It is looked for in absolute folders only: PATH may have `.`, where a repository lies.
    """
    folders = [each for each in os.get_exec_path() if Path(each).is_absolute()]
    git = shutil.which("git", path=os.pathsep.join(folders))
    if git is None:
        raise FileNotFoundError("git is not installed.")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name == "GIT_EXEC_PATH"
    }
    return subprocess.run(
        [git, *words],
        cwd=folder,
        capture_output=True,
        timeout=_PATIENCE,
        check=check,
        input=given,
        env={**kept, **places, "GIT_TERMINAL_PROMPT": "0"},
    ).stdout
