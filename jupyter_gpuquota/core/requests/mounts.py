"""Read the volumes of a request: `NAME:/path[:ro]`, or `CLASS:SIZE:/path` for a new one.

A folder of the node may stand in place of a name where the admin allows it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import FieldError
from ...model.pods import ContainerRules
from ...model.volumes.mounts import Mount
from ...model.volumes.volumes import StorageClass, Volume
from ..fields import NAME_LIMIT, FieldReader
from .quantities import OBJECT, PATH, read_size

_SYSTEM = ("/bin", "/boot", "/etc", "/lib", "/lib64", "/opt", "/root", "/sbin", "/usr", "/var")
_RUNTIME = ("/dev", "/proc", "/run", "/sys", "/var/run")
"""Folders below which nothing can be mounted either."""
_EXAMPLE = "NAME:/path[:ro] or CLASS:SIZE:/path"


@dataclass(frozen=True, slots=True)
class VolumeFacts:
    """What the volumes of a request are checked against.

    `volumes` are those of the project, with the caller's `actions`; `problems` is what the backend
    says against them, by field.
    """

    volumes: Sequence[Volume] = ()
    classes: Sequence[StorageClass] = ()
    problems: Sequence[FieldError] = field(default=())


def parse_mount(text: str, session: str) -> Mount | None:
    """Return what a text requests for a session of this name, None if it is malformed.

    The size of a new volume is not read yet: it is 1.
    """
    source, _, rest = text.partition(":")
    first, _, last = rest.partition(":")
    if PATH.fullmatch(last) and (OBJECT.fullmatch(source) or not source):
        name = new_name(session, last)
        return Mount(volume=name, path=last, storage_class=source, size=1)
    if last not in {"", "ro", "rw"} or not PATH.fullmatch(first):
        return None
    if OBJECT.fullmatch(source):
        return Mount(volume=source, path=first, read_only=last == "ro")
    if PATH.fullmatch(source):
        return Mount(host_path=source, path=first, read_only=last == "ro")
    return None


def new_name(session: str, path: str) -> str:
    """Return the name of a volume that is made for a session: that of both, with a hyphen."""
    end = "".join(c if c.isascii() and c.isalnum() else "-" for c in posixpath.basename(path))
    name = "-".join(part for part in f"{session}-{end.lower()}".split("-") if part)
    return name[:NAME_LIMIT].rstrip("-")


def read_mounts(
    texts: Sequence[str],
    session: str,
    facts: VolumeFacts | None,
    containers: ContainerRules | None,
    reader: FieldReader,
) -> tuple[Mount, ...]:
    """Return the valid ones of the volumes of a request for the session of this name.

    `facts` is None where the backend does not know the volumes of projects. `containers` is None
    where sessions are processes.
    """
    if texts and facts is None and containers is None:
        reader.wrong("volumes", "pod.process")
        return ()
    rules = containers or ContainerRules()
    found: list[Mount] = []
    for i, text in enumerate(texts):
        name, mount = f"volumes[{i}]", parse_mount(text, session)
        if mount is None:
            reader.wrong(name, "pod.value", value=repr(text), example=_EXAMPLE)
            continue
        if mount.size:
            mount = _sized(name, mount, text, facts, reader)
        elif mount.volume:
            mount = _known(name, mount, facts, rules, reader)
        elif containers is None:
            reader.wrong(name, "volume.register", path=mount.host_path)
        elif not any(within(mount.host_path, one) for one in rules.host_paths):
            allowed = [f"{path}:/path" for path in rules.host_paths]
            example = ", ".join(["NAME:/path", *allowed])
            reader.wrong(name, "pod.host_path", path=mount.host_path, example=example)
        _check_place(name, mount, found, rules, reader)
        if containers is None:
            _check_nested(name, mount, found, reader)
        found.append(mount)
    reader.add(facts.problems if facts else ())
    return tuple(found)


def asked(
    texts: Sequence[str], session: str, facts: VolumeFacts, containers: ContainerRules | None
) -> Mapping[str, Mount]:
    """Return the volumes of a request by field, as far as they are valid without a backend."""
    found: dict[str, Mount] = {}
    for i, text in enumerate(texts):
        reader = FieldReader()
        mounts = read_mounts([text], session, facts, containers, reader)
        if not reader.errors:
            found |= {f"volumes[{i}]": mount for mount in mounts}
    return found


def mount_text(mount: Mount) -> str:
    """Return a mount as it is requested again: a volume that was made for it exists now."""
    end = ":ro" if mount.read_only else ""
    return f"{mount.volume or mount.host_path}:{mount.path}{end}"


def is_reserved(path: str, rules: ContainerRules) -> bool:
    """Return whether a volume would hide files of the system or the session."""
    hidden = any(within(kept, path) for kept in (*_SYSTEM, *_RUNTIME, *rules.reserved))
    return hidden or any(within(path, kept) for kept in _RUNTIME)


def within(path: str, folder: str) -> bool:
    """Return whether a path is a folder or lies below it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _sized(
    name: str, mount: Mount, text: str, facts: VolumeFacts | None, reader: FieldReader
) -> Mount:
    """Return a new volume with its size and class."""
    errors = len(reader.errors)
    size = read_size(name, text.split(":")[1], reader)
    if not size and len(reader.errors) == errors:
        reader.wrong(name, "pod.value", value=repr(text), example=f":10Gi:{mount.path}")
    if facts is None:
        return _replaced(mount, size, mount.storage_class)
    classes = [each.name for each in facts.classes]
    chosen = mount.storage_class
    if chosen and classes and chosen not in classes:
        reader.wrong(name, "field.choice", value=repr(chosen), choices=",".join(classes))
    usual = next((each.name for each in facts.classes if each.default), next(iter(classes), ""))
    if any(volume.name == mount.volume for volume in facts.volumes):
        example = f"{mount.volume}:{mount.path}"
        reader.wrong(name, "volume.taken", volume=mount.volume, example=example)
    return _replaced(mount, size, chosen or usual)


def _replaced(mount: Mount, size: int, storage_class: str) -> Mount:
    return Mount(volume=mount.volume, path=mount.path, size=size, storage_class=storage_class)


def _known(
    name: str,
    mount: Mount,
    facts: VolumeFacts | None,
    rules: ContainerRules,
    reader: FieldReader,
) -> Mount:
    """Check an existing volume, and return how it is mounted."""
    if rules.keeps_claim(mount.volume):
        reader.wrong(name, "pod.reserved", name=mount.volume)
        return mount
    if facts is None:
        return mount
    usable = [each for each in facts.volumes if "mount" in each.actions]
    volume = next((each for each in usable if each.name == mount.volume), None)
    if volume is None:
        names = [each.name for each in usable]
        reader.known(name, mount.volume, names, "volume.unknown")
    elif volume.state in {"lost", "removing"}:
        why = volume.reason.message if volume.reason else "It is being deleted."
        reader.wrong(name, "volume.unusable", volume=volume.name, why=why)
    elif volume.read_only and not mount.read_only:
        example = f"{mount.volume}:{mount.path}:ro"
        reader.wrong(name, "volume.read_only", volume=volume.name, example=example)
    return mount


def _check_place(
    name: str,
    mount: Mount,
    before: Sequence[Mount],
    rules: ContainerRules,
    reader: FieldReader,
) -> None:
    """Note a path or name that is taken or reserved, and a volume that is mounted in two ways."""
    paths = [other.path for other in before]
    if mount.path in paths:
        reader.wrong(name, "name.twice", name=mount.path)
    elif is_reserved(mount.path, rules):
        reader.wrong(name, "pod.path", path=mount.path)
    elif mount.size and any(other.size and other.volume == mount.volume for other in before):
        reader.wrong(name, "volume.same", volume=mount.volume)
    same = (other for other in before if mount.volume and other.volume == mount.volume)
    if any(other.read_only != mount.read_only for other in same):
        reader.wrong(name, "volume.both", volume=mount.volume)


def _check_nested(name: str, mount: Mount, before: Sequence[Mount], reader: FieldReader) -> None:
    """Note a path inside another volume: where sessions are processes, it would be made there."""
    for other in before:
        nested = within(mount.path, other.path) or within(other.path, mount.path)
        if nested and mount.path != other.path:
            reader.wrong(name, "data.nested", path=mount.path, other=other.path)
