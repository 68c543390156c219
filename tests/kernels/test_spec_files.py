"""Kernelspecs as files: whole, and only our own."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from jupyter_gpuquota.errors import InUse
from jupyter_gpuquota.kernels.spec_files import SpecFiles
from jupyter_gpuquota.kernels.specs import Spec, of_sessions, of_templates, share_of
from jupyter_gpuquota.model.templates import Template, TemplateFields
from tests.builders import make_session

ONE = Spec(
    "gpu-exp-1", "Python 3 on exp-1 · ½ GPU", ("--session", "team-a/exp-1"), {"session": "1"}
)
TWO = Spec("gpu-exp-2", "Python 3 on exp-2", ("--session", "team-a/exp-2"), {"session": "2"})


@pytest.fixture
def files(tmp_path):
    return _of_controller(tmp_path, "s")


@pytest.fixture
def others(tmp_path):
    return _of_controller(tmp_path, "t")


def _of_controller(home, name):
    state = home / "states" / name
    state.mkdir(parents=True)
    return SpecFiles(home / "jupyter/kernels", sys.executable, {"GPUQUOTA_STATE_DIR": str(state)})


def test_jupyter_finds_what_was_installed(files):
    files.install(ONE)
    manager = KernelSpecManager(kernel_dirs=[str(files.folder)], ensure_native_kernel=False)
    spec = manager.get_kernel_spec("gpu-exp-1")
    assert spec.display_name == "Python 3 on exp-1 · ½ GPU"
    module = ["-P", "-m", "jupyter_gpuquota.kernels"]
    assert spec.argv[1:6] == [*module, "--session", "team-a/exp-1"]
    assert spec.interrupt_mode == "message"
    assert spec.metadata["gpuquota"] == {"session": "1"}
    assert "<svg" in Path(spec.resource_dir, "logo-svg.svg").read_text()


def test_a_session_that_ended_loses_its_own_and_nothing_else(files):
    other = files.folder / "gpu-mine"
    other.mkdir(parents=True)
    (other / "kernel.json").write_text(json.dumps({"argv": ["x"], "metadata": {}}))
    files.sync([ONE, TWO])
    files.sync([TWO])
    assert list(files.installed()) == ["gpu-exp-2"]
    assert sorted(path.name for path in files.folder.iterdir()) == ["gpu-exp-2", "gpu-mine"]
    assert list(files.folder.parent.iterdir()) == [files.folder]


def test_those_of_another_controller_stay(files, others):
    others.install(ONE)
    files.sync([TWO])
    assert list(files.installed()) == ["gpu-exp-1", "gpu-exp-2"]


def test_those_of_a_controller_that_is_gone_are_removed(files, others):
    others.sync([ONE, TWO])
    Path(others.environment["GPUQUOTA_STATE_DIR"]).rmdir()
    files.sync([ONE])
    assert [each["env"] for each in files.installed().values()] == [files.environment]


def test_those_whose_python_is_gone_are_removed(files, others, tmp_path):
    python = tmp_path / "python"
    shutil.copy("/bin/true", python)
    SpecFiles(files.folder, str(python), others.environment).install(ONE)
    python.unlink()
    files.sync([TWO])
    assert list(files.installed()) == ["gpu-exp-2"]


def test_two_controllers_have_sessions_of_one_name(files, others):
    others.sync([ONE])
    files.sync([ONE, TWO])
    second = files.install(ONE)
    state = files.environment["GPUQUOTA_STATE_DIR"]
    assert second.name.startswith("gpu-exp-1.")
    assert second.title == f"Python 3 on exp-1 · ½ GPU · {state}"
    assert list(files.installed()) == ["gpu-exp-1", second.name, "gpu-exp-2"]
    assert files.installed()["gpu-exp-1"]["env"] == others.environment
    others.sync([])
    files.sync([ONE])  # notebooks know it by the name that it had
    assert list(files.installed()) == [second.name]
    files.sync([])
    assert files.install(ONE) == ONE


def test_a_kernelspec_of_the_users_own_is_never_replaced(files):
    (files.folder / "gpu-exp-1").mkdir(parents=True)
    with pytest.raises(InUse, match="has not installed"):
        files.install(ONE)
    files.sync([ONE])
    assert list((files.folder / "gpu-exp-1").iterdir()) == []


def test_two_jupyterlabs_leave_each_others_alone(files, tmp_path):
    python = tmp_path / "python"
    shutil.copy("/bin/true", python)
    other = SpecFiles(files.folder, str(python), files.environment)
    other.install(ONE)
    path = files.folder / "gpu-exp-1" / "kernel.json"
    before = path.stat()
    files.sync([ONE])
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    python.unlink()
    files.sync([ONE])
    assert json.loads(path.read_text())["argv"][0] == sys.executable


def test_a_change_replaces_the_file(files):
    files.install(ONE)
    files.install(Spec(ONE.name, "Python 3 on exp-1 · 1 GPU", ONE.flags, ONE.about))
    assert files.installed()["gpu-exp-1"]["display_name"].endswith("1 GPU")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("0.5 GPU", "½ GPU"), ("2 GPUs", "2 GPUs"), ("0.3 GPU", "0.3 GPU"), ("", "")],
)
def test_shares_in_titles(text, shown):
    assert share_of(text) == shown


def test_which_sessions_are_kernels():
    sessions = [
        make_session("exp-1", "0.5"),
        make_session("exp-1", "0.5", project="team-b"),
        make_session("train", "0.5", command=("python", "train.py")),
        make_session("theirs", "0.5", owner="li"),
        make_session("over", "0.5", "done"),
        make_session("asleep", "2", "suspended"),
    ]
    assert [(spec.name, spec.title) for spec in of_sessions(sessions, "me")] == [
        ("gpu-exp-1", "Python 3 on exp-1 · ½ GPU"),
        ("gpu-team-b.exp-1", "Python 3 on team-b/exp-1 · ½ GPU"),
        ("gpu-asleep", "Python 3 on asleep · 2 GPUs"),
    ]


def test_each_title_says_that_it_is_elsewhere():
    templates = [
        Template(name="small", request=TemplateFields(gpu="0.25")),
        Template(name="large", title="All of it", request=TemplateFields(gpu="2")),
        Template(name="none", request=TemplateFields()),
    ]
    assert [spec.title for spec in of_templates(templates, 32_768)] == [
        "Python 3 on a new ¼ GPU, 8 GiB · small",
        "Python 3 on a new 2 GPUs, 64 GiB · All of it",
        "Python 3 on a new session · none",
    ]
    specs = [*of_templates(templates), *of_sessions([make_session("exp-1", "0.5")], "me")]
    assert [spec.title for spec in specs] == [
        "Python 3 on a new ¼ GPU · small",
        "Python 3 on a new 2 GPUs · All of it",
        "Python 3 on a new session · none",
        "Python 3 on exp-1 · ½ GPU",
    ]
