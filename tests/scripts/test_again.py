"""The commands that run one test again."""

from __future__ import annotations

from scripts.again import FRONT_END, ROOT, command


def test_each_kind_of_test_has_its_runner() -> None:
    cluster = "tests/cluster/test_life.py::test_it"
    assert {test: command(test) for test in ("tests/core/test_x.py::test_y", cluster)} == {
        "tests/core/test_x.py::test_y": (
            ROOT,
            ["pytest", "-p", "no:cacheprovider", "tests/core/test_x.py::test_y"],
        ),
        cluster: (
            ROOT,
            ["python", "-m", "scripts.cluster", "run", "pytest", "-p", "no:cacheprovider", cluster],
        ),
    }
    browser = command("labextension/ui-tests/tests/launch.spec.ts")
    assert browser == (FRONT_END / "ui-tests", ["jlpm", "test", "tests/launch.spec.ts"])
    unit = command("labextension/src/views/__tests__/launch.spec.tsx")
    assert unit == (FRONT_END, ["jlpm", "test", "src/views/__tests__/launch.spec.tsx"])
