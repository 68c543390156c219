"""What a container's process is on this machine: its command, environment, ports and files."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = Mapping[str, Any]

Lookup = Callable[[str, str], Mapping[str, bytes]]
"""Returns the content of a `Secret` or `ConfigMap` by its name."""

ENTRYPOINT = ("jupyter", "server")
"""The command of a container that leaves it to its image: all our images are Jupyter's."""

_EXPANSION = re.compile(r"\$\$|\$\((?P<name>[A-Za-z_][A-Za-z0-9_.-]*)\)")


@dataclass(frozen=True)
class Translation:
    """From the container's view of ports, addresses and folders to ours."""

    ports: Mapping[int, int]
    folders: Mapping[str, Path]

    def text(self, text: str) -> str:
        """Translate whatever a text mentions."""
        known = {"0.0.0.0": "127.0.0.1"}  # noqa: S104 (not listened on: replaced)
        known |= {str(port): str(real) for port, real in self.ports.items()}
        text = _replaced(text, known, inside=r"[\d.]")
        return _replaced(text, {name: str(path) for name, path in self.folders.items()}, r"[\w-]")


def _replaced(text: str, known: Mapping[str, str], inside: str) -> str:
    """Replace words, the longest that fits, where no character before or after belongs to one."""
    words = "|".join(re.escape(word) for word in sorted(known, key=len, reverse=True))
    pattern = rf"(?<!{inside})(?:{words})(?!{inside})"
    return re.sub(pattern, lambda found: known[found[0]], text) if known else text


@dataclass(frozen=True)
class Program:
    """A process to start."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path


def ports_of(pod: Json) -> list[int]:
    """Return the ports of all containers."""
    containers = pod["spec"]["containers"]
    return [port["containerPort"] for entry in containers for port in entry.get("ports", [])]


def mounts(pod: Json, container: Json, root: Path, claims: Path) -> dict[str, Path]:
    """Return the folder of each mount; a claim's is the same in every pod of the namespace."""
    volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes", [])}
    found = {}
    for mount in container.get("volumeMounts", []):
        claim = volumes[mount["name"]].get("persistentVolumeClaim")
        if claim:
            base = claims / pod["metadata"]["namespace"] / claim["claimName"]
        else:
            base = root / "volumes" / mount["name"]
        found[mount["mountPath"].rstrip("/")] = base / mount.get("subPath", "")
    return found


def link_parents(container: Json, folders: Mapping[str, Path], root: Path) -> dict[str, Path]:
    """Make the folders that programs look for mounts in, with links; return them, too.

    These are folders above mounts of a part of a claim, and those that a variable names.
    """
    found = dict(folders)
    named = {entry.get("value") for entry in container.get("env", [])}
    for mount in container.get("volumeMounts", []):
        above, _, name = mount["mountPath"].rstrip("/").rpartition("/")
        wanted = mount.get("subPath") or above in named
        if wanted and above and above not in folders:
            found[above] = root / "mounts" / above.lstrip("/")
            found[above].mkdir(parents=True, exist_ok=True)
            (found[above] / name).symlink_to(folders[f"{above}/{name}"])
    return found


def write_files(pod: Json, root: Path, lookup: Lookup, translation: Translation) -> None:
    """Write the files of Secrets, ConfigMaps and projected volumes, translated."""
    for volume in pod["spec"].get("volumes", []):
        folder = root / "volumes" / volume["name"]
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for source in volume.get("projected", {}).get("sources", [volume]):
            for path, content in _files(source, lookup).items():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch(0o600)
                file.write_text(translation.text(content.decode()), encoding="utf-8")


def _files(source: Json, lookup: Lookup) -> dict[str, bytes]:
    for key, kind, name in (
        ("secret", "Secret", "secretName"),
        ("configMap", "ConfigMap", "name"),
    ):
        if wanted := source.get(key):
            data = lookup(kind, wanted.get(name) or wanted["name"])
            items = wanted.get("items") or [{"key": entry, "path": entry} for entry in data]
            return {item["path"]: data[item["key"]] for item in items}
    return {}


def environment(pod: Json, container: Json, lookup: Lookup) -> dict[str, str]:
    """Return the variables of a container. Raises KeyError if one is not there."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", []):
        for key, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            if key in source:
                data = lookup(kind, source[key]["name"])
                prefix = source.get("prefix", "")
                found |= {f"{prefix}{name}": value.decode() for name, value in data.items()}
    for entry in container.get("env", []):
        if "valueFrom" in entry:
            found[entry["name"]] = _value(pod, entry["valueFrom"], lookup)
        else:
            found[entry["name"]] = expand(entry.get("value", ""), found)
    return found


def _value(pod: Json, source: Json, lookup: Lookup) -> str:
    for key, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
        if wanted := source.get(key):
            return lookup(kind, wanted["name"])[wanted["key"]].decode()
    if "resourceFieldRef" in source:
        return "0"
    path, _, key = source["fieldRef"]["fieldPath"].partition("['")
    value: Any = pod
    for name in [*path.split("."), *([key.removesuffix("']")] if key else [])]:
        value = value[name]
    return str(value)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Replace `$(NAME)` by a variable, and `$$` by `$`; unknown variables stay."""

    def value(found: re.Match[str]) -> str:
        return variables.get(found["name"], found[0]) if found["name"] else "$"

    return _EXPANSION.sub(value, text)


def program(
    container: Json, variables: Mapping[str, str], translation: Translation, root: Path
) -> Program:
    """Return the process of a container."""
    command = [*container.get("command", ENTRYPOINT), *container.get("args", [])]
    folder = root / "work"
    if inside := container.get("workingDir"):
        translated = Path(translation.text(inside))
        folder = translated if translated.is_relative_to(root.parent) else folder
    return Program(
        command=[translation.text(expand(word, variables)) for word in command],
        environment={name: translation.text(value) for name, value in variables.items()},
        folder=folder,
    )


def decoded(data: Json) -> dict[str, bytes]:
    """Return the content of a Secret or ConfigMap as the API gives it."""
    plain = {name: text.encode() for name, text in data.get("data", {}).items()}
    if data["kind"] == "Secret":
        return {name: base64.b64decode(value) for name, value in plain.items()}
    return plain
