"""Writing a version as a repository of DVC: `NAME.dvc`, and the objects in its cache.

`dvc checkout` there makes the files; `dvc push` sends them to any remote.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import yaml

from ...errors import Conflict, FieldError, refused
from ..disk.failures import own_files
from ..tree import walk

_BLOCK = 1 << 20
_FOLDER = ".dir"


def export_dvc(tree: Path, target: Path, name: str) -> Path:
    """Move the files of a folder into a repository of DVC; return the path of its `.dvc` file.

    `tree` is on the file system of `target`, and is empty afterwards but for folders.

    :raises Conflict: `target` exists, and is not empty.
    :raises InvalidFields: there are symbolic links, which DVC does not know.
    :raises StorageFailed: the repository cannot be written.
    """
    links = [found.path for found in walk(str(tree)) if found.target]
    if links:
        raise refused(*(FieldError(path, "DVC does not know symbolic links.") for path in links))
    if target.exists() and any(target.iterdir()):
        raise Conflict(f"{target} exists already.", hint="Export to a new folder.")
    with own_files():
        (target / ".dvc").mkdir(parents=True, exist_ok=True)
        (target / ".dvc" / "config").touch()
        cache = target / ".dvc" / "cache" / "files" / "md5"
        members = []
        size = 0
        for found in walk(str(tree)):
            path = tree / found.path
            if path.is_file():
                size += path.stat().st_size
                members.append({"md5": _store(path, cache), "relpath": found.path})
        listed = json.dumps(sorted(members, key=lambda each: each["relpath"]), sort_keys=True)
        md5 = hashlib.md5(listed.encode(), usedforsecurity=False).hexdigest() + _FOLDER
        _place(cache, md5).write_text(listed)
        output = {"md5": md5, "size": size, "nfiles": len(members), "hash": "md5", "path": name}
        described = target / f"{name}.dvc"
        described.write_text(yaml.safe_dump({"outs": [output]}, sort_keys=False))
        return described


def _store(path: Path, cache: Path) -> str:
    """Move a file into the cache, and return its MD5."""
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    path.rename(_place(cache, digest.hexdigest()))
    return digest.hexdigest()


def _place(cache: Path, md5: str) -> Path:
    place = cache / md5[:2] / md5[2:]
    place.parent.mkdir(parents=True, exist_ok=True)
    return place
