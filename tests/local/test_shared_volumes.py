"""Folders that an admin shares in the quota file, mounted by real sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import Conflict, InvalidFields, NameTaken
from tests.local.test_session_data import CONFIG
from tests.shell import Shell, opened, wait_for

PROJECTS = "projects:\n  - {name: team-a, quota: 2}\n"
VOLUMES = """\
volumes:
  - {name: scans, folder: %s, projects: [team-a], read_only: true, description: of the clinic}
"""
HOLDS = (
    'cat "$GPUQUOTA_VOLUMES/scans/a.txt" in/a.txt; echo two > in/b.txt || echo refused;'
    " until test -e go; do sleep 0.1; done; cat in/a.txt; echo over"
)


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the admin."""
    folder = tmp_path_factory.mktemp("scans")
    (folder / "a.txt").write_text("one\n")
    return folder


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory, scans: Path) -> Iterator[Shell]:
    folder = tmp_path_factory.mktemp("shared")
    file = folder / "quota.yaml"
    file.write_text(PROJECTS + VOLUMES % scans)
    config = {"LocalConfig": CONFIG["LocalConfig"], "GpuQuota": {"quota_file": str(file)}}
    with opened(folder, config) as made:
        made.ok("quota")
        yield made


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    return Client(state_dir=shell.folder / "state")


def names(client: Client) -> list[str]:
    return [each.name for each in client.volumes.list()]


def test_it_is_listed_with_what_the_file_says_and_changed_there_only(
    client: Client, shell: Shell, scans: Path
) -> None:
    found = client.volumes.get("scans")
    assert (found.folder, found.owner, found.registered) == (str(scans), "", True)
    assert (found.read_only, found.modes, found.description) == (True, ("ROX",), "of the clinic")
    assert "scans" in shell.ok("volume", "list")
    for refused in (
        shell("volume", "delete", "scans"),
        shell("volume", "grow", "scans", "1Gi"),
        shell("volume", "change", "scans", "--writable"),
    ):
        assert refused.code != 0
        assert "scans is set by the quota file." in refused.err
    with pytest.raises(Conflict, match="quota file"):
        client.volumes.delete("scans")
    with pytest.raises(NameTaken):
        client.volumes.create("scans")
    assert (scans / "a.txt").read_text() == "one\n"


def test_a_session_reads_it_also_after_its_entry_is_gone(
    client: Client, shell: Shell, scans: Path, tmp_path: Path
) -> None:
    client.sessions.submit(
        "reads", command=["sh", "-c", HOLDS], folder=str(tmp_path), volumes=["scans:/in:ro"]
    )
    wait_for(lambda: client.sessions.get("reads").state in {"running", "failed"})
    if "does not allow" in client.sessions.logs("reads"):
        pytest.skip("the kernel allows no mounts here")
    wait_for(lambda: "refused" in client.sessions.logs("reads"))
    assert client.sessions.logs("reads").split()[:2] == ["one", "one"]
    assert [each.path for each in client.volumes.get("scans").uses] == ["/in"]
    file = shell.folder / "quota.yaml"
    file.write_text(PROJECTS)
    wait_for(lambda: names(client) == [])
    with pytest.raises(InvalidFields, match="scans"):
        client.sessions.submit("late", folder=str(tmp_path), volumes=["scans:/in:ro"])
    (tmp_path / "go").touch()
    wait_for(lambda: client.sessions.get("reads").state == "done")
    assert client.sessions.logs("reads").split()[-2:] == ["one", "over"]
    with pytest.raises(InvalidFields, match="no volume 'scans'"):
        client.sessions.resume("reads")
    file.write_text(PROJECTS + VOLUMES % scans)
    wait_for(lambda: names(client) == ["scans"])
    assert not (scans / "b.txt").exists()
