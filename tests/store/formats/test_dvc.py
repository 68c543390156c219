"""Data of DVC comes and goes, with the hashes that DVC itself gives it."""

from __future__ import annotations

import shutil
from pathlib import Path
from uuid import uuid4

import pytest
import yaml

from jupyter_gpuquota.errors import Damaged, InvalidFields, NotFound
from jupyter_gpuquota.store.formats.dvc_export import export_dvc
from jupyter_gpuquota.store.lake.objects import Objects
from scripts.s3 import servers
from tests.store.formats.conftest import FILES, FOLDER, SINGLE, Bring, md5
from tests.store.living import fetched, listing

pytestmark = pytest.mark.asyncio


def objects(root: Path) -> Path:
    return root / ".dvc" / "cache" / "files" / "md5"


async def test_a_folder_is_imported(
    lake: Objects, bring_in: Bring, dvc_repository: Path, tmp_path: Path
) -> None:
    (commit,) = await bring_in(dvc_repository / "data.dvc", tag="v1", message="from DVC")
    assert listing(await fetched(lake, commit.version, tmp_path / "v")) == FILES
    assert (commit.message, commit.source) == ("from DVC", f"dvc:data.dvc {FOLDER}")


async def test_a_file_is_imported(
    lake: Objects, bring_in: Bring, dvc_repository: Path, tmp_path: Path
) -> None:
    (commit,) = await bring_in(dvc_repository / "single.csv.dvc")
    tree = await fetched(lake, commit.version, tmp_path / "v")
    assert listing(tree) == {"single.csv": b"single\n"}


async def test_all_files_of_a_folder_are_imported(
    lake: Objects, bring_in: Bring, dvc_repository: Path, tmp_path: Path
) -> None:
    (commit,) = await bring_in(dvc_repository)
    there = {f"data/{path}": body for path, body in FILES.items()}
    tree = await fetched(lake, commit.version, tmp_path / "v")
    assert listing(tree) == there | {"single.csv": b"single\n"}


@pytest.mark.parametrize("kind", ["folder", "s3"])
async def test_what_the_cache_lacks_comes_from_the_remote(
    lake: Objects,
    bring_in: Bring,
    dvc_repository: Path,
    tmp_path: Path,
    versitygw: tuple[str, Path],
    kind: str,
) -> None:
    endpoint, buckets = versitygw
    bucket = f"dvc-{uuid4().hex}"
    remote = tmp_path / "remote" if kind == "folder" else buckets / bucket / "store"
    remote.parent.mkdir(exist_ok=True)
    shutil.move(dvc_repository / ".dvc" / "cache", remote)
    url = "../../remote" if kind == "folder" else f"s3://{bucket}/store"
    text = f"[core]\n    remote = far\n['remote \"far\"']\n    url = {url}\n"
    (dvc_repository / ".dvc" / "config").write_text(text)
    (commit,) = await bring_in(dvc_repository / "data.dvc", servers.environment(endpoint))
    assert listing(await fetched(lake, commit.version, tmp_path / "v")) == FILES


async def test_what_is_not_here_is_named(bring_in: Bring, dvc_repository: Path) -> None:
    (objects(dvc_repository) / SINGLE[:2] / SINGLE[2:]).unlink()
    with pytest.raises(NotFound, match=r"single\.csv is not on this machine"):
        await bring_in(dvc_repository / "single.csv.dvc")


async def test_a_damaged_object_is_named(bring_in: Bring, dvc_repository: Path) -> None:
    name = md5(b"two\n")
    (objects(dvc_repository) / name[:2] / name[2:]).write_bytes(b"owt\n")
    with pytest.raises(Damaged, match="is not what"):
        await bring_in(dvc_repository / "data.dvc")


async def test_a_path_that_leaves_the_folder_is_refused(
    bring_in: Bring, dvc_repository: Path
) -> None:
    listed = objects(dvc_repository) / FOLDER[:2] / FOLDER[2:]
    listed.write_text(listed.read_text().replace("1.txt", "../1.txt"))
    with pytest.raises(InvalidFields) as raised:
        await bring_in(dvc_repository / "data.dvc")
    assert raised.value.fields[0].field == "folder.../1.txt"


async def test_something_else_is_refused(bring_in: Bring, dvc_repository: Path) -> None:
    (dvc_repository / "data.dvc").write_text("outs: 3")
    with pytest.raises(Damaged, match="not a file of DVC"):
        await bring_in(dvc_repository / "data.dvc")


async def test_an_export_is_what_dvc_itself_stores(
    lake: Objects, bring_in: Bring, dvc_repository: Path, tmp_path: Path
) -> None:
    (commit,) = await bring_in(dvc_repository / "data.dvc")
    tree = tmp_path / "tree"
    shutil.copytree(await fetched(lake, commit.version, tmp_path / "v"), tree)
    for folder in (tree, tree / "sub"):
        folder.chmod(0o755)
    described = export_dvc(tree, tmp_path / "exported", "data")
    assert yaml.safe_load(described.read_text())["outs"] == [
        {"md5": FOLDER, "size": 8, "nfiles": 3, "hash": "md5", "path": "data"}
    ]
    (again,) = await bring_in(described)
    assert again.version == commit.version


async def test_dvc_knows_no_links(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link").symlink_to("other")
    with pytest.raises(InvalidFields):
        export_dvc(tmp_path / "tree", tmp_path / "exported", "data")
