"""`jupyter gpu` and real sessions: their logs, programs inside them, and their ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest

from jupyter_gpuquota.model.programs import ExecResult
from jupyter_gpuquota.model.sessions import LogChunk
from tests.chosen import settings
from tests.shell import TEAMS, Shell, check_document, opened, refused, wait_for


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell whose controller looks at activity every second."""
    config = settings(projects=TEAMS, idle_interval=1)
    with opened(tmp_path_factory.mktemp("shell"), config) as opened_shell:
        yield opened_shell


@pytest.fixture(scope="module")
def running(shell) -> str:
    """The name of a session that runs a command on half a GPU for as long as the module's tests."""
    words = ("submit", "steady", "-g", "0.5", "-e", "COLOUR=blue", "--wait")
    shell.ok(*words, "--", "sleep", "600")
    return "steady"


class TestLife:
    def test_a_jupyter_server_from_launch_to_deletion(self, shell):
        ran = shell("submit", "life", "-g", "0.5", "-p", "team-b", "--interactive", "--wait")
        assert ran.code == 0, ran
        assert "life is running." in ran.err.splitlines()
        assert "(simulated)" in ran.out
        assert f"Its folder is {shell.folder / 'work'}. Open it with" in ran.out
        assert "life" in shell.ok("list", "--state", "running", "-p", "team-b")
        assert "Jupyter Server" in shell.ok("logs", "life")
        assert shell("suspend", "life").out == "life: Suspended on request.\n"
        assert shell.ok("resume", "life", "--wait").startswith("life is running on")
        assert "; 1 session keeps running." in shell.ok("controller", "stop")
        assert "life" in shell.ok("list", "--state", "running")
        # The controller has just started, so pages that are open may not have reported yet.
        unknown = "It is not known whether notebooks had unsaved changes."
        assert shell.ok("stop", "life") == f"life: Stopped on request. {unknown}\n"
        assert shell.ok("delete", "life") == "Deleted life.\n"
        assert shell("describe", "life").code == 3

    def test_a_training_ends_and_its_log_stays(self, shell):
        script = "import os; print('share', os.environ['GPUQUOTA_SHARE'])"
        ran = shell("submit", "train1", "-g", "1", "--wait", "--", sys.executable, "-c", script)
        assert ran.code == 0, ran
        assert "share 1 GPU" in shell.ok("logs", "train1", "-f")
        assert shell.json("describe", "train1")["state"] == "done"
        shell.ok("delete", "train1")

    def test_one_that_ends_at_once_fails_the_wait_and_says_why(self, shell):
        program = "import sys; print('no such data'); sys.exit(3)"
        ran = shell("submit", "broken", "--wait", "--", sys.executable, "-c", program)
        assert ran.code == 1
        assert "failed" in ran.out
        assert "code 3" in ran.out
        assert "no such data" in ran.out
        shell.ok("delete", "broken")

    def test_a_command_runs_where_the_user_is(self, shell):
        said = shell.ok("submit", "where", "--wait", "--", "pwd", cwd=shell.folder)
        assert f"Its folder is {shell.folder}." in said
        assert shell.ok("logs", "where").strip().endswith(str(shell.folder))
        shell.ok("delete", "where")

    def test_stopping_what_has_just_ended(self, shell):
        shell.ok("submit", "quick", "--wait", "--", "true")
        ran = shell("stop", "quick")
        assert ran.code == 4
        assert "quick is done" in ran.err
        shell.ok("delete", "quick")


class TestBadInput:
    def test_a_folder_that_there_is_not(self, shell):
        assert list(refused(shell, "bad", "--folder", "/nowhere")) == ["folder"]

    def test_an_environment_without_jupyter(self, shell, tmp_path):
        bare = str(tmp_path / "bare")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
        assert list(refused(shell, "bad", "-i", bare)) == ["environment"]


class TestInside:
    def test_a_program_is_in_the_session_and_its_exit_code_is_ours(self, shell, running):
        script = "echo $COLOUR $GPUQUOTA_NAME; pwd; exit 7"
        ran = shell.apart("exec", running, "--", "sh", "-c", script)
        assert (ran.code, ran.out) == (7, f"blue {running}\n{shell.folder / 'work'}\n")

    def test_it_counts_as_use_however_short(self, shell, running):
        def used() -> str:
            found = shell.json("policy", "explain", running)["activity"]
            signals = {signal["name"]: signal for signal in found["signals"]}
            return signals["presence"]["last"] if "presence" in signals else ""

        before = wait_for(used)
        assert shell.apart("exec", running, "--", "true").code == 0
        wait_for(lambda: used() > before)

    def test_its_words_are_not_ours(self, shell, running):
        ran = shell.apart("exec", running, "--", "echo", "--json")
        assert ran.out == "--json\n"

    def test_what_it_printed_is_a_document_too(self, shell, running):
        check_document(shell("exec", running, "--json", "--", "true"), ExecResult)

    def test_it_reads_what_is_typed(self, shell, running):
        assert shell.apart("exec", running, "cat", typed="hello").out == "hello"

    def test_a_signal_is_passed_through(self, shell, running):
        assert shell.apart("exec", running, "--", "sh", "-c", "kill -9 $$").code == -9

    def test_no_shell_reads_the_words(self, shell, running):
        assert shell.apart("exec", running, "--", "echo", "$(id)", "; id").out == "$(id) ; id\n"

    def test_a_program_that_there_is_not(self, shell, running):
        ran = shell.apart("exec", running, "--", "no-such-program")
        assert ran.code == 3
        assert "no-such-program" in ran.err

    def test_bash_is_a_shell_inside(self, shell, running):
        ran = shell.apart("bash", running, typed="echo $GPUQUOTA_SHARE\nexit 5\n")
        assert (ran.code, ran.out) == (5, "0.5 GPU\n")
        assert "You are inside steady" in ran.err

    def test_only_what_runs_can_be_entered(self, shell):
        shell.ok("submit", "over", "--wait", "--", "true")
        assert shell("exec", "over", "--", "true").code == 4
        assert shell("bash", "over").code == 4
        shell.ok("delete", "over")


class TestLogs:
    def test_a_piece_is_a_document(self, shell, running):
        check_document(shell("logs", running, "--json"), LogChunk)

    def test_a_log_is_followed_to_its_end(self, shell):
        script = "import time\nfor i in range(3): print('line', i, flush=True); time.sleep(0.3)"
        shell.ok("submit", "talk", "--", sys.executable, "-c", script)
        assert shell.ok("logs", "talk", "-f").splitlines()[-3:] == ["line 0", "line 1", "line 2"]
        lines = shell.ok("logs", "talk", "-f", "--json").splitlines()
        pieces = [msgspec.json.decode(line, type=LogChunk) for line in lines]
        assert "line 2" in "".join(piece.text for piece in pieces)
        shell.ok("delete", "talk")

    def test_following_stops_at_an_interrupt(self, shell):
        shell.ok("submit", "chatty", "--wait", "--", "sh", "-c", "echo begin; sleep 600")
        with shell.start("logs", "chatty", "-f") as process:
            wait_for(lambda: process.stdout.readline() == "begin\n")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate()
        assert (process.returncode, err.strip()) == (0, "")
        shell.ok("stop", "chatty")
        shell.ok("delete", "chatty")
