"""Read the volumes of a request: `CLAIM:/path[:ro]`, or a folder of the node instead of a claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model.pods import ContainerRules, Mount
from ..fields import FieldReader
from .patterns import OBJECT, PATH

_SYSTEM = ("/bin", "/boot", "/etc", "/lib", "/lib64", "/opt", "/root", "/sbin", "/usr", "/var")
_RUNTIME = ("/dev", "/proc", "/run", "/sys", "/var/run")
"""Folders below which nothing can be mounted either."""


def read_mounts(
    texts: Sequence[str], rules: ContainerRules, reader: FieldReader
) -> Iterator[Mount]:
    """Yield the valid ones of the volumes of a request."""
    taken: set[str] = set()
    for i, text in enumerate(texts):
        field = f"volumes[{i}]"
        mount = _read(text)
        if mount is None:
            reader.wrong(field, "pod.value", value=repr(text), example="CLAIM:/path[:ro]")
            continue
        if mount.host_path and not any(within(mount.host_path, one) for one in rules.host_paths):
            allowed = [f"{path}:/path" for path in rules.host_paths]
            example = ", ".join(["CLAIM:/path", *allowed])
            reader.wrong(field, "pod.host_path", path=mount.host_path, example=example)
        if mount.claim and rules.keeps_claim(mount.claim):
            reader.wrong(field, "pod.reserved", name=mount.claim)
        if mount.path in taken:
            reader.wrong(field, "name.twice", name=mount.path)
        elif is_reserved(mount.path, rules):
            reader.wrong(field, "pod.path", path=mount.path)
        taken.add(mount.path)
        yield mount


def mount_text(mount: Mount) -> str:
    """Return a mount as it is requested."""
    end = ":ro" if mount.read_only else ""
    return f"{mount.claim or mount.host_path}:{mount.path}{end}"


def _read(text: str) -> Mount | None:
    source, _, rest = text.partition(":")
    path, _, mode = rest.partition(":")
    if mode not in {"", "ro", "rw"} or not PATH.fullmatch(path):
        return None
    if OBJECT.fullmatch(source):
        return Mount(claim=source, path=path, read_only=mode == "ro")
    if PATH.fullmatch(source):
        return Mount(host_path=source, path=path, read_only=mode == "ro")
    return None


def is_reserved(path: str, rules: ContainerRules) -> bool:
    """Return whether a volume would hide files of the system or the session."""
    hidden = any(within(kept, path) for kept in (*_SYSTEM, *_RUNTIME, *rules.reserved))
    return hidden or any(within(path, kept) for kept in _RUNTIME)


def within(path: str, folder: str) -> bool:
    """Return whether a path is a folder or lies below it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
