"""`jupyter gpu` from end to end, with a controller of the chosen backend."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from jupyter_gpuquota.model.environments import Environments
from jupyter_gpuquota.model.history import History
from jupyter_gpuquota.model.nodes import Nodes
from jupyter_gpuquota.model.projects import AuditEntry, ProjectAnswer, Projects
from jupyter_gpuquota.model.quota import Project, Quota
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.struct import Page, Problem
from tests.shell import check_document, refused

SLEEP = ("--", "sleep", "600")


@pytest.fixture(scope="module")
def running(shell) -> str:
    """The name of a session that runs on half a GPU during the module's tests."""
    shell.ok("submit", "steady", "-g", "0.5", "-e", "COLOUR=blue", "--wait", *SLEEP)
    return "steady"


class TestLife:
    def test_a_session_from_launch_to_deletion(self, shell):
        ran = shell("submit", "life", "-g", "0.5", "-p", "team-b", "--wait", *SLEEP)
        assert ran.code == 0, ran
        assert "life is running." in ran.err.splitlines()
        assert "(simulated)" in ran.out
        assert "life" in shell.ok("list", "--state", "running", "-p", "team-b")
        said = "life: Suspended on request: out for lunch.\n"
        assert shell("suspend", "life", "-m", "out for lunch").out == said
        assert shell.ok("resume", "life", "--wait").startswith("life is running on")
        assert shell.ok("stop", "life") == "life: Stopped on request.\n"
        ran = shell("stop", "life")
        assert ran.code == 4
        assert "life is stopped" in ran.err
        assert shell.ok("delete", "life") == "Deleted life.\n"
        assert shell("describe", "life").code == 3

    @pytest.mark.parametrize(
        "words", [["logs", "it"], ["exec", "it", "--", "true"], ["bash", "it"]]
    )
    def test_unsupported_commands_name_the_backend(self, shell, words):
        shell.ok("--backend", "memory", "submit", "it", *SLEEP)
        ran = shell("--backend", "memory", *words)
        assert ran.code == 7
        assert "The memory backend" in ran.err
        shell.ok("--backend", "memory", "delete", "it", "--stop")


class TestDocuments:
    """`--json` prints what REST answers."""

    @pytest.mark.parametrize(
        ("words", "kind"),
        [
            (["list"], Page[Session]),
            (["describe", "steady"], Session),
            (["quota"], Quota),
            (["nodes"], Nodes),
            (["nodes", "--sessions"], Nodes),
            (["history"], History),
            (["environments"], Environments),
            (["project", "list"], Projects),
            (["project", "show", "team-a"], Project),
            (["project", "audit"], Page[AuditEntry]),
        ],
    )
    @pytest.mark.usefixtures("running")
    def test_documents_are_those_of_rest(self, shell, words, kind):
        check_document(shell(*words, "--json"), kind)

    def test_so_are_answers_to_changes_of_projects(self, shell):
        words = ("project", "set", "team-z", "--quota", "1", "--members", "ana,ben", "--json")
        made = msgspec.json.decode(shell.ok(*words), type=ProjectAnswer)
        assert made.project.members == ("ana", "ben")
        gone = shell.ok("project", "delete", "team-z", "--json")
        assert msgspec.json.decode(gone, type=ProjectAnswer).project is None
        assert "deleted project team-z" in shell.ok("project", "audit")

    def test_errors_are_documents_on_standard_error(self, shell):
        ran = shell("describe", "nothing", "--json")
        assert (ran.code, ran.out) == (3, "")
        assert msgspec.json.decode(ran.err, type=Problem).code == "NotFound"


BAD = {
    "zero": (["-g", "0"], "gpu"),
    "negative": (["-g", "-1"], "gpu"),
    "one and a half": (["-g", "1.5"], "gpu"),
    "nan": (["-g", "nan"], "gpu"),
    "vulgar": (["-g", "½"], "gpu"),
    "too fine": (["-g", "0.0001"], "gpu"),
    "compute": (["-g", "0.5", "--gpu-compute", "33"], "gpu_compute"),
    "memory": (["--gpu-memory", "64Gi"], "gpu_memory"),
    "both": (["-g", "0.5", "--gpu-memory", "8Gi"], "gpu_memory"),
    "mig": (["--mig-profile", "1g.10gb"], "mig_profile"),
    "project": (["-p", "team-x"], "project"),
    "environment": (["-i", "/nowhere"], "environment"),
    "port 0": (["--port", "0"], "ports[0]"),
    "port 70000": (["--port", "70000"], "ports[0]"),
    "priority": (["--priority", "101"], "priority"),
    "variable": (["-e", "CUDA_VISIBLE_DEVICES=0"], "env.CUDA_VISIBLE_DEVICES"),
}
NAMES = ["a b", "a/b", "../a", "x" * 300, "😀", "", "-a", "A", ".", "a\n"]


class TestBadInput:
    @pytest.mark.parametrize(("words", "field"), BAD.values(), ids=BAD)
    def test_a_bad_value_is_named(self, shell, words, field):
        assert list(refused(shell, "bad", *words)) == [field]

    @pytest.mark.parametrize("name", NAMES)
    def test_a_bad_name_is_named(self, shell, name):
        assert list(refused(shell, f"--name={name}")) == ["name"]

    def test_all_bad_values_are_named_together(self, shell):
        found = refused(shell, "a b", "-g", "0", "--port", "0", "-p", "nobody")
        assert set(found) == {"name", "gpu", "ports[0]", "project"}

    def test_errors_are_sentences_without_a_traceback(self, shell):
        ran = shell("submit", "bad", "-g", "½", "--interactive")
        assert ran.code == 2
        assert ran.err.startswith("jupyter gpu: 1 invalid field.\n  gpu: ")
        assert "Traceback" not in ran.err

    def test_a_taken_name(self, shell, running):
        ran = shell("submit", running, "--interactive")
        assert ran.code == 4
        assert running in ran.err

    def test_one_of_two_concurrent_launches_of_a_name_wins(self, shell):
        both = [shell.start("submit", "twin", *SLEEP) for _ in range(2)]
        codes = []
        for process in both:
            with process:
                process.communicate()
                codes.append(process.returncode)
        assert sorted(codes) == [0, 4]
        shell.ok("stop", "twin")
        shell.ok("delete", "twin")

    @pytest.mark.parametrize("name", ["../x", "..", "x/../y", "%2e%2e", "😀"])
    @pytest.mark.parametrize("verb", ["describe", "stop", "logs", "delete"])
    def test_a_name_that_is_a_path_is_not_found(self, shell, verb, name):
        ran = shell(verb, name)
        assert ran.code == 3
        assert "Traceback" not in ran.err

    def test_an_unusable_state_folder_is_reported(self, shell, tmp_path):
        (tmp_path / "file").write_text("")
        shell.more["GPUQUOTA_STATE_DIR"] = str(tmp_path / "file" / "state")
        try:
            ran = shell("list")
        finally:
            shell.more.clear()
        assert ran.code == 6
        assert "cannot be used" in ran.err
        assert "GpuQuota.state_dir" in ran.err

    @pytest.mark.parametrize("words", [["lst"], ["submit", "x", "--gpuu"], ["logs"], ["--x"]])
    def test_wrong_words_are_refused_with_a_suggestion(self, shell, words):
        ran = shell(*words)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("jupyter gpu: ")


class TestDryRun:
    def test_a_dry_run_starts_nothing(self, shell):
        told = shell.ok("submit", "maybe", "-g", "0.5", "--dry-run", "--", "true")
        assert "simulated" in told
        asked = ("submit", "maybe", "-g", "0.5", "--dry-run", "--json", "--", "true")
        assert json.loads(shell.ok(*asked))["verdict"] == "fits"
        assert shell("describe", "maybe").code == 3

    def test_a_dry_run_shows_borrowed_gpus(self, shell):
        told = shell("submit", "maybe", "-g", "5", "--dry-run", "--json", "--", "true")
        assert told.code == 0
        found = json.loads(told.out)
        assert found["verdict"] == "borrows"
        assert "which team-b can reclaim" in found["message"]

    def test_a_forbidden_dry_run_has_the_exit_code_of_the_request(self, shell):
        words = ("submit", "maybe", "-g", "5", "--interactive")
        ran = shell(*words, "--dry-run")
        assert ran.code == shell(*words).code == 2
        assert "team-a's quota is 4 GPUs" in ran.out
        assert "choose Interactive (spot) or Training" in ran.out


class TestWaiting:
    def test_interrupting_a_wait_leaves_the_session_alone(self, shell):
        by_hand = ("-p", "team-b", "--interactive", "--wait", "--command", *SLEEP)
        shell.ok("submit", "all", "-g", "2", *by_hand)
        with shell.start("submit", "next", "-g", "1", *by_hand) as process:
            first = process.stderr.readline()
            assert first.startswith("next is queued: ")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate()
        assert process.returncode == 130
        assert "The session continues" in err
        assert "Traceback" not in err
        assert shell.json("describe", "next")["state"] == "waiting"
        assert "next: " in shell.ok("list").splitlines()[-1]
        shell.ok("stop", "next", "all")
        shell.ok("delete", "next", "all")


class TestPreferences:
    def test_a_project_is_remembered_for_all_shells(self, shell):
        assert shell("project", "default", "team-x").code == 2
        assert shell.ok("project", "default", "team-b") == "Default project: team-b.\n"
        assert shell.json("project", "default") == {"project": "team-b"}
        shell.ok("submit", "prefers", *SLEEP)
        assert shell.json("describe", "prefers")["spec"]["project"] == "team-b"
        shell.ok("delete", "prefers", "--stop")
        shell.ok("project", "default", "--unset")
        assert (shell.folder / "config" / "gpuquota.json").stat().st_mode & 0o777 == 0o600


class TestHelp:
    def test_no_words_and_help_show_the_help(self, shell):
        assert shell.ok().startswith("usage: jupyter gpu")
        assert shell.ok("help", "submit").split() == shell.ok("submit", "--help").split()

    def test_a_closed_pipe_is_not_an_error(self, shell):
        with shell.start("help", "submit") as process:
            process.stdout.close()
            assert process.wait() in (0, 1)
            assert process.stderr.read() == ""

    def test_it_is_a_command_of_jupyter(self, shell):
        jupyter = str(Path(sys.executable).with_name("jupyter"))
        ran = subprocess.run(
            [jupyter, "gpu", "list", "--json"],
            env=shell.env,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "items" in json.loads(ran.stdout)


class TestCompletion:
    def complete(self, shell, line: str, program: str = "jupyter-gpu") -> set[str]:
        """Complete as bash does."""
        asked = {
            "_ARGCOMPLETE": "1",
            "_ARGCOMPLETE_IFS": "\013",
            "_ARGCOMPLETE_SHELL": "bash",
            "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
            "_ARGCOMPLETE_STDOUT_FILENAME": str(shell.folder / "completions"),
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
        }
        found = shell.folder / "completions"
        found.write_text("")
        command = str(Path(sys.executable).with_name(program))
        subprocess.run([command], env={**shell.env, **asked}, check=False)
        return set(filter(None, found.read_text().split("\013")))

    @pytest.mark.parametrize("program", ["jupyter-gpu", "jupyter"])
    def test_commands_options_and_names(self, shell, running, program):
        said = "jupyter gpu" if program == "jupyter" else program
        assert self.complete(shell, f"{said} st", program) == {"stop"}
        assert self.complete(shell, f"{said} submit x --gpu-m", program) == {"--gpu-memory"}
        assert self.complete(shell, f"{said} describe ", program) == {running}
        assert self.complete(shell, f"{said} submit x -p te", program) == {"team-a", "team-b"}
        assert self.complete(shell, f"{said} project def", program) == {"default"}
        assert self.complete(shell, f"{said} policy set proj", program) == {
            "project:team-a",
            "project:team-b",
        }
        found = self.complete(shell, f"{said} policy set everyone gpu_", program)
        assert found >= {"gpu_idle_timeout=", "gpu_idle_action=stop"}

    def test_completion_starts_no_controller_and_prints_nothing(self, shell, tmp_path):
        shell.more["GPUQUOTA_STATE_DIR"] = str(tmp_path / "state")
        try:
            assert self.complete(shell, "jupyter-gpu describe ") == set()
        finally:
            shell.more.clear()
        assert not (tmp_path / "state").exists()
