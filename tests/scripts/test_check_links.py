"""Broken links between pages are found, in prose only."""

import pytest

from scripts.check_links import main

PAGE = """# A page, of `code`

[self](#a-page-of-code) [other](docs/other.md#here) [web](https://example.org/#x)

  ```sh
  echo "[not](a-link)"
  ```
"""


@pytest.fixture
def pages(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "docs" / "other.md").write_text("## Here\n\n[up](../README.md)\n", encoding="utf-8")
    return tmp_path


def test_links_that_lead_somewhere_pass(pages, capsys):
    assert main(pages) == 0
    assert not capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("missing.md", "missing.md does not exist"),
        ("../README.md#gone", "../README.md#gone: README.md has no such heading"),
        ("#gone", "#gone: other.md has no such heading"),
    ],
)
def test_a_broken_link_is_reported(pages, capsys, link, problem):
    with (pages / "docs" / "other.md").open("a", encoding="utf-8") as page:
        page.write(f"[x]({link})\n")
    assert main(pages) == 1
    assert capsys.readouterr().out.strip() == f"docs/other.md: {problem}"
