"""How sessions mount volumes, and who mounts one."""

from __future__ import annotations

from ..struct import Model


class Mount(Model, frozen=True, kw_only=True):
    """A volume of the session's project, or a folder of the node, at a path; one of the two is set.

    Where sessions are processes, `path` is below the session's folder. `volume` is found by its
    name in `GPUQUOTA_VOLUMES` too. With a `size` in bytes the volume was made for the session, of
    this `storage_class`.
    """

    volume: str = ""
    host_path: str = ""
    path: str
    read_only: bool = False
    storage_class: str = ""
    size: int = 0

    def keeps(self, folder: str) -> bool:
        """Return whether what is written in a folder is kept on it."""
        return not self.read_only and f"{folder}/".startswith(f"{self.path.rstrip('/')}/")


class VolumeUse(Model, frozen=True, kw_only=True):
    """Who mounts a volume, and how.

    `session` is the id of a session, empty for another program: `name` is that of its pod then.
    `state` is that of the session: a queued or suspended one mounts the volume when it starts.
    """

    session: str = ""
    name: str
    project: str = ""
    owner: str = ""
    path: str = ""
    read_only: bool = False
    node: str = ""
    state: str = ""
