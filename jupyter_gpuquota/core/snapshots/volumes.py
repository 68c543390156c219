"""Volumes in snapshots: which are copied, how far copies belong together, and which are the same.

A volume that is mounted read-only is not the session's to copy: somebody else looks after it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from ...errors import FieldError
from ...model.sessions import LIVE, Session, SessionSpec
from ...model.snapshots.manifest import Consistency, Manifest, PartProblem, VolumePart
from ...model.snapshots.orders import MountedVolume
from ...model.volumes.mounts import Mount
from ...model.volumes.volumes import Volume
from ..fields import NAME_LIMIT

_NUMBER = 4
"""Letters of a name that are left for a number."""
Pair = tuple[str, VolumePart | None, VolumePart | None]
"""A volume of two snapshots by its name in the first one; a side that does not have it is None."""


def copied(spec: SessionSpec, wanted: Collection[str] | None) -> tuple[Mount, ...]:
    """Return the volumes that a snapshot copies, each where it is mounted first.

    `wanted` are the names of those that were chosen, None for all that the session may write.
    """
    found: dict[str, Mount] = {}
    for each in spec.mounts:
        if each.volume and not each.read_only and (wanted is None or each.volume in wanted):
            found.setdefault(each.volume, each)
    return tuple(found.values())


def mounted(
    session: Session, wanted: Collection[str] | None, volumes: Iterable[Volume]
) -> tuple[MountedVolume, ...]:
    """Return the folders of the volumes that a snapshot copies; those of its project are known."""
    known = {each.name: each for each in volumes if each.project == session.spec.project}
    return tuple(
        _mounted(each, session, known.get(each.volume)) for each in copied(session.spec, wanted)
    )


def _mounted(mount: Mount, session: Session, volume: Volume | None) -> MountedVolume:
    if volume is None:
        problem = "there is no such volume"
        return MountedVolume(volume=mount.volume, path=mount.path, problem=problem)
    others = (each for each in volume.uses if each.session != session.id and not each.read_only)
    return MountedVolume(
        volume=mount.volume,
        path=mount.path,
        folder=volume.folder,
        writes=any(each.state in LIVE for each in others),
    )


def check_choice(spec: SessionSpec, wanted: Sequence[str] | None) -> Iterator[FieldError]:
    """Yield what is wrong with the names of chosen volumes."""
    able = [each.volume for each in copied(spec, None)]
    mounted = {each.volume for each in spec.mounts}
    hint = f"It can copy: {', '.join(able)}." if able else "It can copy none."
    for index, name in enumerate(wanted or ()):
        if name not in able:
            how = "mounts it read-only" if name in mounted else "does not mount it"
            text = f"{name}: the session {spec.name} {how}."
            yield FieldError(f"volumes[{index}]", text, hint)


def left_out(spec: SessionSpec, copies: Collection[str]) -> list[PartProblem]:
    """Return the volumes of a session that a snapshot does not copy, and why."""
    return [
        PartProblem(
            part=f"left out:{each.path.lstrip('/')}",
            message=f"The files of the volume {each.volume} are not in the snapshot: {why}.",
        )
        for each in spec.mounts
        if each.volume and each.volume not in copies
        for why in ("it is mounted read-only" if each.read_only else "it was not chosen",)
    ]


def not_copied(volume: str, why: str) -> PartProblem:
    """Return that a volume could not be copied."""
    return PartProblem(part=f"volume:{volume}", message=f"It was not copied: {why.rstrip('.')}.")


def together(parts: Sequence[Consistency]) -> Consistency:
    """Return how far parts that were copied one after another belong together."""
    if len(set(parts)) == 1 and (len(parts) == 1 or parts[0] == "quiesced"):
        return parts[0]
    return "best-effort"


def new_names(manifest: Manifest, session: str, taken: Collection[str]) -> dict[str, str]:
    """Return the names of the volumes that a restored session gets, by those of the originals.

    They begin with its name, as those of all volumes that are made for a session do.
    """
    found: dict[str, str] = {}
    for part in manifest.volumes:
        if part.tree:
            end = part.volume.removeprefix(f"{manifest.name}-")
            stem = f"{session}-{end}"[: NAME_LIMIT - _NUMBER].rstrip("-")
            others = {*taken, *found.values()}
            numbered = (f"{stem}-{number}" for number in itertools.count(2))
            names = itertools.chain([stem], numbered)
            found[part.volume] = next(name for name in names if name not in others)
    return found


def mounting(spec: SessionSpec, made: Mapping[str, str]) -> SessionSpec:
    """Return a spec that mounts new volumes where it mounted their originals."""
    mounts = tuple(
        replace(each, volume=made[each.volume], size=0, storage_class="")
        if each.volume in made
        else each
        for each in spec.mounts
    )
    return replace(spec, volumes=mounts, pod=replace(spec.pod, mounts=()) if spec.pod else None)


def pairs(before: Manifest, after: Manifest) -> list[Pair]:
    """Return the volumes of two snapshots: those of one name, else those at the same path.

    A restored session has new volumes at the paths of the old ones.
    """
    new = {each.volume: each for each in after.volumes}
    others = {each.volume for each in before.volumes}
    by_path = {each.path: each for each in after.volumes if each.path and each.volume not in others}
    found: list[Pair] = []
    for each in before.volumes:
        same = new.get(each.volume) or by_path.get(each.path)
        found.append((each.volume, each, same))
        if same:
            new.pop(same.volume, None)
            by_path.pop(same.path, None)
    return sorted([*found, *((name, None, each) for name, each in new.items())], key=_name)


def _name(pair: Pair) -> str:
    return pair[0]
