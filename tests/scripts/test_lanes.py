"""`make test` runs two parts at a time, shows each in one piece, and ends with the total."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.parts import FEW, LAST_FAILED

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "lint",
    *(f"test-{name}" for name in ("architecture", "frontend", "browser", "python", "hub")),
    *("test-cluster", "test-packaging"),
)

# Says what it does at both ends, and notes whether it was alone meanwhile.
PART = """
REPORTS := reports
test-setup:
	@echo setting up; exit $(SETUP)
%:
	@echo begin $@ $(ARGS) >> order; echo first line of $@; $(TEST)
	@(echo '<testsuite>'; for t in $$(seq $(TESTS)); do \\
		echo "<testcase name='t$$t' time='2.5'>$(FAILURE)</testcase>"; done; \\
		echo '</testsuite>') > $(REPORTS)/$(patsubst test-%,%,$@).xml
	@echo last line of $@; echo end $@ >> order; $(if $(FAILURE),false)
Makefile: ;
"""


@pytest.fixture
def project(tmp_path):
    """A project whose parts do next to nothing."""
    (tmp_path / "scripts").mkdir()
    for name in ("test_all.py", "parts.py", "reports.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    return tmp_path


def run(project, *, setup=0, test=":", tests=1, failure=""):
    """Run it; in the Makefile, `failure` is text in each test case of a part that failed."""
    given = {"SETUP": setup, "TEST": test, "TESTS": tests, "FAILURE": failure}
    text = PART
    for name, value in given.items():
        text = text.replace(f"$({name})", str(value))
    (project / "Makefile").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "scripts.test_all"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def test_all_parts_are_run_and_added_up(project):
    ran = run(project)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "8 passed, 0 failed"
    assert len((project / "reports" / "durations.txt").read_text().splitlines()) == 8


def test_what_a_part_prints_is_shown_in_one_piece_and_kept(project):
    ran = run(project)
    for target in PARTS:
        said = f"first line of {target}\nlast line of {target}\n"
        assert f"── make {target} ──\n{said}" in ran.stdout
        assert (project / "reports" / f"{target}.log").read_text() == said


def test_two_parts_run_at_a_time(project):
    """The first two parts wait for each other."""
    meet = "case $@ in test-browser) touch a; W=b;; test-python) touch b; W=a;; *) W=order;; esac; "
    ran = run(project, test=f"{meet} until [ -e $$W ]; do sleep 0.05; done")
    assert ran.returncode == 0, ran.stdout


def test_a_lane_that_is_free_takes_the_next_part(project):
    """The longest part ends when all others have ended beside it."""
    all_others = f"[ $@ != test-python ] || until [ $$(grep -c ^end order) = {len(PARTS) - 1} ]"
    ran = run(project, test=f"{all_others}; do sleep 0.05; done")
    assert ran.returncode == 0, ran.stdout


def test_a_failed_part_is_counted_and_the_rest_goes_on(project):
    ran = run(project, test='[ "$@" != test-frontend ]')
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1] == "7 passed, 1 failed"


def test_without_its_set_up_no_part_runs_beside_another(project):
    ran = run(project, setup=1)
    assert ran.stdout.splitlines()[-1] == "8 passed, 0 failed"
    assert "setting up" in ran.stdout
    lines = (project / "order").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["begin", "end"] * 8


def failing(part, *, always=False):
    """The text of a failure in each test of a part, if need be only when all its tests run."""
    first = "$(if $(filter --last-failed --onlyFailures,$(ARGS)),,<failure>at line 1</failure>)"
    return f"$(if $(filter {part},$@),{'<failure/>' if always else first})"


@pytest.mark.parametrize("part", LAST_FAILED)
def test_where_a_few_tests_that_wait_failed_those_are_run_again_alone(project, part):
    ran = run(project, failure=failing(part))
    assert ran.returncode == 0, ran.stdout
    lines = ran.stdout.splitlines()
    assert lines[-1] == "8 passed, 0 failed"
    assert [line for line in lines if "only when" in line] == [
        "  passed only when run again: t1: at line 1"
    ]
    began, ended = (project / "order").read_text().splitlines()[-2:]
    assert began == f"begin {part} {LAST_FAILED[part]}"
    assert ended == f"end {part}"
    assert "<failure>" in (project / f"reports/{part.removeprefix('test-')}.xml").read_text()


def test_what_fails_again_has_failed(project):
    ran = run(project, failure=failing("test-hub", always=True))
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1] == "7 passed, 1 failed"
    assert "passed only when run again" not in ran.stdout
    assert "  failed: t1: " in ran.stdout


@pytest.mark.parametrize(
    ("part", "tests"),
    [("lint", 1), ("test-architecture", 1), ("test-hub", FEW + 1)],
    ids=["lint", "architecture", "too many"],
)
def test_other_failures_are_not_run_again(project, part, tests):
    ran = run(project, tests=tests, failure=failing(part))
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1] == f"{7 * tests} passed, {tests} failed"
    assert "--last-failed" not in (project / "order").read_text()
