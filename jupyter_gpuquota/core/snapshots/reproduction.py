"""How the run of a snapshot is made again: programs in a restored session, and commands."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable

from ...model.snapshots.manifest import Manifest
from ...model.snapshots.snapshots import Snapshot
from ..fields import NAME_LIMIT
from . import environment, redaction
from .volumes import new_names

_AGAIN = "-again"
_EXECUTE = ("jupyter", "execute", "--inplace")


def programs(manifest: Manifest) -> tuple[tuple[str, ...], ...]:
    """Return the programs that make the run again in a session that has been restored.

    That is the program which took the snapshot, or the one of its run, or else all notebooks that
    had been executed. A session with a command of its own runs that by itself.
    """
    if manifest.spec.command:
        return ()
    if manifest.program:
        return (manifest.program,)
    source = manifest.run.source if manifest.run else ""
    if source.endswith(".py"):
        return (("python", source),)
    if source.endswith(".ipynb"):
        return ((*_EXECUTE, source),)
    return tuple((*_EXECUTE, each.path) for each in manifest.notebooks if each.executed)


def commands(snapshot: Snapshot, manifest: Manifest) -> tuple[str, ...]:
    """Return the commands that rebuild the run of a snapshot in a shell, and compare it.

    A program that took the snapshot takes another one by itself.
    """
    name = f"{manifest.name[: NAME_LIMIT - len(_AGAIN)]}{_AGAIN}"
    spec = manifest.spec
    own = [f"# the session runs: {shlex.join((*spec.command, *spec.args))}"] if spec.command else []
    until = "ended" if spec.command else "running"
    taken = [] if manifest.program else [f"jupyter gpu snapshot create {name}"]
    packages = (
        [
            f"# its packages: jupyter gpu snapshot environment {snapshot.short}; to install them "
            "again, add --make-environment FOLDER"
        ]
        if environment.files(manifest.environment)
        else []
    )
    return (
        *packages,
        f"jupyter gpu snapshot restore {snapshot.short} --name {name} --wait-for {until}",
        *_volumes(manifest, name),
        *own,
        *(
            f"jupyter gpu exec --timeout 3600 {name} -- {shlex.join(each)}"
            for each in programs(manifest)
        ),
        *taken,
        f"jupyter gpu snapshot diff {snapshot.short} {name}",
    )


def _volumes(manifest: Manifest, session: str) -> list[str]:
    """Return comments on the volumes of the restored session: new ones, and those that are left."""
    made = new_names(manifest, session, ())
    lines = []
    for each in dict.fromkeys(each for each in manifest.spec.mounts if each.volume):
        new, old = made.get(each.volume), each.volume
        how = f"{new}, with the files of {old}" if new else f"{old}, as it is now"
        lines.append(f"# {each.path} is the volume {how}")
    return lines


def program(words: Iterable[str], folder: str, secrets: Iterable[str] = ()) -> tuple[str, ...]:
    """Return a command line without secrets, and with paths relative to the session's folder."""
    below = folder.rstrip("/") + "/"
    return tuple(
        posixpath.relpath(word, folder) if word.startswith(below) else word
        for word in redaction.words(words, secrets)
    )
