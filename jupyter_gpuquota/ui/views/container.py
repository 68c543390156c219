"""Options of a session's container."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...model.pods import PodOptions, Toleration
from ...model.resources import gpus_text, memory_text
from ...model.volumes.mounts import Mount


def container_pairs(
    options: PodOptions | None, mounts: Sequence[Mount] = ()
) -> list[tuple[str, str]]:
    """Return what was requested of a container, with its name; empty texts where nothing was."""
    found = options or PodOptions()
    numbers = (found.run_as_user, found.run_as_group)
    return [
        ("CPUs", _bounds(found.cpu, found.cpu_limit, gpus_text)),
        ("memory", _bounds(found.memory, found.memory_limit, memory_text)),
        ("shared memory", "large" if found.large_shm else ""),
        ("volumes", ", ".join(map(_mount, mounts))),
        ("secrets", ", ".join(f"{n} from {r.secret}/{r.key}" for n, r in found.secret_env.items())),
        ("tolerations", ", ".join(map(_toleration, found.tolerations))),
        ("pull secrets", ", ".join(found.pull_secrets)),
        ("pull policy", found.pull_policy),
        ("service account", found.service_account),
        ("runs as", ":".join(str(number) for number in numbers if number is not None)),
    ]


def _bounds(request: int, limit: int, text: Callable[[int], str]) -> str:
    parts = [text(request)] if request else []
    return ", ".join([*parts, *([f"at most {text(limit)}"] if limit else [])])


def _mount(mount: Mount) -> str:
    end = " (read-only)" if mount.read_only else ""
    return f"{mount.volume or mount.host_path} at {mount.path}{end}"


def _toleration(one: Toleration) -> str:
    value = f"={one.value}" if one.value else ""
    return f"{one.key}{value}:{one.effect}" if one.effect else f"{one.key}{value}"
