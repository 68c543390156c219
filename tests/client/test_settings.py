"""The state folder: environment before configuration before default."""

from __future__ import annotations

import json
import os

import pytest

from jupyter_gpuquota.errors import NoServer
from jupyter_gpuquota.hosting.locate import read_apart, read_here, state_dir


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders of configuration, the first of which wins; no others but the machine's."""
    monkeypatch.delenv("GPUQUOTA_STATE_DIR", raising=False)
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")
    found = [tmp_path / "first", tmp_path / "second"]
    for folder in found:
        folder.mkdir()
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", os.pathsep.join(map(str, found)))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    return found


def write_json(folder, state_dir):
    text = json.dumps({"LocalConfig": {"state_dir": state_dir}})
    (folder / "jupyter_gpuquota_config.json").write_text(text)


def write_python(folder, state_dir, more=""):
    text = f"{more}\nc.LocalConfig.state_dir = {state_dir!r}\n"
    (folder / "jupyter_gpuquota_config.py").write_text(text)


def test_the_environment_decides(monkeypatch):
    monkeypatch.setenv("GPUQUOTA_STATE_DIR", "/named")
    assert str(state_dir(lambda: "/configured")) == "/named"


def test_then_the_configuration(monkeypatch):
    monkeypatch.delenv("GPUQUOTA_STATE_DIR", raising=False)
    assert str(state_dir(lambda: "/configured")) == "/configured"


def test_then_jupyters_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("GPUQUOTA_STATE_DIR", raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    assert state_dir(lambda: "") == tmp_path / "gpuquota"


def test_home_is_understood_and_a_relative_path_refused(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("GPUQUOTA_STATE_DIR", raising=False)
    assert str(state_dir(lambda: "~/state")) == "/home/me/state"
    with pytest.raises(NoServer, match="absolute"):
        state_dir(lambda: "state")


@pytest.mark.parametrize("read", [read_here, read_apart])
class TestReading:
    def test_json(self, folders, read):
        write_json(folders[1], "/second")
        assert read() == "/second"

    def test_the_first_folder_wins(self, folders, read):
        write_json(folders[1], "/second")
        write_python(folders[0], "/first")
        assert read() == "/first"

    def test_json_wins_in_one_folder(self, folders, read):
        write_json(folders[0], "/json")
        write_python(folders[0], "/python")
        assert read() == "/json"

    def test_what_a_file_prints_does_no_harm(self, folders, read):
        write_python(folders[0], "/first", more="print('hello')")
        assert read() == "/first"

    @pytest.mark.parametrize("more", ["1 / 0", "raise RuntimeError('no')", "syntax error"])
    def test_a_broken_file_is_named(self, folders, read, more):
        write_python(folders[0], "/first", more=more)
        with pytest.raises(NoServer, match=r"first/jupyter_gpuquota_config\.py"):
            read()


def test_a_kernel_does_not_run_the_file_itself(folders, tmp_path):
    note = f"import os; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))"
    write_python(folders[0], "/first", more=note)
    assert read_apart() == "/first"
    assert (tmp_path / "pid").read_text() != str(os.getpid())
