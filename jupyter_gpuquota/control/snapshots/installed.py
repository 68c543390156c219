"""What is installed in a Python environment, and where each package came from.

This module runs beside a session, or inside of it, where `drafts` carries it: the standard library
and the syntax of Python 3.8 only. It reads what installers have written: `direct_url.json` (PEP
610) of pip and uv, and the records of conda.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, Iterator  # noqa: UP035 (Python 3.8 in sessions)
from urllib.parse import unquote, urlsplit

from ...core.snapshots import redaction

_PATIENCE = 60.0
Origin = Callable[[Path], Dict[str, Any]]  # noqa: UP006 (Python 3.8 in sessions)
"""Returns `commit`, `remote`, `subdirectory` and `dirty` of a folder, nothing without git."""
_PROGRAM = """\
import importlib.metadata, json, platform, sys
found = []
for each in importlib.metadata.distributions():
    name = (each.metadata or {}).get("Name")
    if name and each.version:
        found.append([name, each.version, each.read_text("direct_url.json") or ""])
python = [platform.python_version(), platform.python_implementation(), sys.prefix]
print(json.dumps([*python, found]))
"""
_TOKEN = re.compile(r"(?P<name>://[^/\s]+/t/)[^/\s]+(?=/)")
"""The token of a channel of conda, in its address."""
_RECORDED = ("name", "version", "build", "channel", "url", "md5", "sha256")
"""What is taken over from a record of conda."""


def packages(python: str, origin: Origin) -> dict[str, Any]:
    """Return Python and the packages of an environment, as fields of an `EnvironmentPart`.

    Raises OSError, ValueError, subprocess.SubprocessError where it cannot be asked.
    """
    said = subprocess.run(
        [python, "-E", "-c", _PROGRAM],  # those of the account, too, as kernels find them
        capture_output=True,
        timeout=_PATIENCE,
        check=True,
        text=True,
        cwd="/",
    ).stdout
    version, implementation, prefix, listed = json.loads(said)
    names: Dict[str, str] = {}  # noqa: UP006 (Python 3.8 in sessions)
    sources = {}
    for name, its_version, direct in listed:
        if name in names:  # what comes first is imported
            continue
        names[name] = its_version
        if direct:
            sources[name] = _source(direct, origin)
    return {
        "python": version,
        "implementation": implementation,
        "packages": dict(sorted(names.items())),
        "sources": {name: source for name, source in sorted(sources.items()) if source},
        "conda": sorted(_of_conda(Path(prefix, "conda-meta")), key=lambda each: each["name"]),
    }


def unstored(environment: dict[str, Any], root: Path) -> Iterator[tuple[str, str]]:
    """Yield the folders of packages whose changes are in no repository and not below `root`."""
    for name, source in environment["sources"].items():
        folder = _folder(source["url"])
        if source.get("dirty") and root.resolve() not in (folder, *folder.parents):
            yield str(folder), f"{name} runs from there, and its changes are not committed."


def python_of(prefix: str) -> str:
    """Return the path of a prefix's Python; that of the system has only `python3` on Debian."""
    python = Path(prefix, "bin", "python")
    return str(python if python.exists() else python.with_name("python3"))


def _source(direct: str, origin: Origin) -> dict[str, Any] | None:
    """Return where a package came from, as fields of a `PackageSource`; None for a broken file."""
    try:
        return _as_source(json.loads(direct), origin)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _as_source(found: dict[str, Any], origin: Origin) -> dict[str, Any]:
    """Return the content of a file as such fields. Raises what a malformed one raises."""
    url = str(found["url"])
    part: dict[str, Any] = {"url": redaction.address(url)}
    if found.get("subdirectory"):
        part["subdirectory"] = str(found["subdirectory"])
    if vcs := found.get("vcs_info"):
        part.update(vcs=str(vcs.get("vcs", "")), commit=str(vcs.get("commit_id", "")))
    elif archive := found.get("archive_info"):
        hashes = archive.get("hashes") or {}
        kind, _, value = str(archive.get("hash", "")).partition("=")
        part["sha256"] = str(hashes.get("sha256", value if kind == "sha256" else ""))
    elif (found.get("dir_info") or {}).get("editable"):
        part["editable"] = True
        part.update(origin(_folder(url)))
    return part


def _folder(url: str) -> Path:
    return Path(unquote(urlsplit(url).path)).resolve()


def _of_conda(records: Path) -> Iterator[dict[str, Any]]:
    """Yield the packages of a conda environment, as fields of a `CondaPackage`."""
    for path in records.glob("*.json"):
        try:
            record = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            record = None  # conda, too, passes over what it cannot read
        if isinstance(record, dict) and record.get("name"):
            part: dict[str, Any] = {
                field: _without_token(str(record.get(field) or "")) for field in _RECORDED
            }
            yield {**part, "provides": sorted(_distributions(record.get("files")))}


def _without_token(text: str) -> str:
    """Return the address of a channel without its token."""
    return _TOKEN.sub(rf"\g<name>{redaction.MASK}", redaction.address(text))


def _distributions(files: Any) -> set[str]:
    """Return the names of the Python packages among the files of a package of conda."""
    found = set()
    for file in files if isinstance(files, list) else ():
        top = str(file).partition("site-packages/")[2].partition("/")[0]
        if top.endswith((".dist-info", ".egg-info")):
            found.add(top.partition("-")[0])
    return found
