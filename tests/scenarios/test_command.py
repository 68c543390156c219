"""`jupyter gpu simulate FILE`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_gpuquota.ui.cli import main

DOCS = Path(__file__).parents[2] / "docs" / "simulate.md"
NETAPP = Path(__file__).with_name("netapp-over-quota.yaml")
GOOD = """\
nodes:
  - {name: n1, gpus: 2, memory: 32768}
projects:
  - name: team-a
    quota: 0.3
steps:
  - submit: {name: s-1, project: team-a, gpu: 0.1, kind: interactive}
  - submit: {name: s-2, project: team-a, gpu: 1, kind: interactive}
  - expect:
      projects:
        team-a: {allocated: 0.1}
      free: 1.9
"""


@pytest.fixture
def simulate(tmp_path, capsys):
    def run(text: str, *options: str) -> tuple[int, str, str]:
        file = tmp_path / "s.yaml"
        file.write_text(text)
        code = main(["simulate", str(file), *options])
        shown = capsys.readouterr()
        return code, shown.out, shown.err.replace(f"{tmp_path}/", "")

    return run


def test_it_shows_what_stands_after_every_step(simulate):
    code, out, err = simulate(GOOD)
    assert (code, err) == (0, "")
    assert out.count("Step ") == 3
    first, second, _ = out.strip().split("\n\n")
    assert first.splitlines() == [
        "Step 1: submit s-1. 1.9 GPUs free (simulated).",
        "PROJECT  QUOTA  IN USE  OVER QUOTA  QUEUED",
        "team-a   0.3    0.1     -           0",
        "SESSION  STATE    RUNS ON          REASON  MESSAGE",
        "s-1      running  n1 GPU 0 (10 %)  -       -",
    ]
    assert "s-2      refused  -                NotAllowed  team-a's quota is " in second


def test_json_is_one_document_a_step(simulate):
    code, out, _ = simulate(GOOD, "--json")
    assert code == 0
    documents = [json.loads(line) for line in out.splitlines()]
    assert [document["step"] for document in documents] == [1, 2, 3]
    refused = documents[1]["sessions"].pop("s-2")
    assert documents[1] == {
        "step": 2,
        "projects": {"team-a": {"allocated": 0.1, "quota": 0.3, "over": 0, "waiting": 0}},
        "sessions": {
            "s-1": {
                "state": "running",
                "node": "n1",
                "devices": [[0, 100]],
                "reason": "",
                "message": "",
            }
        },
        "free": 1.9,
    }
    assert refused.pop("message").startswith("team-a's quota is ")
    assert refused == {"state": "refused", "node": "", "devices": [], "reason": "NotAllowed"}


def test_what_differs_is_told_with_its_line(simulate):
    code, out, err = simulate(GOOD.replace("allocated: 0.1", "allocated: 0.2, waiting: 1"))
    assert code == 1
    assert "Step 3" in out
    assert err.splitlines() == [
        "jupyter gpu: 2 expectations not met.",
        "s.yaml:11: step 3: projects.team-a.allocated: expected 0.2, is 0.1",
        "s.yaml:11: step 3: projects.team-a.waiting: expected 1, is 0",
    ]


def test_what_differs_of_a_session_says_why(simulate):
    wanted = "sessions: {s-2: {state: running}, s-3: {state: done}}"
    code, _, err = simulate(GOOD.replace("free: 1.9", wanted))
    assert code == 1
    assert (
        "s.yaml:12: step 3: sessions.s-2.state: expected running, is refused (team-a's quota is "
        in err
    )
    assert "s.yaml:12: step 3: sessions.s-3: no such session" in err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "quota: 0.3",
            "qouta: 0.3",
            "s.yaml:5: projects[0].qouta: Unknown field. Did you",
        ),
        ("quota: 0.3", "quota: lots", "s.yaml:5: projects[0].quota: 'lots' is not a number"),
        ("s-2", "s-1", "s.yaml:8: steps[1].submit.name: Session 's-1' is listed twice."),
        ("quota: 0.3", "quota: 1\n    quota: 2", "s.yaml:6: The key 'quota' is already set above."),
        (
            "allocated: 0.1",
            "alocated: 1",
            "s.yaml:11: steps[2].expect.projects.team-a.alocated: Unknown",
        ),
        ("memory: 32768", "memory: lots", "s.yaml:2: nodes[0].memory: Must be a whole number"),
        (
            "- submit",
            "- sumbit",
            "s.yaml:7: steps[0].sumbit: Unknown field. Did you mean submit?",
        ),
        ("name: n1", "name: *n", "s.yaml:2: *n is not supported"),
        ("name: n1", "name: !!python/name:os n1", "s.yaml:2: 'n1' cannot be read as"),
        ("  - {name: n1", "  - }name: n1", "s.yaml:2: "),
        (GOOD, "", "s.yaml:1: nodes: Required."),
        (GOOD, "- 1", "s.yaml:1: Must be an object, not a list."),
        (GOOD, "[" * 5000, "s.yaml:1: More than 20 lists"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(simulate, old, new, said):
    code, out, err = simulate(GOOD.replace(old, new, 1))
    assert (code, out) == (2, "")
    assert err.startswith(f"jupyter gpu: {said}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_opened(tmp_path, capsys, content):
    file = tmp_path / "s.yaml"
    if content:
        file.write_bytes(content)
    assert main(["simulate", str(file)]) == 2
    assert str(file) in capsys.readouterr().err


def test_an_error_is_a_document_too(simulate):
    code, out, err = simulate("- 1", "--json")
    assert (code, out) == (2, "")
    assert json.loads(err)["code"] == "InvalidRequest"


def test_the_documents_scenario_plays_without_a_server(tmp_path):
    """Neither a state folder nor a controller appears."""
    command = [sys.executable, "-m", "jupyter_gpuquota.ui.cli", "simulate", str(NETAPP), "--json"]
    home = {"HOME": str(tmp_path), "JUPYTER_DATA_DIR": str(tmp_path / "data"), "PATH": "/bin"}
    ran = subprocess.run(command, env=home, cwd=tmp_path, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    last = json.loads(ran.stdout.splitlines()[-1])
    assert last["projects"]["team-a"] == {"allocated": 8, "quota": 4, "over": 4, "waiting": 0}
    assert not any(tmp_path.iterdir())


def test_the_example_of_the_docs_is_true(simulate):
    text = DOCS.read_text()
    example = text.split("```yaml\n")[1].split("```")[0]
    code, out, _ = simulate(example)
    assert code == 0
    shown = text.split("…\n", 1)[1].split("```")[0]
    for line in shown.splitlines():
        assert line.removesuffix("…") in out
