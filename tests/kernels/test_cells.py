"""Cells of a notebook here that run in a real session: `%%gpu`."""

from __future__ import annotations

import atexit
import builtins
import os
import signal
import sys
import threading

import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from jupyter_gpuquota.errors import InvalidFields, NotFound
from jupyter_gpuquota.kernels.attach import attach
from jupyter_gpuquota.ui.cellmagic.failed import CellFailed
from jupyter_gpuquota.ui.magics import GpuMagics
from tests.waiting import patience


@pytest.fixture
def ipython(client, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    made = InteractiveShell(history_manager=None)
    made.register_magics(GpuMagics(made, client))
    yield made
    atexit.unregister(made.atexit_operations)
    made.atexit_operations()


@pytest.fixture
def gpu(ipython, session):
    return lambda cell, line="": ipython.run_cell_magic("gpu", f"exp-1 {line}", cell)


def test_outputs_come_in_order_and_variables_stay(gpu, capsys):
    gpu("import os, sys; x = 41; print(os.environ['GPUQUOTA_SHARE'])")
    gpu("print('to', file=sys.stderr); x + 1")
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("0.5 GPU\n42\n", "to\n")


def test_variables_are_carried_there_and_back_with_their_sizes(gpu, ipython, capsys):
    ipython.user_ns |= {"data": bytearray(3 << 20), "name": "Ana"}
    gpu("data[0] = 7; both = (data, name)", "--in data,name --out both,data")
    assert ipython.user_ns["both"][1] == "Ana"
    assert ipython.user_ns["data"][0] == 7
    assert ipython.user_ns["data"] == ipython.user_ns["both"][0]
    shown = capsys.readouterr().out
    assert "sent: data 3.0 MiB, name " in shown
    assert "received: both 3.0 MiB, data 3.0 MiB" in shown


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("--in lacking", "There is no variable lacking here"),
        ("--in code", "code: .*cannot pickle"),
        ("--out lacking", "lacking: There is no such variable"),
        ("--out there", "there: .*cannot pickle"),
    ],
)
def test_what_cannot_be_carried_is_refused(gpu, ipython, line, text):
    ipython.user_ns["code"] = (each for each in ())
    with pytest.raises(InvalidFields, match=text):
        gpu("there = (each for each in ())", line)


def test_a_new_kernel_works_in_the_folder_of_the_notebook(gpu, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "notes"
    folder.mkdir()
    monkeypatch.setenv("JPY_SESSION_NAME", str(folder / "a.ipynb"))
    gpu("import os\nprint(os.getcwd())\nos.chdir('/')")
    gpu("print(os.getcwd())")
    assert capsys.readouterr().out == f"{folder}\n/\n"


def test_an_exception_has_its_class_and_its_traceback_there(gpu):
    with pytest.raises(CellFailed) as caught:
        gpu("def f():\n    return 1 / 0\nf()")
    assert type(caught.value).__name__ == "ZeroDivisionError"
    assert str(caught.value) == "division by zero"
    text = "\n".join(caught.value._render_traceback_())
    assert "f()" in text
    assert "ZeroDivisionError" in text


def test_input_is_asked_here(gpu, capsys, monkeypatch):
    monkeypatch.setattr(builtins, "input", lambda prompt: f"{prompt}Ana")
    gpu("print(input('Name? '))")
    assert capsys.readouterr().out == "Name? Ana\n"


def test_an_interrupt_ends_the_cell_there(gpu):
    begun = threading.Event()

    def interrupt():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()

    class Out:
        def write(self, text):
            begun.set()

        def flush(self):
            pass

    out, sys.stdout = sys.stdout, Out()
    try:
        with pytest.raises(CellFailed) as caught:
            gpu("print('on it', flush=True)\nwhile True: pass")
    finally:
        sys.stdout = out
        thread.join()
    assert type(caught.value).__name__ == "KeyboardInterrupt"


def test_a_session_that_is_not_there_is_not_launched_without_a_share(ipython):
    with pytest.raises(NotFound):
        ipython.run_cell_magic("gpu", "nothing", "1")


def test_a_kernel_that_dies_ends_the_cell_with_the_reason(gpu):
    with pytest.raises(CellFailed) as caught:
        gpu("import os\nos._exit(1)")
    assert type(caught.value).__name__ == "KernelDied"
    assert "its variables are lost" in str(caught.value)


def test_a_snapshot_from_outside_has_chosen_variables_of_the_kernel(gpu, ipython, client):
    gpu("loss = [0.5, 0.25]; code = (each for each in ())")
    made = ipython.run_line_magic("gpu", "snapshot create exp-1 --variables loss,code,lacking").data
    manifest = client.snapshots.show(made.id).manifest
    kernel = manifest.kernel
    assert kernel, manifest.problems
    assert kernel.names == ("loss",)
    skipped = {each.name: each.reason for each in kernel.skipped}
    assert "cannot be pickled" in skipped.pop("code")
    assert skipped == {"lacking": "There is no such variable."}


def test_the_kernel_of_this_notebook_is_meant_unless_another_is_named(ipython, gpu, client, server):
    gpu("x = 1")
    other = attach(server, "b.ipynb")

    def manifest(words):
        made = ipython.run_line_magic("gpu", f"snapshot create exp-1 --variables x {words}").data
        return client.snapshots.show(made.id).manifest

    assert manifest("").kernel.names == ("x",)
    [skipped] = manifest("--notebook b.ipynb").kernel.skipped
    assert skipped.reason == "There is no such variable."
    nobody = manifest("--notebook a.ipynb")
    [problem] = [each.message for each in nobody.problems if each.part == "kernel"]
    assert problem.startswith("These notebooks have a kernel: ")
    assert problem.endswith("b.ipynb. Name one of them.")
    assert nobody.kernel is None
    other.shut_down()


def test_a_notebook_shows_displays_widgets_and_errors_of_its_cells(shell, session):
    cells = [
        "%load_ext jupyter_gpuquota\nsteps = 3",
        "%%gpu exp-1 --in steps --out bar_value\n"
        "import ipywidgets\n"
        "from IPython.display import HTML, display\n"
        "bar = ipywidgets.IntProgress(max=steps)\n"
        "display(bar, HTML('<b>done</b>'))\n"
        "for _ in range(steps):\n    bar.value += 1\n"
        "bar_value = bar.value",
        "bar_value",
        "%%gpu exp-1\n1 / 0",
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    patient = {"timeout": patience(), "startup_timeout": patience()}
    place = {"metadata": {"path": str(shell.folder / "work")}}
    NotebookClient(notebook, resources=place, allow_errors=True, **patient).execute(env=shell.env)
    assert len(notebook.cells[1].outputs) == 4, notebook.cells[1].outputs
    sent, widget, html, received = notebook.cells[1].outputs
    assert sent["text"].startswith("sent: steps ")
    assert received["text"].startswith("received: bar_value ")
    assert html["data"]["text/html"] == "<b>done</b>"
    model = widget["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    states = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert states[model]["state"]["value"] == 3
    assert notebook.cells[2].outputs[0]["data"]["text/plain"] == "3"
    (error,) = notebook.cells[3].outputs
    assert error["ename"] == "ZeroDivisionError"
    assert error["evalue"] == "division by zero"
    assert len(error["traceback"]) > 1
