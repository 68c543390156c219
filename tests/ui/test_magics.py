"""`%gpu` in IPython: objects for answers, errors without tracebacks that still fail a cell."""

from __future__ import annotations

import atexit
import os
from dataclasses import replace

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import jupyter_gpuquota
from jupyter_gpuquota.client.exit_codes import Failed
from jupyter_gpuquota.client.variables.pickles import write
from jupyter_gpuquota.errors import InUse, InvalidFields, InvalidRequest, NotAllowed, NotFound
from jupyter_gpuquota.model.programs import ExecResult
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ui.completion import Source
from jupyter_gpuquota.ui.hints import in_notebook
from jupyter_gpuquota.ui.magics import GpuMagics, make_matcher
from jupyter_gpuquota.ui.views.sessions import SessionsView
from tests.fakes import Instead


@pytest.fixture
def ipython(client, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shell = InteractiveShell(history_manager=None)
    shell.register_magics(GpuMagics(shell, client))
    yield shell
    atexit.unregister(shell.atexit_operations)
    shell.atexit_operations()


@pytest.fixture
def gpu(ipython):
    return lambda line: ipython.run_line_magic("gpu", line)


def test_the_answer_is_an_object(gpu):
    session = gpu("submit exp1 -g 0.5 --interactive")
    assert isinstance(session.data, Session)
    found = gpu("list")
    assert isinstance(found, SessionsView)
    assert isinstance(found.df, pd.DataFrame)
    assert found.df["gpus"].tolist() == [0.5]
    assert "exp1" in repr(found)
    assert "<table" in found._repr_html_()


def test_volumes_are_managed_from_a_cell(gpu):
    made = gpu("volume create scans --size 1Gi --description 'of the clinic'").data
    assert (made.name, made.size, made.description) == ("scans", 1 << 30, "of the clinic")
    assert gpu("volume grow scans 2Gi").data.size == 2 << 30
    found = gpu("volume list")
    assert found.df["name"].tolist() == ["scans"]
    assert "scans" in found._repr_html_()
    gpu("submit exp1 -v scans:/in/scans:ro --interactive")
    assert "exp1" in gpu("volume show scans").text
    with pytest.raises(InUse) as caught:
        gpu("volume delete scans")
    assert "exp1" in caught.value._render_traceback_()[0]
    gpu("stop exp1")
    gpu("volume delete scans")
    assert gpu("volume").df.empty
    with pytest.raises(NotFound):
        gpu("volume show scans")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("describe nothing", NotFound),
        ("lst", InvalidRequest),
        ("list --json", InvalidRequest),
        ("bash exp1", InvalidRequest),
        ('exec "x', InvalidRequest),
        ("submit exp1 -g ½ --interactive", InvalidFields),
        ("submit exp1 -g 1", InvalidFields),
    ],
)
def test_an_error_has_its_class_and_no_traceback(gpu, line, kind):
    with pytest.raises(kind) as caught:
        gpu(line)
    assert caught.value._render_traceback_() == str(caught.value).splitlines()
    assert caught.value.hint or caught.value.fields


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("List yours: jupyter gpu snapshot list.", "List yours: %gpu snapshot list."),
        ("`jupyter gpu list`, `jupyter gpu nodes`", "`%gpu list`, `%gpu nodes`"),
        ("In a shell: jupyter gpu data cache set@1.", "In a shell: jupyter gpu data cache set@1."),
        ("Open one: jupyter gpu bash exp1.", "Open one: jupyter gpu bash exp1."),
    ],
)
def test_hints_name_what_works_in_a_notebook(said, shown):
    assert in_notebook(said) == shown


def test_answers_and_errors_have_the_hints_of_a_notebook(gpu):
    assert gpu("volume list").text.endswith("jupyter gpu volume create NAME.")
    assert "Create one: %gpu volume create NAME." in gpu("volume list")._repr_html_()
    assert "Save one: %gpu template save" in gpu("template list")._repr_html_()
    with pytest.raises(NotFound) as caught:
        gpu("submit exp1 --template none")
    assert "%gpu template save NAME" in "\n".join(caught.value._render_traceback_())


def test_ipython_shows_the_message_and_the_hint_alone(ipython, capsys):
    result = ipython.run_cell("%gpu describe nothing")
    assert not result.success
    shown = capsys.readouterr()
    assert (shown.out + shown.err).splitlines() == [
        "Session 'nothing' not found.",
        "No sessions yet.",
    ]


@pytest.mark.parametrize("line", ["", "help", "help submit", "submit --help", "-h"])
def test_help_is_an_answer(gpu, line):
    assert gpu(line).text.startswith("usage: %gpu")


def test_a_program_that_fails_fails_the_cell_after_its_output(gpu, backend, capsys):
    gpu("submit exp1 --interactive")

    async def execute(session_id, request):
        return ExecResult(exit_code=3, output="some output\n")

    backend.exec.execute = execute
    with pytest.raises(Failed, match="Exit code 3"):
        gpu("exec exp1 -- false")
    assert "some output" in capsys.readouterr().out


def test_an_interrupt_shows_no_traceback(gpu, backend, transport):
    gpu("submit exp1 --interactive")

    async def stop(session_id, why):
        raise KeyboardInterrupt

    transport.backend = replace(backend, sessions=Instead(backend.sessions, stop=stop))
    with pytest.raises(KeyboardInterrupt) as caught:
        gpu("stop exp1")
    assert caught.value._render_traceback_() == ["Interrupted."]


def test_notebook_variables_are_expanded(ipython, gpu):
    gpu("submit exp1 --interactive")
    ipython.user_ns["name"] = "exp1"
    assert ipython.run_cell("%gpu describe {name}").result.data.spec.name == "exp1"


def shown(ipython: InteractiveShell, text: str) -> list[tuple[str, str, str]]:
    """Complete as a kernel does: the words that would be replaced, the new ones, their types."""
    with provisionalcompleter():
        found = ipython.Completer.completions(text, len(text))
        return [(text[each.start : each.end], each.text, each.type) for each in found]


def test_the_line_before_the_cursor_is_completed(ipython, client, transport):
    for name in ("exp1", "exp2"):
        client.sessions.submit(name)
    ipython.Completer.custom_matchers.append(make_matcher(Source(lambda: transport)))
    assert ("desc", "describe", "command") in shown(ipython, "%gpu desc")
    assert shown(ipython, "x = 1\n%gpu describe ex") == [
        ("ex", "exp1", "value"),
        ("ex", "exp2", "value"),
    ]
    assert [word for _, word, _ in shown(ipython, "%gpu describe ")][:2] == ["exp1", "exp2"]
    assert shown(ipython, "  %gpu submit x -p te")[0] == ("te", "team-a", "value")
    assert shown(ipython, "%gpu submit x --wa") == [("--wa", "--wait", "option")]
    assert ("project:team-a", "value") in [
        found[1:] for found in shown(ipython, "%gpu policy set project:team-")
    ]
    assert "exp1" not in [word for _, word, _ in shown(ipython, "ex")]


def test_restored_variables_are_loaded_into_the_notebook(ipython, gpu, tmp_path, monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: ipython)
    monkeypatch.setenv("GPUQUOTA_FOLDER", str(tmp_path))
    with pytest.raises(NotFound, match="No variables were restored"):
        gpu("snapshot load")
    stored({"weights": [0.5], "steps": 3, "lost": Fragile()}, tmp_path)
    assert gpu("snapshot load steps").text == "Loaded steps."
    assert ipython.user_ns["steps"] == 3
    assert "weights" not in ipython.user_ns
    with pytest.raises(InvalidFields, match="lacking was not restored"):
        gpu("snapshot load lacking,steps")
    assert gpu("snapshot load").text.splitlines() == [
        "Loaded weights, steps.",
        "lost cannot be read here: ValueError: invalid literal for int() with base 10: 'no'.",
    ]
    with pytest.warns(match="lost cannot be read here"):
        assert jupyter_gpuquota.variables() == {"weights": [0.5], "steps": 3}


class Fragile:
    """A value that cannot be read."""

    def __reduce__(self):
        return int, ("no",)


def stored(values, folder):
    """Write the file of restored variables."""
    write(values, values, str(folder / ".gpuquota" / "variables.zip"))


def test_variables_of_another_account_are_not_loaded(ipython, gpu, tmp_path, monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: ipython)
    monkeypatch.setenv("GPUQUOTA_FOLDER", str(tmp_path))
    stored({"x": 1}, tmp_path)
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.raises(NotAllowed, match="belongs to another account"):
        gpu("snapshot load")
