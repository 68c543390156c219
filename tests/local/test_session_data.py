"""Sessions with datasets on a real controller: fetched first, found inside, kept while in use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InUse, InvalidFields
from tests.shell import Shell, opened, wait_for

CONFIG = {
    "LocalConfig": {
        "devices": "simulated",
        "simulated_nodes": [{"name": "dgx1-1", "gpus": 2}],
        "stop_grace": 5.0,
    },
    "GpuQuota": {"projects": [{"name": "team-a", "quota": "2"}]},
}
READ = 'cat "$GPUQUOTA_DATASETS/digits/a.txt" in/train/a.txt; ls "$GPUQUOTA_DATASETS"'
HOLD = 'while [ ! -e "$0" ]; do sleep 0.1; done; cat "$GPUQUOTA_DATASETS/digits/a.txt"'


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with opened(tmp_path_factory.mktemp("data"), CONFIG) as made:
        made.ok("quota")
        yield made


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    """A client, after two versions of `digits` were stored: `v1`, and the latest one."""
    client = Client(state_dir=shell.folder / "state")
    source = shell.folder / "source"
    source.mkdir()
    client.datasets.init("digits")
    (source / "a.txt").write_text("one\n")
    client.datasets.sync("digits", source, tag="v1")
    (source / "a.txt").write_text("two\n")
    client.datasets.sync("digits", source)
    return client


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path


def submit(client: Client, name: str, work: Path, *data: str, **fields: Any) -> Any:
    command = fields.pop("command", ("sh", "-c", READ))
    return client.sessions.submit(name, command=command, folder=str(work), data=data, **fields)


def own_lake(shell: Shell, name: str) -> str:
    """Return the URL of a lake that only a member opens."""
    folder = shell.folder / f"lake-{name}"
    folder.mkdir()
    return folder.as_uri()


def ended(client: Client, name: str) -> Callable[[], bool]:
    return lambda: client.sessions.get(name).state in {"done", "failed"}


def test_a_version_is_fetched_first_and_found_by_name_and_path(client: Client, work: Path) -> None:
    session = submit(client, "first", work, "digits", "digits@v1:/in/train", gpu=1)
    latest, tagged = (client.datasets.show(f"digits@{ref}").id for ref in ("latest", "v1"))
    assert [mount.version for mount in session.spec.data] == [latest, tagged]
    wait_for(ended(client, "first"))
    done = client.sessions.get("first")
    assert (done.state, done.exit.code) == ("done", 0), client.sessions.logs("first")
    assert list(client.sessions.logs("first").split()) == ["two", "one", "digits"]
    assert list(work.iterdir()) == []
    cached = {copy.version: copy for copy in client.datasets.caches("digits")}
    assert {latest, tagged} == set(cached)
    assert not any(copy.leases for copy in cached.values())


WRITE = """
cd "$GPUQUOTA_DATASETS/digits"
chmod u+w a.txt .; echo changed > a.txt; touch new; rm -f a.txt; cat a.txt
"""


def test_a_session_changes_no_version(client: Client, work: Path) -> None:
    submit(client, "writes", work, "digits", command=("sh", "-c", WRITE))
    wait_for(ended(client, "writes"))
    said = client.sessions.logs("writes")
    if os.geteuid() or "does not allow read-only mounts" in said:
        pytest.skip("accounts change the modes of their own files, and the kernel mounts nothing")
    assert said.endswith("two\n"), said
    assert "Read-only file system" in said
    assert client.datasets.verify("digits").problem is None


def test_what_a_session_uses_stays_and_is_remembered(
    client: Client, work: Path, shell: Shell
) -> None:
    go = work / "go"
    submit(client, "holder", work, "digits@v1", command=("sh", "-c", HOLD, str(go)))
    wait_for(lambda: client.sessions.get("holder").state == "running")
    tagged = client.datasets.show("digits@v1").id
    (copy,) = (each for each in client.datasets.caches() if each.version == tagged)
    assert [lease.name for lease in copy.leases] == ["holder"]
    with pytest.raises(InUse, match="holder"):
        client.datasets.uncache("digits@v1")
    go.touch()
    wait_for(ended(client, "holder"))
    assert client.sessions.logs("holder") == "one\n"
    client.sessions.delete("holder")
    assert "used by session holder" in shell.ok("data", "lineage", "digits@v1")
    client.datasets.uncache("digits@v1")


def test_what_only_its_owner_can_fetch_is_fetched_by_a_process_of_the_owner(
    client: Client, work: Path, shell: Shell
) -> None:
    source = work / "source"
    source.mkdir()
    (source / "a.txt").write_text("mine\n")
    client.datasets.init("mine", lake=own_lake(shell, "mine"))
    client.datasets.sync("mine", source)
    submit(client, "own-2", work, "mine:/in", command=("cat", "in/a.txt"), gpu=2)
    wait_for(ended(client, "own-2"))
    assert client.sessions.logs("own-2") == "mine\n"


def test_a_session_that_waits_for_data_holds_no_gpus(
    client: Client, work: Path, shell: Shell
) -> None:
    lake = own_lake(shell, "later")
    source = work / "source"
    source.mkdir()
    (source / "a.txt").write_text("later\n")
    client.datasets.init("later", lake=lake)
    client.datasets.sync("later", source)
    away = shell.folder / "away"
    Path(shell.folder, "lake-later").rename(away)
    command = ("sh", "-c", 'cat "$GPUQUOTA_DATASETS/later/a.txt"')
    submit(client, "waits", work, "later", command=command, gpu=2)
    wait_for(lambda: client.sessions.get("waits").reason.key == "data.failed")
    waiting = client.sessions.get("waits")
    assert (waiting.state, waiting.placement, waiting.reason.code) == (
        "waiting",
        None,
        "DataPending",
    )
    assert "jupyter gpu data cache later@latest" in waiting.reason.hint
    other = client.sessions.submit("other", command=["true"], gpu=2)
    wait_for(ended(client, other.id))
    assert client.sessions.get("waits").state == "waiting"
    away.rename(shell.folder / "lake-later")
    client.datasets.cache("later")
    wait_for(ended(client, "waits"))
    assert client.sessions.logs("waits") == "later\n"


def test_a_waiting_session_is_stopped_at_once(client: Client, work: Path, shell: Shell) -> None:
    source = work / "source"
    source.mkdir()
    (source / "a.txt").write_text("never cached\n")
    client.datasets.init("other", lake=own_lake(shell, "other"))
    client.datasets.sync("other", source)
    lake, away = shell.folder / "lake-other", shell.folder / "away-other"
    lake.rename(away)
    submit(client, "given-up", work, "other")
    assert client.sessions.stop("given-up").state == "stopped"
    away.rename(lake)


def test_a_file_of_the_user_is_in_the_way(client: Client, work: Path) -> None:
    (work / "in").write_text("mine")
    with pytest.raises(InvalidFields) as caught:
        submit(client, "blocked", work, "digits", "digits@v1:/in")
    assert [error.field for error in caught.value.fields] == ["data[1]"]
    assert (work / "in").read_text() == "mine"
