"""The total of `make test` counts what the reports say, and trusts no silence."""

import pytest

from scripts.reports import Counts, count, durations, failures, judge

REPORT = """<testsuites><testsuite>
  <testcase classname="tests.a" name="a" time="1.5"/>
  <testcase classname="tests.a" name="b" time="20"><failure message="no"/></testcase>
  <testcase name="c"><error message="no"/></testcase>
  <testcase name="d"><skipped/></testcase>
  <testcase name="e"><system-out>text</system-out></testcase>
</testsuite></testsuites>"""


def test_a_report_is_counted(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(REPORT, encoding="utf-8")
    assert count(report) == Counts(passed=2, failed=2, skipped=1)


@pytest.mark.parametrize("content", [None, "", "<testsuites><testsuite>"])
def test_no_report_counts_nothing(tmp_path, content):
    report = tmp_path / "report.xml"
    if content is not None:
        report.write_text(content, encoding="utf-8")
    assert count(report) == Counts()


@pytest.mark.parametrize(
    ("code", "counts", "expected"),
    [
        (0, Counts(passed=3), Counts(passed=3)),
        (1, Counts(passed=3, failed=2), Counts(passed=3, failed=2)),
        (1, Counts(passed=3), Counts(passed=3, failed=1)),
        (0, Counts(), Counts(failed=1)),
        (2, Counts(), Counts(failed=1)),
    ],
    ids=["all passed", "some failed", "failed without a failed test", "no report", "no set-up"],
)
def test_a_part_is_judged(code, counts, expected):
    assert judge(code, counts) == expected


def test_a_failure_is_named_with_the_beginning_of_its_message(tmp_path):
    report = tmp_path / "report.xml"
    long = (
        f"<testcase name='f'><failure>{'word ' * 100}</failure></testcase></testsuite></testsuites>"
    )
    report.write_text(REPORT.replace("</testsuite></testsuites>", long), encoding="utf-8")
    found = failures(report)
    assert {**found, "f": ""} == {"tests.a::b": "no", "c": "no", "f": ""}
    assert len(found["f"]) <= 300
    assert found["f"].endswith("word …")


def test_a_failure_in_a_browser_is_named_with_its_element_and_line(tmp_path):
    report = tmp_path / "report.xml"
    failed = """<testcase name='f'><failure message='toBeVisible() failed'>
    Error: toBeVisible() failed

    Locator: getByRole('row')
    Expected: visible

      59 |     await expect(row).toBeVisible();
        at /ui-tests/tests/layout.spec.ts:59:23
    </failure></testcase></testsuite></testsuites>"""
    report.write_text(REPORT.replace("</testsuite></testsuites>", failed), encoding="utf-8")
    shown = failures(report)["f"]
    assert "toBeVisible() failed Locator: getByRole('row') at " in shown
    assert shown.endswith("layout.spec.ts:59")


def test_the_total_says_skipped_only_when_something_was():
    assert str(Counts(5, 1)) == "5 passed, 1 failed"
    assert str(Counts(5, 0, 2) + Counts(1)) == "6 passed, 0 failed, 2 skipped"


def test_durations_are_those_of_all_parts_the_longest_first(tmp_path):
    (tmp_path / "one.xml").write_text(REPORT, encoding="utf-8")
    other = '<testsuite><testcase classname="x" name="x opens" time="3"/></testsuite>'
    (tmp_path / "two.xml").write_text(other, encoding="utf-8")
    found = durations([(name, tmp_path / f"{name}.xml") for name in ("one", "two", "none")])
    assert [(row.part, row.name, row.seconds) for row in found[:3]] == [
        ("one", "tests.a::b", 20),
        ("two", "x opens", 3),
        ("one", "tests.a::a", 1.5),
    ]
