"""YAML with lines: what each part is, where it is, and what is refused."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.yaml_document import InvalidYaml, Problem, YamlDocument

TEXT = b"""\
a:
  - {name: x, size: 0.1}
  - name: y
    at: 22:00
    count: 010
    parts:
      deep: [1, 2]
"""


def test_values_and_their_lines():
    document = YamlDocument(TEXT, 1024)
    assert document.plain == {
        "a": [
            {"name": "x", "size": "0.1"},
            {"name": "y", "at": "22:00", "count": 10, "parts": {"deep": [1, 2]}},
        ]
    }
    paths = ["a", "a[0].size", "a[1]", "a[1].count", "a[1].parts.deep[1]"]
    assert [document.line(path) for path in paths] == [1, 2, 3, 5, 7]


@pytest.mark.parametrize(
    ("path", "line"), [("a[1].parts.shallow", 6), ("a[1].gone.deeper", 3), ("a[7]", 1), ("b.c", 1)]
)
def test_a_missing_key_has_the_line_of_its_parent(path, line):
    assert YamlDocument(TEXT, 1024).line(path) == line


@pytest.mark.parametrize("text", [b"", b"# nothing\n", b"---\n"])
def test_an_empty_document_is_an_empty_mapping(text):
    assert not YamlDocument(text, 1024).plain


def refused(text: bytes, limit: int = 1024) -> tuple[Problem, ...]:
    with pytest.raises(InvalidYaml) as caught:
        YamlDocument(text, limit)
    return caught.value.problems


def test_every_key_that_is_set_twice_is_reported():
    found = refused(b"a: 1\nb: {c: 1, c: 2}\na: 2\n")
    assert [problem.line for problem in found] == [2, 3]
    assert found[1].message == "The key 'a' is already set above. Keep one of them."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"a\n\xff", Problem(2, "The file is not UTF-8 text.")),
        (b"#" * 1025, Problem(0, "The file is larger than 1 KiB.")),
        (b"? [a]\n: 1", Problem(1, "A key must be a word.")),
        (b"a: &b 1\nc: *b", Problem(2, "*b is not supported: write out what it refers to.")),
        (b"\na: \x1f", Problem(2, "Invalid YAML: special characters are not allowed.")),
    ],
)
def test_what_cannot_be_read_has_its_line(text, problem):
    assert refused(text) == (problem,)
