"""The wheel works in a clean environment that has JupyterLab and no Node."""

import re
import shutil


def said(text: str) -> str:
    """Take the colours out of what a command said."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_there_is_no_node(installed):
    assert shutil.which("node", path=installed.variables["PATH"]) is None


def test_the_server_extension_is_ok(installed, scratch):
    listed = said(installed.run("jupyter", "server", "extension", "list", cwd=scratch))
    assert re.search(r"jupyter_gpuquota enabled", listed)
    assert re.search(r"jupyter_gpuquota \S+ OK", listed)


def test_the_front_end_is_ok(installed, scratch):
    listed = said(installed.run("jupyter", "labextension", "list", cwd=scratch))
    assert re.search(r"jupyter-gpuquota v\S+ enabled OK \(python, jupyter_gpuquota\)", listed)


def test_no_requirement_is_missing_or_in_conflict(installed, scratch):
    assert "No broken requirements" in installed.run("python", "-m", "pip", "check", cwd=scratch)


def test_the_shell_command_is_there(installed, scratch):
    assert "submit" in installed.run("jupyter", "gpu", "--help", cwd=scratch)


def test_both_halves_have_one_version(installed, scratch):
    python = installed.run(
        "python", "-c", "import jupyter_gpuquota as g; print(g.__version__)", cwd=scratch
    )
    listed = said(installed.run("jupyter", "labextension", "list", cwd=scratch))
    assert f"jupyter-gpuquota v{python.strip()} " in listed
