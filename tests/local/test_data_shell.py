"""`jupyter gpu data` as a user runs it: real processes, a real lake, a real cache."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.model.datasets.caches import CacheList
from jupyter_gpuquota.model.datasets.datasets import Dataset, DatasetList, LakeList
from jupyter_gpuquota.model.datasets.files import Comparison, DataFile
from jupyter_gpuquota.model.datasets.jobs import Job, JobList, JobReport
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.struct import Page, Problem
from jupyter_gpuquota.store.processes import this_process
from tests.shell import Shell, check_document, shell, wait_for
from tests.waiting import patience

__all__ = ["shell"]

DEMO = Path(__file__).resolve().parents[2] / "demo"
AWKWARD = [b"new\nline", b"\x1b[31mred", b"caf\xe9", b"back\\slash", b"-dash", b"x" * 255, b"a:b@c"]


@pytest.fixture(scope="module")
def letters(shell: Shell) -> Path:
    """A folder whose two states are the versions v1 and v2 of the dataset `letters`."""
    folder = shell.folder / "work" / "letters"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "sub" / "b.txt").write_text("b")
    shell.ok("data", "init", "letters", "-p", "team-a", "--read", "all")
    shell.ok("data", "sync", "letters", "letters", "-m", "first", "--tag", "v1")
    (folder / "a.txt").write_text("aa")
    (folder / "c.txt").write_text("c")
    shell.ok("data", "sync", "letters", "letters", "-m", "second", "--tag", "v2")
    return folder


@pytest.fixture
def client(shell: Shell) -> Client:
    return Client(state_dir=shell.folder / "state")


@pytest.fixture
def held(client: Client, letters: Path) -> Iterator[Callable[[], None]]:
    """Keep the turn to sync `letters`, as another process would, until it is called."""
    job = uuid.uuid4().hex[:12]
    report = JobReport(
        kind="sync",
        dataset="letters",
        host=socket.gethostname(),
        pid=os.getpid(),
        begun=this_process().start,
        state="running",
    )

    def tell(state: str) -> None:
        body = msgspec.structs.replace(report, state=state)
        client.context.call("jobs.report", {"job": job}, body=body)

    tell("waiting")
    tell("running")
    yield lambda: tell("done")
    if client.datasets.job(job).active:
        tell("done")


def waiting_job(client: Client, job: str = "") -> Job:
    """Return a job that waits for its turn, once there is one."""
    return wait_for(
        lambda: next(
            (
                each
                for each in client.datasets.jobs("letters", active=True)
                if each.state == "waiting" and each.pid and job in {"", each.id}
            ),
            None,
        )
    )


class TestLife:
    def test_a_version_from_its_folder_to_the_cache_and_back(self, shell, letters):
        assert "second" in shell.ok("data", "versions", "letters").splitlines()[1]
        assert shell("data", "diff", "letters@v1", "letters@v2").out.splitlines()[1:] == [
            "~ a.txt  (1 B → 2 B)",
            "+ c.txt  (1 B)",
        ]
        assert shell.ok("data", "cat", "letters@v1:a.txt") == "a"
        missing = shell("data", "path", "letters@v1")
        assert (missing.code, missing.out) == (3, "")
        assert "data cache letters@v1" in missing.err
        assert "is cached" in shell.ok("data", "cache", "letters@v1")
        folder = Path(shell.ok("data", "path", "letters@v1").removesuffix("\n"))
        assert (folder / "sub" / "b.txt").read_text() == "b"
        assert not (folder / "a.txt").stat().st_mode & 0o222
        assert "is intact" in shell.ok("data", "verify", "letters@v1")
        shell.ok("data", "export", "letters@v1", "back")
        assert (shell.folder / "work" / "back" / "a.txt").read_text() == "a"
        assert shell("data", "export", "letters@v1", "back").code == 4

    def test_what_is_pinned_stays(self, shell, letters):
        shell.ok("data", "cache", "letters@v2")
        shell.ok("data", "pin", "letters@v2", "--until", "2d", "--why", "a test")
        assert "(a test)" in shell.ok("data", "caches", "letters")
        assert shell("data", "rm", "letters@v2").code == 4
        shell.ok("data", "unpin", "letters@v2")
        shell.ok("data", "uncache", "letters@v2")
        assert shell("data", "path", "letters@v2").code == 3

    def test_a_sync_without_changes_makes_no_version(self, shell, letters):
        found = shell.ok("data", "sync", "letters", "letters", "--quiet").strip()
        assert found == shell.json("data", "show", "letters@v2")["id"]

    def test_damage_in_the_cache_is_named(self, shell, letters):
        shell.ok("data", "cache", "letters@v1")
        broken = Path(shell.ok("data", "path", "letters@v1:a.txt").removesuffix("\n"))
        broken.chmod(0o644)
        broken.write_text("X")
        broken.chmod(0o444)
        ran = shell("data", "verify", "letters@v1", "--cache")
        assert ran.code == 1
        assert ran.out.splitlines()[0] == "a.txt"
        assert "replaced from the lake" in ran.out
        assert broken.read_text() == "a"

    @pytest.mark.parametrize(
        ("words", "kind"),
        [
            (["list"], DatasetList),
            (["show", "letters"], Dataset),
            (["show", "letters@v1"], Version),
            (["versions", "letters"], Page[Version]),
            (["ls", "letters@v1"], Page[DataFile]),
            (["diff", "letters@v1", "letters@v2"], Comparison),
            (["caches"], CacheList),
            (["jobs"], JobList),
            (["lakes"], LakeList),
            (["tag", "letters@v1", "old"], Version),
        ],
    )
    @pytest.mark.usefixtures("letters")
    def test_documents_are_those_of_rest(self, shell, words, kind):
        check_document(shell("data", *words, "--json"), kind)


def test_awkward_names_travel_and_are_shown_safely(shell):
    folder = shell.folder / "work" / "odd"
    folder.mkdir()
    for name in AWKWARD:
        (folder / os.fsdecode(name)).write_bytes(name)
    shell.ok("data", "init", "odd", "-p", "team-a")
    shell.ok("data", "sync", "odd", "odd")
    ran = shell("data", "ls", "odd")
    assert {line[27:] for line in ran.out.splitlines()} >= {
        r"new\nline",
        r"caf\xe9",
        r"\x1b[31mred",
    }
    assert all(line.isprintable() for line in ran.out.splitlines())
    for name in AWKWARD:
        command = [sys.executable, "-m", "jupyter_gpuquota.ui.cli", "data", "cat", b"odd:" + name]
        ran = subprocess.run(command, env=shell.env, stdout=subprocess.PIPE, check=True)
        assert ran.stdout == name
    shell.ok("data", "export", "odd", "odd-back")
    back = shell.folder / "work" / "odd-back"
    assert sorted(os.fsencode(each.name) for each in back.iterdir()) == sorted(AWKWARD)
    os.mkfifo(folder / "pipe\x1b[2J")
    ran = shell("data", "sync", "odd", "odd")
    assert ran.code == 2
    assert "pipe" in ran.err
    assert "\x1b" not in ran.err


class TestJobs:
    def test_a_second_sync_waits_for_its_turn(self, shell, client, held):
        job = shell.ok("data", "sync", "letters", "letters", "--detach").strip()
        assert waiting_job(client, job).reason
        assert job in shell.ok("data", "jobs", "letters", "--active")
        held()
        shell.ok("data", "wait", job)
        assert client.datasets.job(job).state == "done"

    def test_ctrl_c_cancels(self, shell, client, held):
        with shell.start("data", "sync", "letters", "letters", start_new_session=True) as process:
            job = waiting_job(client)
            os.killpg(process.pid, signal.SIGINT)
            _, err = process.communicate(timeout=patience())
        assert process.returncode == 130, err
        assert client.datasets.job(job.id).state == "cancelled"
        assert "Traceback" not in err

    def test_a_job_of_another_terminal_is_cancelled(self, shell, client, held):
        with shell.start("data", "sync", "letters", "letters") as process:
            shell.ok("data", "cancel", waiting_job(client).id)
            _, err = process.communicate(timeout=patience())
        assert process.returncode == 4
        assert "was cancelled" in err

    def test_a_killed_one_is_marked_and_the_next_goes_on(self, shell, client, held):
        job = waiting_job(
            client, shell.ok("data", "sync", "letters", "letters", "--detach").strip()
        )
        os.kill(job.pid, signal.SIGKILL)
        ran = shell("data", "wait", job.id)
        assert ran.code == 4
        assert "no longer reports" in ran.err
        held()
        shell.ok("data", "sync", "letters", "letters")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("data versions l", {"letters "}),
        ("data ls letters@v", {"v1", "v2"}),
        ("data cat letters@v1:", {"a.txt", "sub/"}),
        ("data sync letters lett", {"letters/"}),
    ],
)
def test_the_shell_completes_names_versions_and_paths(shell, letters, tmp_path, line, words):
    whole = f"jupyter-gpu {line}"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n\"'><=;|&(:@",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "offered"),
        "COMP_LINE": whole,
        "COMP_POINT": str(len(whole)),
    }
    command = [sys.executable, "-m", "jupyter_gpuquota.ui.cli"]
    env = {**shell.env, **asked}
    subprocess.run(command, env=env, cwd=shell.folder / "work", check=True, timeout=patience())
    offered = (tmp_path / "offered").read_text().split("\n")
    assert {each for each in offered if not each.startswith("-")} == words


def test_a_lake_of_one_s_own_is_read_by_one_s_own_processes(shell, letters):
    lake = shell.folder / "mine"
    lake.mkdir()
    make = ("data", "init", "mine", "-p", "team-a", "--lake", lake.as_uri())
    assert "mine has 0 versions." in shell.ok(*make)
    shell.ok("data", "sync", "mine", "letters", "--tag", "v1")
    assert "a.txt" in shell.ok("data", "ls", "mine@v1")
    ran = shell("data", "cat", "mine@v1:a.txt")
    assert (ran.code, ran.out) == (4, "")
    assert "data cache mine@" in ran.err
    shell.ok("data", "cache", "mine@v1")
    assert shell.ok("data", "cat", "mine@v1:a.txt") == "aa"
    shell.ok("data", "uncache", "mine@v1")
    assert "Removed 0 objects" in shell.ok("data", "gc", lake.as_uri(), "--grace", "0")
    shell.ok("data", "rm", "mine")
    assert "mine has 1 version." in shell.ok(*make)
    assert "v1" in shell.ok("data", "versions", "mine")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show", "nothing"], 3, "Dataset 'nothing' not found."),
        (["show", "letters@nothing"], 3, "one of: latest"),
        (["ls", "letters@v1:nothing"], 3, "no folder nothing"),
        (["cat", "letters@v1"], 2, "path: Name a file of the version."),
        (["cat", "letters@v1:sub"], 3, "no file sub"),
        (["sync", "letters", "nowhere"], 2, "folder: "),
        (["sync", "letters", "letters", "--tag", "latest"], 2, "tag: "),
        (["sync", "nothing", "letters"], 3, "Dataset 'nothing' not found."),
        (["tag", "letters", "a b"], 2, "tag: "),
        (["untag", "letters", "nothing"], 3, "no tag 'nothing'"),
        (["pin", "letters@v2", "--until", "yesterday"], 2, "until: "),
        (["diff", "letters@v1", "other@v2"], 2, "same dataset"),
        (["cancel", "nothing"], 3, "Job 'nothing' not found."),
        (["init", "Bad Name", "--lake", "nolake", "-p", "team-x"], 2, "lake: "),
        (["init", "letters", "-p", "team-a"], 4, "A dataset letters exists already."),
        (["lakes", "set", "disk", "ftp://x"], 2, "url"),
        (["rules", "--unused", "soon"], 2, "unused"),
    ],
)
@pytest.mark.usefixtures("letters")
def test_mistakes_say_what_to_do(shell, words, code, said):
    ran = shell("data", *words)
    assert (ran.code, ran.out) == (code, ""), ran
    assert said in ran.err
    as_document = shell("data", *words, "--json") if words[0] != "cat" else None
    if as_document:
        assert msgspec.json.decode(as_document.err.splitlines()[-1], type=Problem).message


def test_all_fields_are_reported_at_once(shell):
    ran = shell("data", "init", "Bad Name", "--lake", "nolake", "-p", "team-x", "--read", "team-y")
    assert [line.split(":")[0].strip() for line in ran.err.splitlines()[1:5]] == [
        "name",
        "project",
        "lake",
        "readers",
    ]


def test_the_demo_makes_its_data_once(shell):
    for words in (["shapes.py"], ["training.py", str(shell.folder / "training")]) * 2:
        command = [sys.executable, DEMO / words[0], *words[1:]]
        subprocess.run(command, env=shell.env, check=True, timeout=patience())
    found = shell.json("data", "versions", "shapes")["items"]
    assert [version["tags"] for version in found] == [["v2"], ["v1"]]
    assert "shape,red,green,blue" in shell.ok("data", "cat", "shapes@v1:labels.csv")
    assert shell.ok("data", "cache", "shapes@v1")
    assert [each["name"] for each in shell.json("volume", "list")["items"]] == ["scratch"]
    taken = shell.json("snapshot", "list")["items"]
    assert [each["note"] for each in taken] == ["a larger learning rate", "first try"]
