"""The location of a controller: flags before environment before configuration before default."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from socket import gethostname

import pytest

from jupyter_gpuquota.environ import BACKEND, SESSION, STATE_DIR
from jupyter_gpuquota.errors import LaunchedElsewhere, NoServer, Unsupported
from jupyter_gpuquota.hosting import backends
from jupyter_gpuquota.hosting.config_files import Choice, in_config, read_apart, read_here
from jupyter_gpuquota.hosting.locate import Location, locate, locations
from jupyter_gpuquota.hosting.lock import holder, lock, prepare


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch, tmp_path):
    """Clear the environment and keep the default below the test's folder."""
    for name in (STATE_DIR, BACKEND, SESSION):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders of configuration, the first of which wins; no others but the machine's."""
    found = [tmp_path / "first", tmp_path / "second"]
    for folder in found:
        folder.mkdir()
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", os.pathsep.join(map(str, found)))
    return found


def write_json(folder, **settings):
    text = json.dumps({"GpuQuota": settings})
    (folder / "jupyter_gpuquota_config.json").write_text(text)


def write_python(folder, state_dir, more=""):
    text = f"{more}\nc.GpuQuota.state_dir = {state_dir!r}\n"
    (folder / "jupyter_gpuquota_config.py").write_text(text)


def test_in_a_session_only_what_is_named_or_in_the_environment_counts(monkeypatch, tmp_path):
    monkeypatch.setenv(SESSION, "s1")
    with pytest.raises(LaunchedElsewhere, match="from another machine"):
        locate(read=lambda: Choice("of-files", "/of/files"))
    assert locate(Choice("memory"), Choice).backend == "memory"
    monkeypatch.setenv(STATE_DIR, str(tmp_path))
    assert locate(read=Choice) == Location(tmp_path)


class TestOrder:
    """Backend and state folder are looked up independently in the same places."""

    configured = Choice("of-files", "/of/files")

    def read(self) -> Choice:
        return self.configured

    def test_the_default(self, tmp_path):
        assert locate(read=Choice) == Location(tmp_path / "data" / "gpuquota", "local")

    def test_files_win_over_it(self):
        assert locate(read=self.read) == Location(Path("/of/files"), "of-files")

    def test_the_environment_wins_over_files(self, monkeypatch):
        monkeypatch.setenv(STATE_DIR, "/of/env")
        assert locate(read=self.read) == Location(Path("/of/env"), "of-files")
        monkeypatch.setenv(BACKEND, "of-env")
        assert locate(read=self.read) == Location(Path("/of/env"), "of-env")

    def test_flags_win_over_all(self, monkeypatch):
        monkeypatch.setenv(STATE_DIR, "/of/env")
        monkeypatch.setenv(BACKEND, "of-env")
        assert locate(Choice("named"), self.read) == Location(Path("/of/env"), "named")
        assert locate(Choice("", "/named"), self.read) == Location(Path("/named"), "of-env")

    def test_files_are_not_read_where_nothing_is_open(self, monkeypatch):
        monkeypatch.setenv(STATE_DIR, "/of/env")

        def read() -> Choice:
            pytest.fail("they were read")

        assert locate(Choice("named"), read) == Location(Path("/of/env"), "named")


def test_home_is_understood_and_a_relative_path_refused(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert str(locate(read=lambda: Choice("", "~/state")).state_dir) == "/home/me/state"
    with pytest.raises(NoServer, match="absolute"):
        locate(read=lambda: Choice("", "state"))


@pytest.mark.parametrize("name", ["../up", "a/b", "A", ".", "-a", "a b"])
def test_what_cannot_be_a_backend_is_refused_before_it_becomes_a_folder(name):
    with pytest.raises(NoServer, match="not a valid name of a backend"):
        locate(Choice(name), Choice)


def test_a_backend_that_is_not_installed_is_refused_with_those_that_are():
    with pytest.raises(Unsupported, match="Backend 'nothing' is not installed") as caught:
        backends.find("nothing")
    assert "memory" in caught.value.hint


OLD = {"LocalConfig": {"state_dir": "/old"}}


class TestOldName:
    """`LocalConfig.state_dir` is now `GpuQuota.state_dir`."""

    def test_it_still_counts_with_a_warning(self, caplog):
        found = locate(read=lambda: in_config(OLD))
        assert str(found.state_dir) == "/old"
        (record,) = [r for r in caplog.records if r.levelno == logging.WARNING]
        assert "GpuQuota.state_dir" in record.getMessage()

    def test_the_new_one_wins_in_silence(self, caplog):
        config = {**OLD, "GpuQuota": {"state_dir": "/new"}}
        assert str(locate(read=lambda: in_config(config)).state_dir) == "/new"
        assert caplog.records == []

    def test_nobody_is_warned_who_chooses_none(self):
        assert in_config({"GpuQuota": {"backend": "memory"}}) == Choice("memory")

    def test_nobody_is_warned_of_what_does_not_count(self, caplog, monkeypatch):
        monkeypatch.setenv(STATE_DIR, "/of/env")
        assert str(locate(read=lambda: in_config(OLD)).state_dir) == "/of/env"
        assert caplog.records == []

    def test_the_warning_comes_through_a_process_apart(self, folders):
        text = "c.LocalConfig.state_dir = '/old'\n"
        (folders[0] / "jupyter_gpuquota_config.py").write_text(text)
        found = read_apart()
        assert (found.state_dir, "GpuQuota.state_dir" in found.warning) == ("/old", True)


@pytest.mark.parametrize("read", [read_here, read_apart])
class TestReading:
    def test_json(self, folders, read):
        write_json(folders[1], state_dir="/second", backend="other")
        assert read() == Choice("other", "/second")

    def test_the_first_folder_wins(self, folders, read):
        write_json(folders[1], state_dir="/second")
        write_python(folders[0], "/first")
        assert read().state_dir == "/first"

    def test_json_wins_in_one_folder(self, folders, read):
        write_json(folders[0], state_dir="/json")
        write_python(folders[0], "/python")
        assert read().state_dir == "/json"

    def test_each_value_is_looked_for_by_itself(self, folders, read):
        write_json(folders[1], backend="other")
        write_python(folders[0], "/first")
        assert read() == Choice("other", "/first")

    def test_what_a_file_prints_does_no_harm(self, folders, read):
        write_python(folders[0], "/first", more="print('hello')")
        assert read().state_dir == "/first"

    @pytest.mark.parametrize("more", ["1 / 0", "raise RuntimeError('no')", "syntax error"])
    def test_a_broken_file_is_named(self, folders, read, more):
        write_python(folders[0], "/first", more=more)
        with pytest.raises(NoServer, match=r"first/jupyter_gpuquota_config\.py"):
            read()


def test_a_kernel_does_not_run_the_file_itself(folders, tmp_path):
    note = f"import os; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))"
    write_python(folders[0], "/first", more=note)
    assert read_apart().state_dir == "/first"
    assert (tmp_path / "pid").read_text() != str(os.getpid())


class TestFolders:
    """A state folder holds one controller for each backend."""

    def test_local_keeps_the_state_folder_itself(self, tmp_path):
        assert Location(tmp_path).home == tmp_path
        assert Location(tmp_path, "other").home == tmp_path / "backends" / "other"

    def test_each_folder_that_is_made_is_the_accounts_alone(self, tmp_path):
        other = Location(tmp_path / "state", "other")
        prepare(other)
        for folder in (other.home, other.home.parent, other.state_dir):
            assert folder.stat().st_mode & 0o777 == 0o700, folder
        assert tmp_path.stat().st_mode & 0o777 == tmp_path.parent.stat().st_mode & 0o777

    def test_locks_of_two_backends_do_not_meet(self, tmp_path):
        here, other = Location(tmp_path), Location(tmp_path, "other")
        prepare(other)
        assert locations(tmp_path) == []
        held = [lock(here), lock(other)]
        assert None not in held
        assert lock(here) is None
        assert locations(tmp_path) == [here, other]
        for each in (here, other):
            found = holder(each)
            assert (found.pid, found.host, found.is_here) == (os.getpid(), gethostname(), True)
        for number in held:
            os.close(number)
        assert [holder(here), holder(other)] == [None, None]
