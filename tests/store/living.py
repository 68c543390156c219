"""What people do with a lake, in a few calls, for the tests of any lake."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from jupyter_gpuquota.store import manifest, published
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.entries import Entry, Location
from jupyter_gpuquota.store.fetch import Download
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.history import Commit, History
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.sync import Wanted, sync
from jupyter_gpuquota.store.verify import Bad, Verification

DATASET = "faces"


def log(lake: Objects) -> History:
    return History(lake, conditional=True)


def now() -> datetime:
    return datetime.now(UTC)


async def synced(
    lake: Objects,
    folder: Path,
    *,
    tag: str = "",
    catalog: Catalog | None = None,
    clock: Callable[[], datetime] = now,
) -> Commit:
    wanted = Wanted(dataset=DATASET, folder=folder, author="ana", tag=tag)
    catalog = catalog or Catalog(":memory:")
    return await sync(wanted, lake, log(lake), catalog, clock=clock, report=lambda _: None)


async def entries(lake: Objects, version: str) -> list[tuple[Entry, Location]]:
    return list(manifest.decode([await lake.get(layout.manifest(version))], version))


async def fetched(lake: Objects, version: str, place: Path) -> Path:
    with published.publishing(place, version.encode()) as tree:
        await Download(lake, tree, lambda _: None).run(await entries(lake, version))
    return place / published.TREE


async def verified(lake: Objects, version: str) -> list[Bad]:
    verification = Verification(lake, lambda _: None)
    return [bad async for bad in verification.run(await entries(lake, version))]


def listing(root: Path) -> dict[str, bytes | str]:
    """Return every file, link and empty folder below a folder."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name] = "empty"
    return found
