"""The lock files work for everyone: they pin versions, not download locations."""

import json
import re

import pytest

from tests.architecture.sources import ROOT

FOLDERS = ("labextension", "labextension/ui-tests")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_lock_file_names_no_host(folder):
    text = (ROOT / folder / "yarn.lock").read_text(encoding="utf-8")
    assert "resolution:" in text
    assert re.findall(r"https?://\S+", text) == []


def test_the_front_end_and_its_browser_tests_pin_one_jupyterlab():
    main, tests = (
        json.loads((ROOT / folder / "package.json").read_text(encoding="utf-8"))["resolutions"]
        for folder in FOLDERS
    )
    shared = main.keys() & tests.keys()
    assert {name for name in shared if name.startswith("@jupyterlab/")}
    assert {name: main[name] for name in shared} == {name: tests[name] for name in shared}
