"""The sdist and the wheel carry what they should, and nothing else."""

from __future__ import annotations

import gzip
import re
import tarfile
import zipfile
from fnmatch import fnmatch
from pathlib import PurePosixPath

import pytest
from hatchling.builders.sdist import SdistBuilder

from tests.packaging.clean import ROOT, copy_sources

LABEXTENSION = "*.data/data/share/jupyter/labextensions/jupyter-gpuquota"


@pytest.fixture(scope="module")
def carried(wheel) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def sdist(distributions) -> list[str]:
    with tarfile.open(distributions.sdist) as archive:
        return [
            PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix() for name in archive.getnames()
        ]


@pytest.mark.parametrize(
    "pattern",
    [
        "*.dist-info/licenses/LICENSE",
        "*.dist-info/entry_points.txt",
        "*.data/data/etc/jupyter/jupyter_server_config.d/jupyter_gpuquota.json",
        f"{LABEXTENSION}/install.json",
        f"{LABEXTENSION}/package.json",
        f"{LABEXTENSION}/schemas/jupyter-gpuquota/*.json",
        f"{LABEXTENSION}/static/remoteEntry.*.js",
        f"{LABEXTENSION}/static/style.js",
        "jupyter_gpuquota/py.typed",
        "jupyter_gpuquota/event_schemas/*.yaml",
    ],
)
def test_the_wheel_carries(carried, pattern):
    assert [name for name in carried if fnmatch(name, pattern)]


@pytest.mark.parametrize(
    "pattern",
    ["*.ts", "*.tsx", "*.js.map", "*node_modules*", "*/tests/*", "jupyter_gpuquota/labextension/*"],
)
def test_the_wheel_leaves_out(carried, pattern):
    assert [name for name in carried if fnmatch(name, pattern)] == []


def test_the_front_end_is_light(wheel):
    with zipfile.ZipFile(wheel) as archive:
        scripts = [n for n in archive.namelist() if fnmatch(n, f"{LABEXTENSION}/static/*.js")]
        sizes = {name: len(gzip.compress(archive.read(name))) for name in scripts}
    # Loaded by few pages only: the catalog of the server's sentences by those in other languages,
    # the views of datasets, volumes and snapshots by those where somebody opens them, what is set
    # for all projects by administrators, what a session's own JupyterLab shows of it, and what
    # controllers with several clusters need.
    limits = {
        "messages": 16_000,
        "storage": 40_000,
        "admin": 18_000,
        "sessionpage": 6_000,
        "clusters": 3_000,
    }
    for name, most in limits.items():
        chunk = [script for script in sizes if f"/static/{name}." in script]
        assert len(chunk) == 1
        assert sizes.pop(chunk[0]) <= most  # bytes, gzip
    assert sum(sizes.values()) <= 100_000  # everything else, though most is loaded when first seen


def test_the_wheel_holds_our_package_and_data_only(carried):
    assert {fnmatch_top(name) for name in carried} == {"jupyter_gpuquota", ".data", ".dist-info"}


def fnmatch_top(name: str) -> str:
    top = PurePosixPath(name).parts[0]
    return PurePosixPath(top).suffix if top.endswith((".data", ".dist-info")) else top


def test_the_wheel_carries_every_module(carried):
    modules = (ROOT / "jupyter_gpuquota").rglob("*.py")
    expected = {path.relative_to(ROOT).as_posix() for path in modules}
    assert expected <= set(carried)


@pytest.mark.rare
def test_a_wheel_of_the_sdist_carries_the_same(distributions, carried):
    with zipfile.ZipFile(distributions.wheel) as archive:
        assert sorted(plain(archive.namelist())) == sorted(plain(carried))


def plain(names: list[str]) -> list[str]:
    """Return them without the hash in the names of built scripts."""
    return [re.sub(r"\.[0-9a-f]{16,}\.", ".", name) for name in names]


@pytest.mark.rare
def test_the_sdist_can_be_built_again(sdist):
    expected = {
        "LICENSE",
        "install.json",
        "jupyter_gpuquota/labextension/static/style.js",
        "labextension/package.json",
        "labextension/src/index.ts",
        "labextension/style/index.css",
        "labextension/ui-tests/package.json",
        "labextension/yarn.lock",
        "pyproject.toml",
    }
    assert expected <= set(sdist)


def test_a_link_of_a_package_manager_hides_no_file(tmp_path):
    sources = copy_sources(tmp_path / "sources")
    (packages := sources / "labextension" / "node_modules").mkdir()
    (packages / "tests-of-pages").symlink_to("../ui-tests")
    carried = {
        each.relative_path for each in SdistBuilder(str(sources)).recurse_selected_project_files()
    }
    assert "labextension/ui-tests/package.json" in carried
    assert not [name for name in carried if "node_modules" in name]


@pytest.mark.rare
def test_the_sdist_leaves_out_what_was_installed_to_build_it(sdist):
    folders = {part for name in sdist for part in PurePosixPath(name).parts}
    assert not folders & {"node_modules", ".venv", ".yarn", "__pycache__", "reports", ".git"}
