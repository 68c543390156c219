"""The port `Datasets`: what lakes hold, with what is known of cached copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import asdict

from ...errors import Damaged, FieldError, NotFound, refused
from ...model.datasets.caches import CachedVersion
from ...model.datasets.datasets import Dataset, DatasetRecord, Lake
from ...model.datasets.versions import SHOWN, Version, VersionCopy
from ...ports.datasets import Contents
from ...store.lake.history import Commit, Stats
from ...store.manifest import is_version
from .manifests import Manifests, Summary
from .registry import Place, Registry, not_loaded
from .shelf import Recorded
from .uses import Uses


class LakeDatasets:
    """The datasets of all lakes."""

    def __init__(
        self, registry: Registry, manifests: Manifests, contents: Contents, uses: Uses
    ) -> None:
        self._registry = registry
        self._manifests = manifests
        self._contents = contents
        self._uses = uses

    @property
    def contents(self) -> Contents:
        """What reads the files of versions."""
        return self._contents

    def all(self) -> tuple[Dataset, ...]:
        """Return all datasets by name, without `actions`. Raises NotLoaded after a start."""
        if not self._registry.is_loaded:
            raise not_loaded()
        copies = list(self._uses.copies().values())
        return tuple(_dataset(place, copies) for place in self._registry.places().values())

    def lakes(self) -> tuple[Lake, ...]:
        """Return the lakes of the admins, the default one first."""
        return self._registry.lakes()

    def problems(self) -> tuple[str, ...]:
        """Return which lakes do not answer now."""
        return self._registry.problems()

    async def create(self, record: DatasetRecord, lake: str) -> Dataset:
        """Create a dataset. Raises NameTaken, InvalidFields, Unavailable."""
        return _dataset(await self._registry.create(record, lake), ())

    async def change(self, record: DatasetRecord) -> Dataset:
        """Replace the record of a dataset. Raises NotFound, Unavailable."""
        place = self._registry.place(record.name)
        await place.shelf.change(Recorded(**asdict(record), lake=place.content.record.lake))
        self._registry.changed()
        copies = list(self._uses.copies().values())
        return _dataset(self._registry.place(record.name), copies)

    async def remove(self, dataset: str) -> None:
        """Remove a dataset and its versions. Raises NotFound, InUse, Unavailable."""
        place = self._registry.place(dataset)
        versions = list(place.content.versions)
        for version in versions:
            self._uses.check(dataset, version)
        for version in versions:
            await self._uses.forget(dataset, version)
        await place.shelf.remove(dataset)
        self._registry.changed()
        await self._tidy(versions)

    async def versions(self, dataset: str) -> tuple[Version, ...]:
        """Return the versions of a dataset, newest first. Raises NotFound."""
        place, copies = self._registry.place(dataset), self._uses.copies()
        return tuple(
            _version(
                place,
                commit,
                copies.get((dataset, commit.version)),
                self._uses.folder(dataset, commit.version),
            )
            for commit in reversed(list(place.content.versions.values()))
        )

    async def add(self, version: Version, manifest: bytes, by: str = "") -> Version:
        """Note a version that a process of a user has added to a lake.

        Raises NotFound, InvalidFields, Unavailable.
        """
        if not is_version(version.id):
            raise refused(FieldError("version", "It must be the full id of a version."))
        place = self._registry.place(version.dataset)
        if place.lake is None:
            await self._record(place, version, manifest, by)
        else:
            await place.shelf.refresh_one(version.dataset)
            if version.id not in self._registry.place(version.dataset).content.versions:
                name = f"{version.dataset}@{version.id[:SHOWN]}"
                raise NotFound(
                    f"The lake {place.lake.name} does not have {name}.",
                    hint=f"Sync it: jupyter gpu data sync {version.dataset} FOLDER.",
                )
            if manifest:
                await self._checked(version, manifest, by)
        self._registry.changed()
        return next(v for v in await self.versions(version.dataset) if v.id == version.id)

    async def drop(self, dataset: str, version: str) -> None:
        """Remove a version. Raises NotFound, InUse, Unavailable, StorageFailed."""
        self._uses.check(dataset, version)
        await self._uses.forget(dataset, version)
        await self._registry.place(dataset).shelf.drop(dataset, version)
        self._registry.changed()
        await self._tidy([version])

    async def tag(self, dataset: str, tag: str, version: str) -> None:
        """Let a tag name a version, or none if `version` is empty. Raises NotFound, Unavailable."""
        await self._registry.place(dataset).shelf.tag(dataset, tag, version)
        self._registry.changed()

    async def _checked(self, version: Version, manifest: bytes, by: str) -> Summary:
        """Keep a manifest that was sent, and return what it contains. Raises InvalidFields."""
        try:
            return await self._manifests.put(version.id, manifest, by)
        except Damaged as error:
            hint = "Send the compressed manifest of exactly this version."
            raise refused(FieldError("manifest", error.message, hint)) from error

    async def _record(self, place: Place, version: Version, manifest: bytes, by: str) -> None:
        """Record a version of a member's own lake, which the controller does not read."""
        known = version.id in place.content.versions
        if not manifest and not known:
            raise refused(
                FieldError(
                    "manifest",
                    f"The controller does not read {place.content.record.lake}.",
                    "Send the manifest of the version with the report.",
                )
            )
        stats = Stats(version.files, version.size, version.added)
        if manifest:
            found = await self._checked(version, manifest, by)
            stats = Stats(found.files, found.size, version.added)
        elif known:
            stats = place.content.versions[version.id].stats
        commit = Commit(
            version=version.id,
            parents=version.parents,
            message=version.message,
            author=version.author,
            time=version.time,
            stats=stats,
            source=version.source,
        )
        await place.shelf.record(version.dataset, commit, version.tags)

    async def _tidy(self, versions: Sequence[str]) -> None:
        """Remove the manifests of versions that no dataset has any more."""
        needed = {
            version
            for place in self._registry.places().values()
            for version in place.content.versions
        }
        for version in set(versions) - needed:
            await self._manifests.drop(version)


def _dataset(place: Place, copies: Iterable[CachedVersion]) -> Dataset:
    record, lake = place.content.record, place.lake
    versions = place.content.versions
    mine = {each.version: each for each in copies if each.dataset == record.name}
    last = list(versions.values())[-1] if versions else None
    facts = {name: value for name, value in asdict(record).items() if name != "lake"}
    return Dataset(
        **facts,
        lake=lake.name if lake else record.lake,
        own_lake=lake is None,
        versions=len(versions),
        cached=sum(each.state == "cached" and each.version in versions for each in mine.values()),
        latest=_version(place, last, mine.get(last.version)) if last else None,
        problem=place.shelf.problem,
    )


def _version(
    place: Place, commit: Commit, cached: CachedVersion | None, folder: str = ""
) -> Version:
    tags = (tag for tag, named in place.content.tags.items() if named == commit.version)
    return Version(
        dataset=place.content.record.name,
        id=commit.version,
        parents=commit.parents,
        message=commit.message,
        author=commit.author,
        time=commit.time,
        files=commit.stats.files,
        size=commit.stats.bytes,
        added=commit.stats.added,
        tags=tuple(sorted(tags)),
        source=commit.source,
        copy=_copy(cached, folder),
    )


def _copy(cached: CachedVersion | None, folder: str) -> VersionCopy | None:
    if cached is None:
        return None
    return VersionCopy(state=cached.state, done=cached.done, size=cached.size, folder=folder)
