"""Objects that others have written become a version."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound
from jupyter_gpuquota.store import sources
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.sync import Wanted, sync
from scripts.s3 import servers
from tests.store.living import DATASET, fetched, listing, log, now
from tests.store.s3.faulty import Fault, Faulty

pytestmark = pytest.mark.asyncio

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
URL = "s3://b/their/data"
FILES = {f"{number}.txt": b"%d" % number for number in range(7)}
FILES |= {"sub/two &=+ \u00e9": b"two\n", "empty": b""}


def fill(server: Faulty) -> dict[str, str]:
    """Write FILES below URL, the last one at noon; return the variables for it."""
    for age, (name, body) in enumerate(FILES.items()):
        server.objects[f"their/data/{name}"] = (body, NOON - timedelta(hours=age))
    server.objects["their/database"] = (b"beside it", NOON + timedelta(hours=1))
    return servers.environment(server.endpoint)


async def test_objects_become_files(
    faulty: Faulty, lake: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BATCH", 3)  # so that there are several
    found = await sources.find(URL, fill(faulty))
    assert found.survey() == sources.Size(len(FILES), sum(map(len, FILES.values())))
    assert found.written == NOON
    wanted = Wanted(dataset=DATASET, folder=found)
    catalog = Catalog(":memory:")
    commit = await sync(wanted, lake, log(lake), catalog, clock=now, report=lambda _: None)
    assert listing(await fetched(lake, commit.version, tmp_path / "v")) == FILES


async def test_what_is_no_prefix_is_refused(faulty: Faulty) -> None:
    variables = fill(faulty)
    for place in ("./digits", "file:///digits", "https://server/digits"):
        with pytest.raises(InvalidFields, match="data sync"):
            await sources.find(place, variables)
    with pytest.raises(InvalidFields):
        await sources.find(f"{URL}?at=2026-01-31", variables)
    with pytest.raises(NotFound, match="has no objects"):
        await sources.find("s3://b/nothing", variables)
    faulty.faults.append(Fault("denied"))
    with pytest.raises(NotAllowed):
        await sources.find(URL, variables)
