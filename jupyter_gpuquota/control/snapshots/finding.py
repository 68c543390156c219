"""What is there before a snapshot is restored, and what would be made."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from ...core.snapshots import volumes
from ...core.snapshots.restore import Found, Space
from ...errors import FieldError, NotFound, refused
from ...model.snapshots.manifest import Manifest, TreePart
from ...model.snapshots.restore import RestoreRequest
from ...store.lake import layout
from ...store.tasks import in_thread
from ..volumes.restored import RestoredVolumes
from .folders import Folders
from .registry import Registry

_VOLUMES_ONLY = (
    "Storing the session's folder had failed: its volumes can be restored into a new session."
)


class Finding:
    """Looks without making anything. Without `volumes` none are made."""

    def __init__(self, registry: Registry, folders: Folders) -> None:
        self.volumes: RestoredVolumes | None = None
        self._registry = registry
        self._folders = folders

    async def found(self, manifest: Manifest, request: RestoreRequest, name: str) -> Found:
        """Return what is there. Raises InvalidFields, Unavailable."""
        beside = posixpath.join(posixpath.dirname(manifest.spec.folder) or "/", name)
        folder = posixpath.normpath(request.folder or beside)
        if not folder.startswith("/"):
            raise refused(FieldError("folder", "Give an absolute path."))
        problem = await in_thread(self._folders.problem, folder)
        problems = {"folder": problem} if problem else {}
        stored = {each.volume: each.tree for each in manifest.volumes if each.tree}
        claims: dict[str, str] = {}
        if self.volumes and request.launch:
            taken = self.volumes.sizes(manifest.project)
            claims = volumes.new_names(manifest, name, taken)
        copies = {volume: stored[volume] for volume in claims}
        for volume, tree in copies.items():
            if not await self._has(tree):
                problems[f"volumes.{volume}"] = f"The lake {tree.lake} no longer has its files."
        if manifest.tree is None and stored and not claims:
            problems["snapshot"] = _VOLUMES_ONLY
        return Found(
            folder=folder,
            taken=await in_thread(self._folders.exists, folder),
            tree=await self._has(manifest.tree) if manifest.tree else True,
            spaces=await in_thread(self._spaces, folder, manifest.tree, copies),
            claims=claims,
            problems=problems,
        )

    def _spaces(
        self, folder: str, tree: TreePart | None, copies: Mapping[str, TreePart]
    ) -> tuple[Space, ...]:
        """Return what would be written to each file system; that of the folder is the first."""
        wanted = [(folder, tree.size if tree else 0)]
        root = self.volumes.root if self.volumes else ""
        wanted += [(posixpath.join(root, name), each.size) for name, each in copies.items()]
        found: dict[int, Space] = {}
        for path, size in wanted:
            if known := self._folders.space(path):
                device, free = known
                before = found.get(device, Space(path, 0))
                found[device] = Space(before.folder, before.size + size, free)
        return tuple(found.values())

    async def _has(self, tree: TreePart) -> bool:
        """Return whether a lake still has the files of a tree."""
        try:
            await self._registry.objects(tree.lake).head(layout.manifest(tree.version))
        except NotFound:
            return False
        return True
