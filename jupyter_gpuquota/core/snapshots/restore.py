"""Planning a restore: what it would make, and everything that stands against it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_
from datetime import datetime, timedelta

from msgspec.structs import replace

from ...errors import FieldError
from ...model.sessions import ENDED, Session, SessionSpec
from ...model.snapshots.manifest import EnvironmentPart, Manifest, PartProblem
from ...model.snapshots.restore import Original, Restoration, RestorePlan, RestoreRequest
from ...model.snapshots.snapshots import Snapshot
from ...model.struct import field_problem
from ...model.volumes.mounts import Mount
from ..fields import NAME_LIMIT
from ..requests.specs import Facts
from . import environment
from .redaction import LEFT_OUT

_NUMBER = re.compile(r"-r(\d+)$")
_NOTES = frozenset({"env", "left out", "unread", "written"})
_LISTED = 10
_LATELY = timedelta(days=1)
_REMAKE = "Name another one with --environment, or make it again: see --dry-run."
_ELSEWHERE = "Name a folder to make, in one that you may write: --folder."
MARGIN = 64 * 2**20
"""Bytes that stay free besides the restored files."""


@dataclass(frozen=True, slots=True)
class Space:
    """One file system: the bytes that a restore writes there, and those that are free, if known.

    `folder` is the first of the new folders there.
    """

    folder: str
    size: int
    free: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What is there when a snapshot is to be restored.

    `folder` is the new folder, `taken`: something is there. `tree`: the lake still has the files.
    `spaces` are the file systems that get files, first that of the folder. `claims` are the new
    volumes that would be made, by their originals. `environment` is what the session would start
    from, None where nobody has looked. `problems` prevent the restore, by field; `warnings` say
    what will differ.
    """

    folder: str
    taken: bool = False
    tree: bool = True
    spaces: tuple[Space, ...] = ()
    claims: Mapping[str, str] = field(default_factory=dict)
    environment: EnvironmentPart | None = None
    problems: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def is_listed(restore: Restoration, now: datetime) -> bool:
    """Return whether a restore goes on, or has ended lately."""
    return restore.active or now - restore.updated < _LATELY


def is_forgotten(restore: Restoration, now: datetime) -> bool:
    """Return whether nobody asks for a restore any more: lineage names those with a session."""
    return not restore.session and not is_listed(restore, now)


def original(manifest: Manifest, sessions: Iterable[Session]) -> Original | None:
    """Return the session of a snapshot, None if it has ended or is gone."""
    found = (each for each in sessions if each.id == manifest.session)
    session = next((each for each in found if each.owner == manifest.owner), None)
    if session is None or session.state in ENDED:
        return None
    return Original(name=session.spec.name, folder=session.spec.folder if manifest.tree else "")


def new_name(manifest: Manifest, request: RestoreRequest, taken: Collection[str]) -> str:
    """Return the name of the new session: the requested one, else the old one's with a number."""
    if request.name:
        return request.name
    stem = _NUMBER.sub("", manifest.name)
    number = 1
    while (name := f"{stem[: NAME_LIMIT - 6]}-r{number}") in taken:
        number += 1
    return name


def places(old: str, name: str, root: str) -> list[str]:
    """Return where a restored folder may go, best first: beside the old one, or in the root.

    `root` is the folder in which users begin, empty if there is none. What is beside that, or
    beside a folder around it, is not the user's.
    """
    beside = posixpath.join(posixpath.dirname(old) or "/", name)
    if not root:
        return [beside]
    around = f"{old.rstrip('/')}/"
    inside = posixpath.join(root, name)
    return [inside] if f"{root.rstrip('/')}/".startswith(around) else [beside, inside]


def new_spec(manifest: Manifest, name: str, folder: str) -> SessionSpec:
    """Return the session's spec in a new folder and under a new name."""
    return replace(manifest.spec, name=name, folder=folder)


def starting_from(manifest: Manifest, prefix: str) -> Manifest:
    """Return a manifest whose session starts from another environment, if one is given."""
    if not prefix:
        return manifest
    return replace(manifest, spec=replace(manifest.spec, environment=prefix, image=""))


def hinted(error: FieldError, manifest: Manifest) -> FieldError:
    """Return an error; that of an environment that is gone says how it is made again."""
    if error.field != "environment" or environment.files(manifest.environment) is None:
        return error
    return with_(error, hint=_REMAKE)


def mounting(manifest: Manifest, mounts: tuple[Mount, ...]) -> Manifest:
    """Return a manifest whose session has these volumes only."""
    spec = manifest.spec
    pod = replace(spec.pod, mounts=()) if spec.pod else None
    return replace(manifest, spec=replace(spec, volumes=mounts, pod=pod))


def mounting_too(spec: SessionSpec, mounts: tuple[Mount, ...]) -> SessionSpec:
    """Return a spec with more volumes."""
    return replace(spec, volumes=(*spec.volumes, *mounts))


def in_folder(facts: Facts, folder: str) -> Facts:
    """Return what a request is checked against, with a folder that is yet to be made."""
    return with_(facts, place=replace(facts.place, folder=folder))


def problems(manifest: Manifest, request: RestoreRequest, found: Found) -> tuple[FieldError, ...]:
    """Return what prevents a restore, whatever its session needs."""
    tree = manifest.tree
    wrong = [
        FieldError(name, text, _ELSEWHERE if name == "folder" else "")
        for name, text in found.problems.items()
    ]
    if tree is None and not manifest.volumes:
        text = "The snapshot has no files: storing the session's folder had failed."
        wrong.append(FieldError("snapshot", text, "See why: jupyter gpu snapshot show."))
    elif tree and not found.tree:
        text = f"The lake {tree.lake} no longer has the files of this snapshot."
        wrong.append(FieldError("snapshot", text, "Restore the lake from a copy."))
    if found.taken:
        text = f"{found.folder} exists already."
        wrong.append(FieldError("folder", text, "Name a new folder, or another session."))
    wrong += [
        FieldError(
            "folder",
            f"{each.folder}: the files need {each.size:,} bytes, and {each.free:,} are free there.",
            "Make room, or name a folder elsewhere.",
        )
        for each in found.spaces
        if each.free is not None and each.free < each.size + MARGIN
    ]
    if request.variables and manifest.kernel is None:
        wrong.append(FieldError("variables", "The snapshot has no variables of a kernel."))
    return tuple(wrong)


def _size(manifest: Manifest, found: Found) -> int:
    """Return the bytes of what would be made: files, and volumes."""
    made = sum(each.size for each in manifest.volumes if each.volume in found.claims)
    return made + (manifest.tree.size if manifest.tree else 0)


def lost_parts(manifest: Manifest) -> list[PartProblem]:
    """Return the parts that are missing, without what was left out by rule or is only noted."""
    return [each for each in manifest.problems if each.part.partition(":")[0] not in _NOTES]


def warnings(manifest: Manifest, found: Found) -> tuple[str, ...]:
    """Return what will be different from what was stored, and does not prevent a restore."""
    parts = [each.part for each in manifest.problems]
    env = [part.removeprefix("env:") for part in parts if part.startswith("env:")]
    said = list(found.warnings)
    if found.environment:
        said += environment.differences(manifest.environment, found.environment)
    if env:
        said.append(f"These variables are not stored, as they may be secrets: {', '.join(env)}.")
    if files := _secret_files(manifest):
        said.append(f"These files are not stored, as they may be secrets: {files}.")
    said += [f"{each.part}: {each.message}" for each in lost_parts(manifest)]
    said += _moving_image(manifest)
    mounted = dict.fromkeys(each.volume for each in manifest.spec.mounts if each.volume)
    if present := [name for name in mounted if name not in found.claims]:
        said.append(f"Volumes are used as they are now: {', '.join(present)}.")
    return tuple(said)


def _secret_files(manifest: Manifest) -> str:
    """Return the files of credentials and keys that were left out, the first of many."""
    left = [each.part for each in manifest.problems if each.message == LEFT_OUT]
    more = f" and {len(left) - _LISTED} more" if len(left) > _LISTED else ""
    return ", ".join(part.removeprefix("left out:") for part in left[:_LISTED]) + more


def _moving_image(manifest: Manifest) -> list[str]:
    """Return the warning that a tag names what it names now, empty for an image by digest."""
    image, digest = manifest.spec.image, manifest.environment.digest
    if not image or not digest or "@" in image:
        return []
    return [f"The image {image} is used as its tag is now; the snapshot was taken with {digest}."]


def plan(
    snapshot: Snapshot,
    manifest: Manifest,
    request: RestoreRequest,
    found: Found,
    name: str,
    beside: Original | None = None,
    refused: Iterable[FieldError] = (),
) -> RestorePlan:
    """Return what a restore would make; `refused` is what its session is refused for."""
    spec = new_spec(manifest, name, found.folder) if request.launch else None
    wrong = (*problems(manifest, request, found), *refused)
    return RestorePlan(
        snapshot=snapshot.id,
        folder=found.folder if manifest.tree else "",
        size=_size(manifest, found),
        free=found.spaces[0].free if found.spaces else None,
        spec=spec,
        original=beside,
        claims=tuple(f"{volume}={claim}" for volume, claim in found.claims.items()),
        problems=tuple(map(field_problem, wrong)),
        warnings=warnings(manifest, found),
        commands=_commands(snapshot, manifest, found, wrong),
    )


def _commands(
    snapshot: Snapshot, manifest: Manifest, found: Found, wrong: Iterable[FieldError]
) -> tuple[str, ...]:
    """Return the commands that restore with the packages of a snapshot, where others are there."""
    then, now = manifest.environment, found.environment
    is_gone = any(each.field == "environment" for each in wrong)
    if is_gone or (now and environment.differences(then, now)):
        return environment.commands(snapshot.short, then, found.folder)
    return ()
