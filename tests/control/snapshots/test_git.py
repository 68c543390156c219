"""What is checked out is recorded, and nothing that a repository names runs or is read."""

from __future__ import annotations

import hashlib
import os
import pty
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from jupyter_gpuquota.control.snapshots.git import Repository, origin, repository
from tests.store.contents import KEY
from tests.waiting import patience

ACCOUNT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "TERM": "xterm",
    **{
        f"GIT_{role}_{word}": "x@x"
        for role in ("AUTHOR", "COMMITTER")
        for word in ("NAME", "EMAIL")
    },
}


def run(folder: Path, *words: str, given: bytes = b"") -> str:
    """Run git as an ordinary program does."""
    done = subprocess.run(
        ["git", *words], cwd=folder, env=ACCOUNT, capture_output=True, check=True, input=given
    )
    return done.stdout.decode().strip()


def on_terminal(folder: Path, command: str) -> None:
    """Run a command on a terminal, as people do; how it ends does not matter."""
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=ACCOUNT,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            check=False,
            timeout=patience(),
        )
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a repository with one commit, and with changes in each way."""
    folder = tmp_path / "work"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("old\n")
    (folder / "b.txt").write_text("same\n")
    run(folder, "add", ".")
    run(folder, "commit", "-q", "-m", "first")
    (folder / "a.txt").write_text("new\n")
    (folder / "b.txt").write_text("same\n")  # its times differ
    os.utime(folder / "b.txt", (1, 1))
    (folder / "c.txt").write_text("unknown\n")
    return folder


class Plant(NamedTuple):
    """Settings that name a program, attributes, and the git command that runs it."""

    settings: dict[str, str]
    command: str
    attributes: str = ""
    missing: bool = False
    """Whether a committed file is missing, as in a partial clone."""


FETCH = {
    "extensions.partialClone": "origin",
    "core.repositoryFormatVersion": "1",
    "remote.origin.promisor": "true",
}
PLANTS = {
    "monitor": Plant({"core.fsmonitor": "PROGRAM"}, "git status"),
    "hooks": Plant({"core.hooksPath": "HOOKS"}, "git status"),
    "clean": Plant({"filter.x.clean": "PROGRAM"}, "git diff HEAD", "* filter=x"),
    "process": Plant({"filter.x.process": "PROGRAM"}, "git diff HEAD", "* filter=x"),
    "required": Plant(
        {"filter.x.clean": "PROGRAM", "filter.x.required": "true"}, "git diff HEAD", "* filter=x"
    ),
    "smudge": Plant({"filter.x.smudge": "PROGRAM"}, "git checkout-index -f -a", "* filter=x"),
    "external": Plant({"diff.external": "PROGRAM"}, "git diff HEAD"),
    "driver": Plant({"diff.x.command": "PROGRAM"}, "git diff HEAD", "* diff=x"),
    "text": Plant({"diff.x.textconv": "PROGRAM"}, "git diff HEAD", "* diff=x"),
    "merge": Plant(
        {"merge.x.driver": "PROGRAM"},
        "git stash && git commit --allow-empty -qm o && echo 1 > a.txt && git commit -qam 1"
        " && git stash pop",
        "* merge=x",
    ),
    "pager": Plant({"core.pager": "PROGRAM"}, "git diff HEAD"),
    "pager of a command": Plant({"pager.diff": "PROGRAM"}, "git diff HEAD"),
    "pager of settings": Plant({"pager.config": "PROGRAM"}, "git config --list"),
    "editor": Plant({"core.editor": "PROGRAM"}, "git commit -a"),
    "sequence editor": Plant({"sequence.editor": "PROGRAM"}, "git stash; git rebase -i --root"),
    "alias": Plant({"alias.x": "!PROGRAM"}, "git x"),
    "filter of hunks": Plant({"interactive.diffFilter": "PROGRAM"}, "yes | git add -p"),
    "signature": Plant(
        {"gpg.program": "PROGRAM", "log.showSignature": "true"},
        "git cat-file commit HEAD | sed"
        " 's/^committer.*/&\\ngpgsig -----BEGIN PGP SIGNATURE-----\\n x\\n"
        " -----END PGP SIGNATURE-----/' | git hash-object -t commit -w --stdin"
        " | xargs git update-ref HEAD; git log",
    ),
    "ssh signature": Plant(
        {"gpg.ssh.program": "PROGRAM", "gpg.format": "ssh", "user.signingKey": "key::x"},
        "git commit -S --allow-empty -m x",
    ),
    "transport": Plant(
        {**FETCH, "remote.origin.url": "ext::PROGRAM", "protocol.ext.allow": "always"},
        "git diff HEAD",
        missing=True,
    ),
    "ssh": Plant(
        {**FETCH, "remote.origin.url": "ssh://x/y", "core.sshCommand": "PROGRAM"},
        "git diff HEAD",
        missing=True,
    ),
    "proxy": Plant(
        {**FETCH, "remote.origin.url": "git://x/y", "core.gitProxy": "PROGRAM"},
        "git diff HEAD",
        missing=True,
    ),
    "upload": Plant(
        {**FETCH, "remote.origin.url": "/", "remote.origin.uploadpack": "PROGRAM"},
        "git diff HEAD",
        missing=True,
    ),
    "address": Plant(
        {
            **FETCH,
            "remote.origin.url": "https://example.com/x",
            "url.ext::PROGRAM %S .insteadOf": "https://example.com/",
            "protocol.ext.allow": "always",
        },
        "git diff HEAD",
        missing=True,
    ),
    "credentials": Plant(
        {"credential.helper": "!PROGRAM"},
        "printf 'protocol=https\\nhost=x\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill",
    ),
    "included file": Plant({"include.path": "INCLUDED"}, "git diff HEAD", "* filter=x"),
    "file included here": Plant(
        {"includeIf.gitdir:**.path": "INCLUDED"}, "git diff HEAD", "* filter=x"
    ),
    "settings of the worktree": Plant(
        {"core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true"},
        "git diff HEAD",
        "* filter=x",
    ),
    "attributes elsewhere": Plant(
        {"core.attributesFile": "ATTRIBUTES", "filter.x.clean": "PROGRAM"}, "git diff HEAD"
    ),
}


def planted(folder: Path, plant: Plant) -> Path:
    """Plant a program in a repository, and return the file that it writes when it runs."""
    aside = folder.parent
    ran, program = aside / "ran", aside / "program"
    program.write_text(f"#!/bin/sh\necho $$ >> {ran}\n")
    program.chmod(0o755)
    hooks = aside / "hooks"
    hooks.mkdir()
    shutil.copy(program, hooks / "post-index-change")
    shutil.copy(program, folder / ".git/hooks/post-index-change")
    (folder / ".git/hooks/post-index-change").write_text("#!/bin/sh\n")
    (aside / "attributes").write_text("* filter=x\n")
    (aside / "included").write_text(f'[filter "x"]\n\tclean = {program}\n')
    (folder / ".git/config.worktree").write_text(f'[filter "x"]\n\tclean = {program}\n')
    words = {"PROGRAM": program, "HOOKS": hooks, "INCLUDED": aside / "included"}
    words["ATTRIBUTES"] = aside / "attributes"
    if plant.missing:
        blob = run(folder, "rev-parse", "HEAD:a.txt")
        (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for name, value in plant.settings.items():
        for word, path in words.items():
            name, value = name.replace(word, str(path)), value.replace(word, str(path))  # noqa: PLW2901
        run(folder, "config", name, value)
    (folder / ".git/info/attributes").write_text(plant.attributes)
    return ran


@pytest.mark.parametrize("name", PLANTS)
def test_no_program_runs_that_a_repository_names(folder: Path, name: str) -> None:
    ran = planted(folder, PLANTS[name])
    if PLANTS[name].missing:
        with pytest.raises(subprocess.CalledProcessError) as caught:
            repository(folder, folder)
        assert b"unable to read" in caught.value.stderr
    else:
        found = repository(folder, folder)
        assert "-old\n+new\n" in found.patch.decode()
        assert found.patch.count(b"diff --git") == 1
        assert (found.part["dirty"], found.part["untracked"]) == (True, ["c.txt"])
    origin(folder)
    assert not ran.exists()
    on_terminal(folder, PLANTS[name].command)
    assert ran.exists(), "This repository does not run the program in the usual way either."


def test_a_filter_does_not_change_the_patch(folder: Path) -> None:
    planted(folder, Plant({"filter.x.clean": "tr a-z A-Z"}, "", "* filter=x"))
    found = repository(folder, folder)
    run(folder, "config", "--remove-section", "filter.x")
    run(folder, "checkout", "-q", "-f", "HEAD")
    run(folder, "apply", given=found.patch)
    assert (folder / "a.txt").read_text() == "new\n"


def test_no_program_runs_that_a_submodule_names(folder: Path) -> None:
    inner = folder / "inner"
    shutil.copytree(folder, inner, ignore=shutil.ignore_patterns("inner"))
    run(folder, "add", "inner")
    run(folder, "commit", "-q", "-m", "a submodule")
    ran = planted(inner, Plant({"core.fsmonitor": "PROGRAM"}, ""))
    found = repository(folder, folder)
    assert b"inner" not in found.patch
    assert not ran.exists()
    run(folder, "status")
    assert ran.exists()


def test_variables_and_the_path_of_a_session_name_no_program(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = folder.parent / "ran"
    program = folder / "git"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(program))
    assert b"-old\n+new\n" in repository(folder, folder).patch
    assert not ran.exists()


def whole(folder: Path) -> Repository:
    """Return what is checked out in a folder, which is not another repository's."""
    return repository(folder, folder)


def private(folder: Path) -> Path:
    """Return another repository of the account, whose files must not be read."""
    place = folder.parent / "private"
    place.mkdir()
    run(place, "init", "-q", "-b", "main")
    (place / "secret.txt").write_text("TOP-SECRET\n")
    run(place, "add", ".")
    run(place, "commit", "-q", "-m", "private")
    return place


def led_by_file(folder: Path, other: Path) -> None:
    shutil.rmtree(folder / ".git")
    (folder / ".git").write_text(f"gitdir: {other}/.git\n")


def led_by_link(folder: Path, other: Path) -> None:
    shutil.rmtree(folder / ".git")
    (folder / ".git").symlink_to(other / ".git")


def led_by_common(folder: Path, other: Path) -> None:
    (folder / ".git/commondir").write_text(f"{other}/.git\n")


def led_by_worktree(folder: Path, other: Path) -> None:
    run(other, "worktree", "add", "-q", str(folder.parent / "theirs"))
    shutil.rmtree(folder / ".git")
    shutil.copy(folder.parent / "theirs/.git", folder / ".git")


def led_by_references(folder: Path, other: Path) -> None:
    (folder / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    reference = folder / ".git/refs/heads/main"
    reference.unlink()
    reference.symlink_to(other / ".git/refs/heads/main")


def led_by_folder_of_references(folder: Path, other: Path) -> None:
    (folder / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    shutil.rmtree(folder / ".git/refs")
    (folder / ".git/refs").symlink_to(other / ".git/refs")


def led_by_index(folder: Path, other: Path) -> None:
    (folder / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    (folder / ".git/index").unlink()
    (folder / ".git/index").symlink_to(other / ".git/index")


def led_by_upwards_reference(folder: Path, other: Path) -> None:
    (folder / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    (folder / ".git/HEAD").write_text("ref: refs/../../../private/.git/refs/heads/main\n")


@pytest.mark.parametrize(
    "leads",
    [
        led_by_file,
        led_by_link,
        led_by_common,
        led_by_worktree,
        led_by_references,
        led_by_folder_of_references,
        led_by_index,
        led_by_upwards_reference,
    ],
)
def test_no_other_repository_of_the_account_is_read(folder: Path, leads) -> None:
    leads(folder, private(folder))
    with pytest.raises((OSError, ValueError, subprocess.CalledProcessError)) as caught:
        repository(folder, folder)
    assert "TOP-SECRET" not in str(caught.value)


def test_worktrees_and_submodules_are_read_where_their_repository_names_them(folder: Path) -> None:
    run(folder, "worktree", "add", "-q", "../second", "-b", "second")
    (folder.parent / "second/a.txt").write_text("newer\n")
    found = whole(folder.parent / "second")
    assert (found.part["branch"], b"+newer\n" in found.patch) == ("second", True)
    assert origin(folder.parent / "second")["commit"] == run(folder, "rev-parse", "second")
    source = private(folder)
    allowed = ("-c", "protocol.file.allow=always")
    run(folder, *allowed, "submodule", "--quiet", "add", str(source), "module")
    (folder / "module/secret.txt").write_text("ours\n")
    assert b"-TOP-SECRET\n+ours\n" in whole(folder / "module").patch


def test_a_view_of_a_folder_has_its_worktrees(folder: Path) -> None:
    run(folder, "worktree", "add", "-q", "../second", "-b", "second")
    view = folder.parent / "view"
    shutil.copytree(folder.parent / "second", view)
    (view / "a.txt").write_text("frozen\n")
    found = repository(view, view, live=folder.parent / "second")
    assert b"+frozen\n" in found.patch


def test_large_files_are_compared_by_their_pointers(folder: Path) -> None:
    body, other = b"weights" * 100, b"trained" * 100
    for name in ("kept.bin", "changed.bin"):
        sha256 = hashlib.sha256(body).hexdigest()
        (folder / name).write_text(
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(body)}\n"
        )
    (folder / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    run(folder, "add", ".")
    run(folder, "commit", "-q", "-m", "weights")
    (folder / "kept.bin").write_bytes(body)
    found = whole(folder)
    assert (found.part["dirty"], found.patch) == (False, b"")
    (folder / "changed.bin").write_bytes(other)
    found = whole(folder)
    assert found.part["dirty"]
    assert b"changed.bin" in found.patch
    assert b"kept.bin" not in found.patch


def test_a_very_large_change_is_named_and_others_are_in_the_patch(folder: Path) -> None:
    with (folder / "b.txt").open("wb") as file:
        file.truncate((64 << 20) + 1)
    found = whole(folder)
    assert found.patch.count(b"diff --git") == 1
    [why] = found.problems
    assert why == "b.txt: Its changes are not in the patch: it is larger than 64 MiB."


def test_files_are_compared_as_the_repository_and_the_account_say(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(folder, "config", "core.fileMode", "false")
    (folder / "b.txt").chmod(0o755)
    home = folder.parent / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignored\n")
    (home / "ignored").write_text("c.*\n")
    monkeypatch.setenv("HOME", str(home))
    found = whole(folder)
    assert found.patch.count(b"diff --git") == 1
    assert found.part["untracked"] == []


def test_every_kind_of_repository_is_read(folder: Path) -> None:
    run(folder, "pack-refs", "--all")
    run(folder, "update-index", "--split-index")
    run(folder, "remote", "add", "origin", "https://name:hunter2@example.com/x.git")
    found = whole(folder)
    assert found.part["commit"] == run(folder, "rev-parse", "HEAD")
    assert "hunter2" not in found.part["remote"]
    run(folder, "checkout", "-q", "--detach")
    assert whole(folder).part["branch"] == ""
    new = folder.parent / "sha256"
    run(folder.parent, "init", "-q", "--object-format=sha256", "sha256")
    (new / "a").write_text("1\n")
    run(new, "add", "a")
    assert b"+1\n" in whole(new).patch
    run(new, "commit", "-q", "-m", "first")
    assert len(origin(new / ".")["commit"]) == 64


def test_a_folder_without_a_repository_has_no_commit(tmp_path: Path) -> None:
    assert origin(tmp_path) == {}


def test_a_changed_file_with_a_key_is_in_no_patch(tmp_path: Path) -> None:
    run(tmp_path, "init")
    (tmp_path / "deploy").write_text("to come\n")
    (tmp_path / "site.key").write_bytes(b"to come\n")
    (tmp_path / "a.txt").write_text("1\n")
    run(tmp_path, "add", ".")
    run(tmp_path, "commit", "-m", "first")
    (tmp_path / "deploy").write_text(KEY)
    (tmp_path / "site.key").write_bytes(bytes.fromhex("308204bd020100300d06092a864886f70d"))
    (tmp_path / "a.txt").write_text("2\n")
    patch = repository(tmp_path, tmp_path).patch.decode()
    assert "+2" in patch
    assert "deploy" not in patch
    assert "site.key" not in patch
