"""Environments and folders that requests may name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_gpuquota.local import environments, prefixes
from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.model.sessions import SessionRequest
from tests.waiting import patience


def make_prefix(path: Path, *packages: str) -> str:
    (path / "bin").mkdir(parents=True)
    (path / "bin" / "python").symlink_to("/bin/false")
    for package in packages:
        folder = path / "lib" / "python3.11" / "site-packages" / package
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    return str(path)


@pytest.fixture
def config(tmp_path: Path) -> LocalConfig:
    root = tmp_path / "root"
    root.mkdir()
    return LocalConfig(root_dir=str(root))


def test_the_controllers_own_prefix_is_the_default(config):
    first = environments.find(config)[0]
    assert (first.prefix, first.default, first.problem) == (sys.prefix, True, "")
    assert "Python 3" in first.label


def test_configured_prefixes_kernels_and_conda_are_found_once(config, tmp_path, monkeypatch):
    one = make_prefix(tmp_path / "one", "jupyter_server")
    two = make_prefix(tmp_path / "two")
    three = make_prefix(tmp_path / "nested" / "one", "jupyter_server")
    config.environments = [one, one + "/", str(tmp_path / "missing")]
    data = tmp_path / "data"
    for name, text in (
        ("two", json.dumps({"argv": [f"{two}/bin/python", "-m", "ipykernel"]})),
        ("again", json.dumps({"argv": [f"{one}/bin/python3.11"]})),
        ("other", json.dumps({"argv": ["julia"]})),
        ("broken", "{"),
        ("odd", json.dumps({"argv": []})),
    ):
        folder = data / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(text)
    monkeypatch.setenv("JUPYTER_PATH", str(data))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".conda").mkdir()
    (tmp_path / ".conda" / "environments.txt").write_text(f"{three}\n\n{one}\n")
    found = {e.prefix: e for e in environments.find(config)}
    assert next(iter(found)) == sys.prefix
    assert {one, two, three} <= found.keys()
    assert (found[one].id, found[three].id) == ("one", "one-2")
    assert (found[one].problem, found[two].problem) == ("", f"{two} has no jupyter_server.")


@pytest.mark.parametrize("body", [b"", b'{"argv":' * 100_000, b'{"argv": ["/\xff"]}', b"[]"])
def test_a_broken_kernelspec_hides_no_other(config, tmp_path, monkeypatch, body):
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    good = make_prefix(tmp_path / "good")
    for name, spec in {
        "a": body,
        "b": json.dumps({"argv": [f"{good}/bin/python", "-m", "ipykernel"]}).encode(),
    }.items():
        folder = tmp_path / "jupyter" / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_bytes(spec)
    assert good in [each.prefix for each in environments.find(config)]


def test_a_server_that_is_installed_later_is_seen(tmp_path):
    prefix = make_prefix(tmp_path / "env", "other")
    assert prefixes.problem_of(prefix) == f"{prefix} has no jupyter_server."
    assert prefixes.server_module(prefix) == "jupyter_server"
    packages = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    for name in ("jupyter_server", "jupyterlab"):
        (packages / name).mkdir()
        (packages / name / "__init__.py").touch()
    os.utime(packages, ns=(1, 1))
    assert prefixes.problem_of(prefix) == ""
    assert prefixes.server_module(prefix) == "jupyterlab"


def test_a_package_that_lies_elsewhere_is_found_by_asking(tmp_path):
    prefix = tmp_path / "venv"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True, timeout=patience()
    )
    assert "no jupyter_server" in prefixes.problem_of(str(prefix))
    (site,) = (prefix / "lib").glob("python3*/site-packages")
    own = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "linked.pth").write_text(own)
    assert prefixes.problem_of(str(prefix)) == ""
    assert prefixes.variable_of(str(prefix)) == "VIRTUAL_ENV"


def look_up(config, **fields):
    return environments.look_up(SessionRequest(name="x", **fields), config)


def test_an_environment_is_named_by_id_or_path(config, tmp_path):
    prefix = make_prefix(tmp_path / "one", "jupyter_server")
    config.environments = [prefix]
    unnamed = look_up(config).environment
    assert (unnamed.prefix, unnamed.default) == (sys.prefix, True)
    assert look_up(config, environment="one").environment.prefix == prefix
    assert look_up(config, environment=prefix + "/").environment.id == "one"
    other = make_prefix(tmp_path / "unlisted")
    assert look_up(config, environment=other).environment.problem


@pytest.mark.parametrize(
    "name", ["none", "/no/such/prefix", "relative/path", "~nobody-of-this-name/x", "/a\0b"]
)
def test_an_environment_that_does_not_exist_is_none(config, name):
    assert look_up(config, environment=name).environment is None


@pytest.mark.parametrize(
    ("name", "is_image"),
    [
        ("ghcr.io/team/torch:2", True),
        ("localhost:5000/torch@sha256:0a", True),
        ("python:3.11", True),
        ("none", False),
        ("/no/such/prefix", False),
    ],
)
def test_an_image_is_refused_with_the_reason(config, name, is_image):
    place = look_up(config, environment=name)
    assert place.environment is None
    assert ("not from images" in place.environment_problem) is is_image


def test_folders_start_at_the_root_and_are_resolved(config, tmp_path, monkeypatch):
    root = Path(config.root_dir)
    (root / "sub").mkdir()
    (root / "link").symlink_to(root / "sub")
    monkeypatch.setenv("HOME", str(root))
    for written, meant in (
        ("", root),
        ("sub", root / "sub"),
        ("sub/../link", root / "sub"),
        ("~/sub", root / "sub"),
        (str(tmp_path), tmp_path),
    ):
        place = look_up(config, folder=written)
        assert (place.folder, place.folder_problem) == (str(meant), "")


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("missing", "does not exist"),
        ("file", "is a file"),
        ("a\0b", "not a valid path"),
        ("~nobody-of-this-name/x", "not a valid path"),
        ("x" * 300, "does not exist|cannot be accessed"),
    ],
)
def test_a_folder_that_cannot_be_used_is_said(config, written, problem):
    Path(config.root_dir, "file").touch()
    assert re.search(problem, look_up(config, folder=written).folder_problem)


def test_a_folder_of_another_account_is_said(config, tmp_path):
    """Ask as an account that may not enter it; root may enter everything."""
    program = (
        "from jupyter_gpuquota.local.environments import _folder_problem as p; print(p('/root'))"
    )
    if os.geteuid() != 0:
        pytest.skip("only root can become another account")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    result = subprocess.run(
        ["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c", program],
        cwd=tmp_path.anchor,
        capture_output=True,
        text=True,
        check=False,
        timeout=patience(),
    )
    if result.returncode:
        pytest.skip(f"that account cannot run this interpreter: {result.stderr[-200:]}")
    assert "may not read /root" in result.stdout


def test_a_folder_whose_name_is_no_text_is_a_problem_also_behind_a_link(config, tmp_path):
    odd = tmp_path / os.fsdecode(b"b\xfcro")
    odd.mkdir()
    (tmp_path / "link").symlink_to(odd)
    for folder in (str(odd), str(tmp_path / "link")):
        problem = look_up(config, folder=folder).folder_problem
        assert "not UTF-8" in problem
        problem.encode()
