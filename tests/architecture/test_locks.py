"""The lock file works for everyone: it pins versions, not download locations."""

import json
import re

from tests.architecture.sources import ROOT

FRONT_END = ROOT / "labextension"


def test_the_lock_file_names_no_host():
    text = (FRONT_END / "yarn.lock").read_text(encoding="utf-8")
    assert "resolution:" in text
    assert re.findall(r"https?://\S+", text) == []


def test_the_front_end_and_its_browser_tests_pin_one_jupyterlab():
    main, tests = (
        json.loads((folder / "package.json").read_text(encoding="utf-8"))
        for folder in (FRONT_END, FRONT_END / "ui-tests")
    )
    assert "ui-tests" in main["workspaces"]
    assert {name for name in main["resolutions"] if name.startswith("@jupyterlab/")}
    assert "resolutions" not in tests, "those of the front end hold for both"
    assert not (FRONT_END / "ui-tests/yarn.lock").exists()
