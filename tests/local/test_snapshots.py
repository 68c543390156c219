"""Snapshots with real sessions and processes: secrets, kills at each step, a folder at work."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.snapshots.restore import Restoration, RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotRulesRequest
from jupyter_gpuquota.store.lake.connection import connect
from tests.lean import lean_prefix, make_lean
from tests.local.test_session_data import shell
from tests.shell import Shell, wait_for
from tests.store.living import fetched

__all__ = ["shell"]

WRITES = "while true; do echo $$ >> log.txt; done"
HIDDEN = "hunter-22222"
TELLS = (
    "echo the token is $API_TOKEN, mine $(cat $GPUQUOTA_SESSION_TOKEN_FILE); echo told; sleep 600"
)


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    return Client(state_dir=shell.folder / "state")


def folder_of(shell: Shell, name: str) -> Path:
    folder = shell.folder / name
    folder.mkdir()
    (folder / "train.py").write_text("print(1)\n")
    (folder / "id_rsa").write_text("secret\n")
    return folder


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def kill_controller(shell: Shell) -> None:
    for each in shell.processes("jupyter_gpuquota.controller"):
        os.kill(each.pid, signal.SIGKILL)
        wait_for(lambda each=each: is_gone(each))


def is_gone(process: psutil.Process) -> bool:
    """Return whether a process has ended, also where nobody has asked for its exit code yet."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def ended(client: Client, restore: str) -> Restoration:
    def found() -> Restoration | None:
        known = next(each for each in client.snapshots.restores() if each.id == restore)
        return None if known.active else known

    return wait_for(found)


def test_a_session_that_writes_is_stored_without_secrets_and_restored(
    shell: Shell, client: Client
) -> None:
    folder = folder_of(shell, "writes")
    env = {"API_TOKEN": HIDDEN, "EPOCHS": "3"}
    client.sessions.submit(
        "writes", command=["bash", "-c", WRITES], folder=str(folder), env=env, wait=True
    )
    wait_for((folder / "log.txt").exists)
    made = client.snapshots.create("writes", "why", tags=["base"], metrics={"acc": 0.5})
    found = client.snapshots.show("base")
    assert (made.state, found.snapshot.id, made.consistency) == ("ready", made.id, "best-effort")
    for text in ("why", "base", "writes"):
        assert [each.id for each in client.snapshots.list(text=text)] == [made.id]
    assert not client.snapshots.list(text="nowhere")
    assert found.manifest
    assert found.manifest.spec.env == {"EPOCHS": "3"}
    parts = {each.part for each in found.manifest.problems}
    assert {"env:API_TOKEN", "left out:id_rsa"} <= parts
    restored = client.snapshots.restore("base", "again")
    assert sorted(each.name for each in Path(restored.folder).iterdir()) == ["log.txt", "train.py"]
    session = client.sessions.get("again")
    assert (session.spec.folder, session.spec.env) == (restored.folder, {"EPOCHS": "3"})
    client.snapshots.verify("base")
    with pytest.raises(InvalidFields) as caught:
        client.snapshots.restore("base", "again")
    assert {each.field for each in caught.value.fields} == {"name", "folder"}
    for name in ("writes", "again"):
        client.sessions.stop(name)


@pytest.mark.parametrize("ended", [False, True], ids=["running", "over"])
def test_secret_values_are_in_no_log_no_patch_and_no_order(
    shell: Shell, client: Client, *, ended: bool
) -> None:
    name = "over" if ended else "tells"
    folder = folder_of(shell, name)
    git(folder, "init", "-q")
    git(folder, "add", "train.py")
    git(folder, "commit", "-qm", "first")
    (folder / "train.py").write_text(f"open_with('{HIDDEN}')\n")
    client.sessions.submit(
        name, command=["bash", "-c", TELLS], folder=str(folder), env={"API_TOKEN": HIDDEN}
    )
    client.sessions.wait(name)
    wait_for(lambda: "told" in client.sessions.logs(name))
    if ended:
        client.sessions.stop(name, wait=True)
    made = client.snapshots.create(name, wait=False)
    orders = [each.read_text() for each in shell.folder.glob("state/data/snapshots/orders/*")]
    found = client.snapshots.show(client.snapshots.follow(made.id).id)
    assert found.manifest
    assert found.manifest.tree
    assert found.manifest.consistency == ("quiesced" if ended else "best-effort")
    lake = connect((shell.folder / "state/data/lake").as_uri())
    tree = asyncio.run(fetched(lake, found.manifest.tree.version, shell.folder / f"{name}-tree"))
    log, patch = (
        (tree / ".gpuquota/snapshot" / each).read_text() for each in ("log.txt", "0.patch")
    )
    assert "the token is ***, mine ***\ntold\n" in log or ended
    assert "told" in log
    assert "+open_with('***')" in patch
    assert not any(HIDDEN in each for each in (log, patch, repr(found), *orders))
    client.sessions.delete(name, stop=True)


def test_a_folder_is_stored_without_our_state_in_it(
    shell: Shell, client: Client, tmp_path: Path
) -> None:
    home = shell.folder
    (home / "notes.txt").write_text("mine\n")
    (home / ".gpuquotaignore").write_text("/*\n!/state/\n!/.venv/\n!/notes.txt\n")
    (home / ".venv").mkdir()
    (home / ".venv/pyvenv.cfg").touch()
    client.sessions.submit("home", command=["sleep", "600"], folder=str(home), wait=True)
    before = shell.ok("snapshot", "create", "home", "--dry-run", "--exclude", ".venv")
    assert before.startswith("1 file, 5 B.\n")
    said = shell.ok("snapshot", "create", "home", "--tag", "home", "--exclude", ".venv")
    for text in (before, said):
        assert "state: State of jupyter-gpuquota and of Jupyter is not stored: " in text
        assert "  .venv: Excluded by .venv\n" in text
    client.snapshots.export("home", tmp_path / "out")
    stored = [str(each.relative_to(tmp_path / "out")) for each in (tmp_path / "out").rglob("*")]
    assert stored == ["notes.txt"]
    job = next(each for each in client.datasets.jobs() if each.reason.startswith("Left out: "))
    assert job.kind == "snapshot"
    client.sessions.stop("home")


def test_an_environment_that_differs_or_is_gone_is_told_and_another_one_serves(
    shell: Shell, client: Client
) -> None:
    prefix, folder = shell.folder / "prefix", folder_of(shell, "pkgs")
    make_lean(prefix)
    (place,) = prefix.glob("lib/python3*/site-packages")
    info = place / "zebra-2.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: zebra\nVersion: 2.0.0\n")
    client.sessions.submit(
        "pkgs",
        command=["sleep", "600"],
        folder=str(folder),
        environment=str(prefix),
        wait=True,
    )
    client.snapshots.create("pkgs", tags=["pkgs"])
    assert "zebra==2.0.0\n" in shell.ok("snapshot", "environment", "pkgs")
    asked = ("snapshot", "restore", "pkgs", "--name", "pkgs2", "--dry-run")
    assert "with the packages of" not in shell.ok(*asked)
    (info / "METADATA").write_text("Name: zebra\nVersion: 2.0.2\n")
    info.rename(place / "zebra-2.0.2.dist-info")
    planned = shell.ok(*asked)
    assert "- Other versions of packages are there now (1): zebra 2.0.2 (was 2.0.0).\n" in planned
    assert f"--make-environment {shell.folder / 'pkgs2'}-env\n" in planned
    prefix.rename(shell.folder / "moved")
    refused = shell(*asked)
    assert refused.code == 2
    assert "--make-environment" in refused.out
    with pytest.raises(InvalidFields) as caught:
        client.snapshots.restore("pkgs", "pkgs2")
    (field,) = caught.value.fields
    assert field.field == "environment"
    assert "--environment" in field.hint
    restored = client.snapshots.restore("pkgs", "pkgs2", environment=lean_prefix())
    assert client.sessions.get(restored.session).spec.environment == lean_prefix()
    for name in ("pkgs", "pkgs2"):
        client.sessions.stop(name)


def test_a_hook_pauses_a_session_and_lets_it_go_on(shell: Shell, client: Client) -> None:
    folder = folder_of(shell, "hooked")
    hook, said = folder / ".gpuquota/hooks/snapshot", folder / "said"
    hook.parent.mkdir(parents=True)
    hook.write_text('#!/bin/sh\necho "$1" >> said\n[ "$1" = resume ] || [ ! -e busy ]\n')
    hook.chmod(0o755)
    client.sessions.submit("hooked", command=["sleep", "600"], folder=str(folder), wait=True)
    assert client.snapshots.create("hooked").consistency == "quiesced"
    wait_for(lambda: said.read_text().split() == ["pause", "resume"])
    (folder / "busy").touch()
    made = client.snapshots.create("hooked")
    assert (made.state, made.consistency) == ("partial", "best-effort")
    manifest = client.snapshots.show(made.id).manifest
    assert manifest
    wrong = {each.part: each.message for each in manifest.problems}
    assert wrong["hook"] == "The hook ended with 1."
    wait_for(lambda: said.read_text().split() == ["pause", "resume"] * 2)
    client.sessions.stop("hooked")


def test_what_was_left_out_and_what_will_differ_is_told(shell: Shell, client: Client) -> None:
    folder = folder_of(shell, "differs")
    client.volumes.create("scans", project="team-a", size="1Gi")
    words = ("-p", "team-a", "-v", "scans:/scans:ro", "--folder", str(folder))
    shell.ok("submit", "differs", *words, "--wait", "--", "sleep", "600")
    refused = shell("snapshot", "create", "differs", "--metric", "acc=nan")
    assert (refused.code, refused.err.splitlines()[1:]) == (
        2,
        ["  metrics: 'acc=nan': write NAME=NUMBER."],
    )
    shell.ok("snapshot", "create", "differs", "--tag", "differs", "--artifact", "best-*")
    shown = shell.ok("snapshot", "show", "differs")
    left = "left out:scans: The files of the volume scans are not in the snapshot"
    assert f"{left}: it is mounted read-only." in shown
    assert "left out:best-*: No file matches it." in shown
    asked = ("snapshot", "restore", "differs", "--dry-run")
    assert "- Volumes are used as they are now: scans." in shell.ok(*asked)
    refused = shell(*asked, "--variables")
    assert refused.code == 2
    assert "! variables: The snapshot has no variables of a kernel." in refused.out
    planned = shell.ok(*asked, "--folder", "new", "--name", "other")
    assert f"folder:   {shell.folder / 'work' / 'new'}\n" in planned
    assert "not stored, as they may be secrets: id_rsa.\n" in planned
    nowhere = shell(*asked, "--folder", str(folder / "none" / "new"))
    assert nowhere.out.count("! folder:") == 1
    client.sessions.stop("differs")


def test_volumes_are_copied_compared_verified_and_written_out(shell: Shell, client: Client) -> None:
    folder = folder_of(shell, "mounts")
    scratch = Path(client.volumes.create("scratch", project="team-a").folder)
    (scratch / "weights").write_text("first")
    words = ("-p", "team-a", "-v", "scratch:/in/scratch", "--folder", str(folder))
    shell.ok("submit", "mounts", *words, "--wait", "--", "sleep", "600")
    refused = shell("snapshot", "create", "mounts", "--volume", "other")
    assert "other: the session mounts does not mount it." in refused.err
    shell.ok("snapshot", "create", "mounts", "--tag", "first")
    (scratch / "weights").write_text("second one")
    second = client.snapshots.create("mounts", tags=["second"], volumes=["scratch"])
    assert second.providers == ("lake",)
    shell.ok("snapshot", "create", "mounts", "--tag", "bare", "--no-volumes")
    assert "volumes: scratch (lake, copied, best-effort)" in " ".join(
        shell.ok("snapshot", "show", "second").split()
    )
    differs = shell.ok("snapshot", "diff", "first", "second")
    assert "changed in/scratch/weights" in differs
    assert "train.py" not in differs
    shell.ok("snapshot", "verify", "first")
    shell.ok("snapshot", "export", "first", str(folder.parent / "written"))
    assert (folder.parent / "written/in/scratch/weights").read_text() == "first"
    assert (folder.parent / "written/train.py").is_file()
    planned = shell.ok("snapshot", "restore", "first", "--name", "mounts2", "--dry-run")
    assert "scratch=mounts2-scratch" in planned
    stop = "To go on with it instead of mounts: `jupyter gpu stop mounts`"
    assert f"{stop}, then keep {folder} or move it: `mv {folder} {folder}.old`." in planned
    restored = client.snapshots.restore("first", "mounts2")
    assert restored.volumes == ("mounts2-scratch",)
    client.sessions.wait("mounts2")
    assert (Path(restored.folder) / "in/scratch/weights").read_text() == "first"
    assert (scratch / "weights").read_text() == "second one"
    (used,) = client.volumes.get("mounts2-scratch", project="team-a").uses
    assert used.name == "mounts2"
    assert client.snapshots.restores()[0].state == "done"
    for name in ("mounts2", "mounts"):
        client.sessions.stop(name)
        wait_for(lambda name=name: client.sessions.get(name).state == "stopped")


def test_volumes_are_restored_and_written_out_without_the_folder(
    shell: Shell, client: Client
) -> None:
    folder = folder_of(shell, "lost")
    volume = Path(client.volumes.create("saved", project="team-a").folder)
    (volume / "weights").write_text("first")
    words = {"command": ["sleep", "600"], "volumes": ["saved:/in/saved"]}
    client.sessions.submit("lost", **words, folder=str(folder), wait=True)
    shutil.rmtree(folder)
    assert client.snapshots.create("lost", tags=["saved"]).state == "partial"
    client.sessions.stop("lost")
    wait_for(lambda: client.sessions.get("lost").state == "stopped")
    files_only = RestoreRequest(launch=False)
    (problem,) = client.snapshots.plan("saved", files_only).problems
    assert "can be restored into a new session" in problem.message
    shell.ok("snapshot", "verify", "saved")
    shell.ok("snapshot", "export", "saved", str(folder))
    assert (folder / "in/saved/weights").read_text() == "first"
    done = client.snapshots.restore("saved", "found")
    assert (done.folder, done.volumes) == ("", ("found-saved",))
    made = Path(client.volumes.get("found-saved", project="team-a").folder)
    assert (made / "weights").read_text() == "first"
    client.sessions.wait("found")
    client.sessions.stop("found")


def test_rules_are_tried_before_they_are_set(shell: Shell, client: Client) -> None:
    said = shell.ok("snapshot", "rules").split("\n")
    assert [line.split(maxsplit=1)[1] for line in said[:2]] == [
        "all snapshots",
        "none by themselves",
    ]
    said = shell.ok("snapshot", "rules", "--keep-last", "99", "--every", "5400", "--dry-run").split(
        "\n"
    )
    assert [line.partition(":")[2].strip() for line in said[:3]] == [
        "the last 99 of each session, all with a tag or a pin",
        "every 1 h 30 min while a session runs",
        "none",
    ]
    before = client.snapshots.settings().rules
    tried = client.snapshots.put_settings(SnapshotRulesRequest(keep_last=99, dry_run=True))
    assert (tried.rules.keep_last, tried.removed) == (99, ())
    assert client.snapshots.settings().rules == before
    client.snapshots.put_settings(SnapshotRulesRequest(keep_last=99))
    assert client.snapshots.settings().rules.keep_last == 99


def test_a_killed_controller_goes_on_with_a_restore(shell: Shell, client: Client) -> None:
    folder = folder_of(shell, "killed")
    client.sessions.submit("killed", command=["sleep", "600"], folder=str(folder), wait=True)
    client.snapshots.create("killed", tags=["killed"])
    begun = client.snapshots.restore("killed", "goes-on", wait=False)
    kill_controller(shell)
    done = ended(client, begun.id)
    assert (done.state, (Path(done.folder) / "train.py").read_text()) == ("done", "print(1)\n")
    names = [each.spec.name for each in client.sessions.list()]
    assert names.count("goes-on") == 1
    assert not list(folder.parent.glob(".goes-on.restoring-*"))
    assert f"done   goes-on  {done.folder}" in shell.ok("snapshot", "restores")
    for name in ("killed", "goes-on"):
        client.sessions.stop(name)


def test_a_snapshot_goes_on_without_its_controller(shell: Shell, client: Client) -> None:
    folder = folder_of(shell, "alone")
    client.sessions.submit("alone", command=["sleep", "600"], folder=str(folder), wait=True)
    made = client.snapshots.create("alone", tags=["alone"], wait=False)
    wait_for(lambda: client.snapshots.show(made.id).snapshot.state != "making" or _process(shell))
    kill_controller(shell)
    wait_for(lambda: client.snapshots.list(tag="alone"))
    wait_for(lambda: client.snapshots.list(tag="alone")[0].state == "ready")
    client.sessions.stop("alone")


def _process(shell: Shell) -> bool:
    return bool(shell.processes("jupyter_gpuquota.store"))
