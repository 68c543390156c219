"""Variables of notebooks that outlast a resize of their session."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.errors import InvalidFields, WrongState
from jupyter_gpuquota.kernels.session_server import SessionServer
from tests.kernels.test_cells import gpu, ipython
from tests.kernels.test_relay import files, relay, run, start, text
from tests.shell import wait_for

__all__ = ["files", "gpu", "ipython", "relay", "start"]


def test_a_resize_keeps_chosen_variables_of_the_notebook(gpu, ipython, client, session, capsys):
    gpu("kept = list(range(1000)); other = object(); code = (each for each in ())")
    with pytest.raises(InvalidFields, match="code: generator cannot be pickled"):
        ipython.run_line_magic("gpu", "resize exp-1 -g 1 --keep kept,code")
    assert client.sessions.get("exp-1").spec.share.milli == 500
    told = ipython.run_line_magic("gpu", "resize exp-1 -g 1 --dry-run").text
    assert "The memory of its kernels is lost" in told
    ipython.run_line_magic("gpu", "resize exp-1 -g 1 --keep kept")
    shown = capsys.readouterr().out
    assert shown.index("memory of its kernels is lost") < shown.index("Kept: kept.")
    gpu("import os\nprint(sum(kept), 'other' in globals(), os.environ['GPUQUOTA_SHARE'])")
    assert capsys.readouterr().out == "499500 False 1 GPU\n"
    assert list(Path(session.spec.folder).rglob("*.zip")) == []


def path_of(notebook, client, session):
    """Return the path in its session of what has the kernel of a notebook."""
    outputs, _ = run(notebook, "import ipykernel\nprint(ipykernel.get_connection_file())")
    found = SessionServer.find(client.context, session.id).sessions()
    return next(each.path for each in found if each.kernel.id in text(outputs))


def test_variables_of_a_notebook_are_kept_by_the_controller(relay, client, session):
    _manager, notebook = relay
    run(notebook, "mine = bytearray(3 << 20); name = 'Ana'; code = (each for each in ())")
    path = path_of(notebook, client, session)
    with pytest.raises(InvalidFields, match="code: generator cannot be pickled"):
        client.sessions.resize("exp-1", gpu="1", keep=["mine", "code"], notebook=path)
    with pytest.raises(WrongState, match=r"These notebooks have a kernel: .*Name one"):
        client.sessions.resize("exp-1", gpu="1", keep=["mine"], notebook="elsewhere")
    with pytest.raises(WrongState, match="already has"):
        client.sessions.resize("exp-1", gpu="1", keep=["mine"], notebook=path)
    assert client.sessions.get("exp-1").state == "running"
    assert list(Path(session.spec.folder).rglob("*.zip")) == []
    client.sessions.resize("exp-1", gpu="0.75", keep=["mine", "name"], notebook=path)

    def shown():  # a cell that was sent to the old kernel may end with it
        outputs, _ = run(
            notebook, "import os\nprint(len(mine), name, os.environ['GPUQUOTA_SHARE'])"
        )
        return text(outputs) == f"{3 << 20} Ana 0.75 GPU\n"

    wait_for(shown)


def test_a_kernel_that_resizes_its_own_session_hands_variables_to_the_next_one(relay, client):
    _manager, notebook = relay
    run(notebook, "import os\nmine = {'weights': [0.5]}\n%load_ext jupyter_gpuquota")
    outputs, _ = run(notebook, "%gpu resize exp-1 -g 0.25 --keep mine")
    assert "Kept: mine." in text(outputs)

    def shown():  # a cell that was sent to the old kernel may end with it
        outputs, _ = run(notebook, "import os\nprint(mine, os.environ['GPUQUOTA_SHARE'])")
        return text(outputs) == "{'weights': [0.5]} 0.25 GPU\n"

    wait_for(shown)
