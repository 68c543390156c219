"""`jupyter gpu simulate FILE`."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_gpuquota.ui.cli import main

README = Path(__file__).with_name("README.md")
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


def test_it_says_how_many_end_as_expected(simulate):
    assert simulate(GOOD) == (0, "1 scenario: 1 as expected, 0 not.\n", "")


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
    assert (code, out) == (1, "1 scenario: 0 as expected, 1 not.\n")
    assert err.splitlines() == [
        "jupyter gpu: 1 of 1 not as expected.",
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


def test_the_example_of_the_readme_is_true(simulate):
    example = README.read_text().split("```yaml\n")[1].split("```")[0]
    assert simulate(example)[0] == 0


STARTED = """\
nodes: [{name: n0, gpus: 2, memory: 32768}]
projects: [{name: a, quota: 1}, {name: b, quota: 1}]
steps:
- submit:
  - {name: r0, project: a, gpu: 1, kind: train, running: {node: n0, devices: [0]}, age: 10h}
  - {name: r1, project: a, gpu: 1, kind: train, running: {node: n0, devices: [1]}, age: 9h}
- advance: 1h
- submit:
  - {name: p2, project: b, gpu: 0.5, kind: train}
  - {name: p1, project: b, gpu: 0.5, kind: train, age: 1m}
- advance: 1h
- expect: {sessions: {r1: {state: waiting}, p1: {devices: [[1, 500]]}, p2: {state: running}}}
"""


def test_sessions_run_already_and_come_at_once(simulate):
    code, out, err = simulate(STARTED, "--json")
    assert (code, err) == (0, "")
    first, *_, last = map(json.loads, out.splitlines())
    assert {name: each["state"] for name, each in first["sessions"].items()} == {
        "r0": "running",
        "r1": "running",
    }
    assert last["projects"]["a"] == {"allocated": 1, "quota": 1, "over": 0, "waiting": 1}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("node: n0, devices: [0]", "node: n9, devices: [0]", "Node 'n9' does not exist."),
        ("devices: [0]", "devices: [7]", "n0 has no GPU 7."),
        ("devices: [0]", "devices: []", "Name each GPU that it holds once."),
        ("age: 10h", "age: old", "not a duration"),
        ("name: r1", "name: r0", "Session 'r0' is listed twice."),
    ],
)
def test_what_is_wrong_in_a_list_is_told_with_its_line(simulate, old, new, said):
    code, out, err = simulate(STARTED.replace(old, new, 1))
    assert (code, out) == (2, "")
    assert said in err
    assert "steps[0].submit[" in err


def test_a_session_cannot_run_where_another_one_does(simulate):
    code, out, _ = simulate(STARTED.replace("devices: [1]", "devices: [0]"), "--json")
    assert code == 1
    refused = json.loads(out.splitlines()[0])["sessions"]["r1"]
    assert (refused["state"], refused["reason"]) == ("refused", "NotAllowed")
    assert refused["message"] == "It cannot be running on n0 GPU 0: no room."


def test_several_are_summed_up(tmp_path, capsys):
    (tmp_path / "deep").mkdir()
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "deep" / "bad.yaml").write_text(GOOD.replace("free: 1.9", "free: 1"))
    assert main(["simulate", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert shown.out == "2 scenarios: 1 as expected, 1 not.\n"
    assert "1 of 2 not as expected." in shown.err
    assert "deep/bad.yaml:12: step 3: free: expected 1, is 1.9" in shown.err


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_lines_of_json(tmp_path, capsys, ending):
    plain = {
        "name": "an eighth",
        "nodes": [{"name": "n", "gpus": 1, "memory": 10000}],
        "projects": [{"name": "a", "quota": 1}],
        "steps": [{"submit": {"name": "x", "project": "a", "gpu": 0.125}}],
    }
    other = {**plain, "name": "", "steps": [*plain["steps"], {"expect": {"free": 1}}]}
    data = "".join(json.dumps(each) + "\n" for each in (plain, other)).encode()
    file = tmp_path / f"all{ending}"
    file.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    assert main(["simulate", str(file), "--json"]) == 1
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["name"], first["ok"], first["free"]) == ("an eighth", True, 0.875)
    assert (second["name"], second["ok"]) == (f"{file}:2", False)
    assert second["problems"] == [f"{file}:2: step 2: free: expected 1, is 0.875"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.jsonl", b"{", "x.jsonl:1: not JSON"),
        ("x.jsonl", b"{}\n", "x.jsonl:1: nodes: Required."),
        ("x.jsonl.gz", b"no gzip", "x.jsonl.gz: Not a gzipped file"),
        ("x.txt", b"", "no scenarios (.yaml, .json, .jsonl) are in it."),
    ],
)
def test_what_is_wrong_with_several_is_told(tmp_path, capsys, name, content, said):
    (tmp_path / name).write_bytes(content)
    assert main(["simulate", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
