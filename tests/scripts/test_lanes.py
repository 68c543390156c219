"""`make test` runs parts in lanes, shows each in one piece, and ends with the total."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.test_all import COMPUTING, PARTS, WAITING

ROOT = Path(__file__).resolve().parents[2]
TESTS = [part.target for part in PARTS if part.tests]

# Notes when each part begins and ends, and writes a report with one test.
MAKEFILE = """
REPORTS := reports
REPORT = <testsuite><testcase name='t1' time='2.5'>$(FAILURE)</testcase></testsuite>
test-setup:
	@echo setting up; exit $(SETUP)
%:
	@echo begin $@ $$(nice) >> order; echo first line of $@; $(TEST)
	@$(if $(findstring programs,$@),,echo "$(REPORT)" > $(REPORTS)/$(patsubst test-%,%,$@).xml)
	@echo last line of $@; echo end $@ >> order; $(if $(FAILURE),false)
Makefile: ;
"""


@pytest.fixture
def project(tmp_path):
    """A project whose parts do next to nothing."""
    (tmp_path / "scripts").mkdir()
    for name in ("test_all.py", "parts.py", "reports.py", "metered.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    return tmp_path


def run(project, *, setup=0, test=":", failure="", over=None):
    """Run it; in the Makefile, `failure` is text in each test case of a part that failed."""
    text = MAKEFILE
    for name, value in {"SETUP": setup, "TEST": test, "FAILURE": failure}.items():
        text = text.replace(f"$({name})", str(value))
    (project / "Makefile").write_text(text, encoding="utf-8")
    if over is not None:
        script = project / "scripts" / "test_all.py"
        script.write_text(script.read_text().replace("OVER = 60 * 60", f"OVER = {over}"))
    command = [sys.executable, "-m", "scripts.test_all"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def order(project):
    return [line.split() for line in (project / "order").read_text().splitlines()]


def test_all_parts_are_run_and_added_up(project):
    ran = run(project)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == f"{len(TESTS)} passed, 0 failed"
    assert len((project / "reports" / "durations.txt").read_text().splitlines()) == len(TESTS)


def test_what_a_part_prints_is_shown_in_one_piece_and_kept(project):
    ran = run(project)
    for part in PARTS:
        said = f"first line of {part.target}\nlast line of {part.target}\n"
        assert f"── make {part.target} ──\n{said}" in ran.stdout
        assert (project / "reports" / f"{part.target}.log").read_text() == said


def test_two_parts_that_wait_and_one_that_computes_run_at_a_time(project):
    """They wait for one another."""
    three = (WAITING[0].target, WAITING[1].target, COMPUTING[0].target)
    touch = " ".join(f"{name}) touch {name};;" for name in three)
    wait = " && ".join(f"[ -e {name} ]" for name in three)
    ran = run(project, test=f"case $@ in {touch} esac; until {wait}; do sleep 0.05; done")
    assert ran.returncode == 0, ran.stdout


def test_what_computes_gives_way(project):
    run(project)
    priorities = {line[1]: line[2] for line in order(project) if line[0] == "begin"}
    ours = str(os.nice(0))
    assert {priorities[part.target] for part in WAITING} == {ours}
    assert {priorities[part.target] for part in COMPUTING} == {"19"}


def test_a_lane_that_is_free_takes_the_next_part(project):
    """The longest part ends when all others have ended beside it."""
    others = f"[ $@ != test-python ] || until [ $$(grep -c ^end order) = {len(PARTS) - 1} ]"
    ran = run(project, test=f"{others}; do sleep 0.05; done")
    assert ran.returncode == 0, ran.stdout


def test_a_part_begins_when_what_it_needs_has_ended(project):
    run(project, test="[ $@ != cluster-programs ] || sleep 0.5")
    lines = [line[:2] for line in order(project)]
    assert lines.index(["end", "cluster-programs"]) < lines.index(["begin", "test-cluster"])


def test_a_failed_part_is_counted_and_the_rest_goes_on(project):
    ran = run(project, test='[ "$@" != test-frontend ]')
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1] == f"{len(TESTS) - 1} passed, 1 failed"


def test_a_failed_test_is_named_and_never_run_again(project):
    failure = "$(if $(filter test-hub,$@),<failure>at line 1</failure>)"
    ran = run(project, failure=failure)
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1] == f"{len(TESTS) - 1} passed, 1 failed"
    assert "  failed: t1: at line 1" in ran.stdout
    assert [line[:2] for line in order(project)].count(["begin", "test-hub"]) == 1


def test_without_its_set_up_no_part_runs_beside_another(project):
    ran = run(project, setup=1)
    assert ran.stdout.splitlines()[-1] == f"{len(TESTS)} passed, 0 failed"
    assert "setting up" in ran.stdout
    assert [line[0] for line in order(project)] == ["begin", "end"] * len(PARTS)


def test_a_run_that_takes_too_long_has_failed_and_says_what_ran(project):
    ran = run(project, test="[ $@ != test-browser ] || sleep 1000", over=3)
    assert ran.returncode == 1
    assert "The run has failed: it takes more than" in ran.stdout
    assert "── make test-browser ──\nfirst line of test-browser\n" in ran.stdout
    assert ran.stdout.splitlines()[-1] == f"{len(TESTS) - 1} passed, 1 failed"


def test_the_processor_time_of_detached_processes_counts(project):
    busy = "import time\nwhile time.process_time() < 1: pass\nopen('done', 'w')"
    (project / "busy.py").write_text(busy)
    detached = (
        f"(setsid {sys.executable} busy.py &); until [ -e done ]; do sleep 0.1; done; sleep 1"
    )
    ran = run(project, test=f"[ $@ != test-hub ] || {{ {detached}; }}")
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("test-hub  ")]
    assert int(line.split()[-4]) >= 1
