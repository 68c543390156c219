"""What the files of a snapshot are besides their contents: links that lead out, and modes.

A version has no symbolic links that lead out of its folder, as whoever mounts one would follow
them, and of modes only whether a file is executable. A snapshot has two files for the rest, whose
entries end with a NUL byte: `links` has paths and targets by turns, `modes` has `MODE PATH`, the
octal mode of each path that has another one than most files have.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import Damaged
from . import paths

LINKS, MODES = "links", "modes"
"""The names of these files."""
ROOT = "."
"""The path of the folder itself in the file of modes."""
_USUAL = {stat.S_IFREG: {0o644, 0o755}, stat.S_IFDIR: {0o755}}
_BITS = 0o777
_OWNER = 0o700
_OCTAL = 8


def encode_links(links: Mapping[str, str]) -> bytes:
    """Return the file of links: targets by path."""
    pairs = sorted(links.items(), key=lambda link: paths.sort_key(link[0]))
    return b"".join(os.fsencode(f"{path}\0{target}\0") for path, target in pairs)


def decode_links(body: bytes) -> dict[str, str]:
    """Return targets by path. Raises Damaged for what is malformed, or no path in a folder."""
    *texts, rest = os.fsdecode(body).split("\0")
    found = dict(zip(texts[::2], texts[1::2], strict=False))
    if rest or len(texts) % 2 or any(map(paths.problem, found)) or not all(found.values()):
        raise Damaged("The snapshot's list of symbolic links is malformed.")
    return found


def make_links(root: Path, file: Path) -> None:
    """Make the links of a file, if there is one, in a folder that has been restored.

    Raises Damaged if a link would be elsewhere, or in the place of something else.
    """
    if not file.is_file():
        return
    real = root.resolve()
    for path, target in decode_links(file.read_bytes()).items():
        link = root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.parent.resolve() != real / Path(path).parent or os.path.lexists(link):
            raise Damaged(f"The symbolic link {paths.printable(path)} cannot be restored.")
        link.symlink_to(target)


def mode_line(path: str, mode: int) -> bytes:
    """Return the entry of a path in the file of modes, nothing where its mode is a usual one."""
    bits = mode & _BITS
    return b"" if bits in _USUAL.get(stat.S_IFMT(mode), ()) else os.fsencode(f"{bits:o} {path}\0")


def decode_modes(body: bytes) -> Iterator[tuple[str, int]]:
    """Yield paths and modes, the last one first. Raises Damaged for what is malformed."""
    *entries, rest = os.fsdecode(body).split("\0")
    for entry in reversed([*entries, *filter(None, [rest])]):
        digits, _, path = entry.partition(" ")
        known = path == ROOT or not paths.problem(path)
        if rest or not known or not digits or digits.strip("01234567"):
            raise Damaged("The snapshot's list of modes is malformed.")
        yield path, int(digits, _OCTAL) & _BITS


def set_modes(root: Path, body: bytes | None, umask: int) -> None:
    """Give what was restored its modes, without the bits of the umask.

    Without a file of modes, as in earlier snapshots, nobody but the owner gets any right: they are
    not known, and a restore gives nobody more than there was.

    Raises Damaged if the mode of something elsewhere would be set, OSError.
    """
    found = _all(root) if body is None else _listed(root, body, umask)
    for path, mode in found:
        path.chmod(mode)


def _all(root: Path) -> Iterator[tuple[Path, int]]:
    for folder, _, files in os.walk(root, topdown=False):
        for name in (*files, ""):
            path = Path(folder, name)
            if not path.is_symlink():
                yield path, path.stat().st_mode & _OWNER


def _listed(root: Path, body: bytes, umask: int) -> Iterator[tuple[Path, int]]:
    """Yield the paths of a list that were restored, the innermost first."""
    real, folders = root.resolve(), dict[Path, bool]()
    for name, mode in decode_modes(body):
        path = root if name == ROOT else root / name
        if not os.path.lexists(path):
            continue  # it was left out
        parent = path.parent
        if parent not in folders:
            folders[parent] = name == ROOT or parent.resolve() == real / Path(name).parent
        if not folders[parent] or path.is_symlink():
            raise Damaged(f"The mode of {paths.printable(name)} cannot be restored.")
        # The folder itself is still to be moved to its place, which needs the right to write it.
        yield path, mode & ~umask | (_OWNER if name == ROOT else 0)
