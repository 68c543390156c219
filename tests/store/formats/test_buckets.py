"""Objects that others have written, now and then, and refs of lakeFS."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound
from jupyter_gpuquota.store.formats import object_versions, table
from jupyter_gpuquota.store.formats.object_versions import ObjectVersion
from jupyter_gpuquota.store.formats.prefix import ends, state_at
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from scripts.s3 import servers
from tests.store.formats.conftest import Bring
from tests.store.living import fetched, listing

pytestmark = pytest.mark.asyncio

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


@pytest.fixture
def bucket(moto: str) -> str:
    """A bucket that keeps versions of objects."""
    name = f"b{uuid4().hex}"
    servers.make_bucket(moto, name, versions=True)
    return name


async def test_objects_are_imported_as_they_are_and_as_they_were(
    lake: Objects, bring_in: Bring, moto: str, bucket: str, tmp_path: Path
) -> None:
    theirs = connect(f"s3://{bucket}/their/data", **servers.config(moto))
    await theirs.put("a.txt", b"first")
    await theirs.put("sub/b &.txt", b"removed later")
    await asyncio.sleep(1.1)  # S3's times are whole seconds
    middle = datetime.now(UTC)
    await asyncio.sleep(1.1)
    await theirs.put("a.txt", b"second")
    await theirs.delete(["sub/b &.txt"])
    url, variables = f"s3://{bucket}/their/data", servers.environment(moto)
    (now,) = await bring_in(url, variables)
    assert listing(await fetched(lake, now.version, tmp_path / "now")) == {"a.txt": b"second"}
    (then,) = await bring_in(f"{url}?at={middle.isoformat().replace('+00:00', 'Z')}", variables)
    assert listing(await fetched(lake, then.version, tmp_path / "then")) == {
        "a.txt": b"first",
        "sub/b &.txt": b"removed later",
    }
    (burst,) = await bring_in(f"{url}?versions=all", variables)
    assert burst.version == now.version, "all was written within a minute"
    with pytest.raises(NotFound, match="had no objects then"):
        await bring_in(f"{url}?at=2020-01-01", variables)
    with pytest.raises(NotFound, match="has no objects"):
        await bring_in(f"s3://{bucket}/nothing", variables)
    with pytest.raises(InvalidFields):
        await bring_in(f"{url}?when=2020", variables)


async def test_states_end_where_writing_pauses() -> None:
    assert ends([at(5), at(0), at(0.5), at(1.2), at(5.5)]) == [at(1.2), at(5.5)]
    assert ends([]) == []


async def test_a_state_has_what_was_there_then() -> None:
    versions = [
        ObjectVersion("a", "3", at(9), 3, deleted=False),
        ObjectVersion("a", "2", at(5), 2, deleted=False),
        ObjectVersion("a", "1", at(5), 1, deleted=False),
        ObjectVersion("b", "2", at(6), 0, deleted=True),
        ObjectVersion("b", "1", at(1), 1, deleted=False),
    ]
    keys = {
        minute: [each.key for each in state_at(versions, at(minute))] for minute in (0, 1, 5, 6)
    }
    both = ["a?versionId=2", "b?versionId=1"]
    assert keys == {0: [], 1: ["b?versionId=1"], 5: both, 6: ["a?versionId=2"]}


async def test_requests_are_signed(versitygw: tuple[str, Path]) -> None:
    endpoint, root = versitygw
    bucket = f"b{uuid4().hex}"
    (root / bucket / "odd &=+ \u00e9").mkdir(parents=True)
    (root / bucket / "odd &=+ \u00e9" / "file").write_text("x")
    variables = servers.environment(endpoint)
    found = [*object_versions.listed(bucket, "odd &=+ \u00e9/", variables)]
    assert [(each.key, each.size) for each in found if each.size] == [("odd &=+ \u00e9/file", 1)]
    with pytest.raises(NotAllowed):
        [*object_versions.listed(bucket, "", variables | {"AWS_SECRET_ACCESS_KEY": "wrong"})]


async def test_a_ref_of_lakefs_is_imported(
    lake: Objects, bring_in: Bring, versitygw: tuple[str, Path], tmp_path: Path
) -> None:
    endpoint, root = versitygw
    repository = f"r{uuid4().hex}"
    (root / repository / "main" / "data" / "sub").mkdir(parents=True)
    (root / repository / "main" / "data" / "sub" / "a").write_text("of main")
    (root / repository / "other").mkdir()
    (root / repository / "other" / "a").write_text("of another branch")
    place = f"lakefs://{repository}/main/data"
    (commit,) = await bring_in(place, servers.environment(endpoint))
    assert commit.source == place
    assert listing(await fetched(lake, commit.version, tmp_path / "v")) == {"sub/a": b"of main"}
    with pytest.raises(InvalidFields, match="lakefs://REPOSITORY/REF/path"):
        await bring_in("lakefs://repository", servers.environment(endpoint))


async def test_formats_are_found_by_name_or_looks(tmp_path: Path) -> None:
    with pytest.raises(InvalidFields, match="data sync"):
        table.find(str(tmp_path))
    with pytest.raises(InvalidFields, match="dvc, huggingface, lakefs, prefix"):
        table.find(str(tmp_path), "zip")
    assert table.find("s3://b/p").name == table.find("x", "prefix").name == "prefix"
