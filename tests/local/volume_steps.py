"""A program that is killed before each step on the disk of what the controller does to volumes.

`python -m tests.local.volume_steps FOLDER` prints the steps of each verb, and what went wrong. It
has one thread only, so it can fork: a child does one verb and kills itself at one step.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from jupyter_gpuquota.control.volumes.store import VolumeRecord
from jupyter_gpuquota.local.volumes.store import FolderVolumes

STEPS = {
    "open",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.scandir",
    "os.truncate",
    "shutil.rmtree",
}
"""Events of the interpreter before the kernel is asked: see PEP 578."""
OTHER = VolumeRecord(name="other", project="team-a")

Verb = Callable[[FolderVolumes], object]


def run(home: Path, shared: Path) -> dict[str, object]:
    """Kill every verb at every step, and return how many there are and what went wrong."""
    old = VolumeRecord(name="scans", project="team/a", size=1)
    new = replace(old, description="larger", size=2)
    listed = VolumeRecord(name="scans", project="team/a", folder=str(shared))
    verbs: dict[str, tuple[VolumeRecord | None, Verb, VolumeRecord | None]] = {
        "create": (None, lambda store: store.add(old), old),
        "share": (None, lambda store: store.add(listed), listed),
        "change": (old, lambda store: store.save(new), new),
        "delete": (old, lambda store: (store.remove(old), store.tidy()), None),
        "unshare": (listed, lambda store: (store.remove(listed), store.tidy()), None),
    }
    problems: list[str] = []
    steps = {}
    for name, (before, verb, after) in verbs.items():
        step = 0
        while True:
            folder = home / f"{name}-{step}"
            _prepare(folder, before)
            was_killed = _killed(folder, verb, step)
            may = [before, after] if was_killed else [after]
            problems += [f"{name} at step {step}: {each}" for each in _wrong(folder, before, may)]
            if not was_killed:
                break
            step += 1
        steps[name] = step
    if (shared / "a.txt").read_text() != "shared":
        problems.append("the files of a shared folder were touched")
    return {"steps": steps, "problems": problems}


def _prepare(folder: Path, before: VolumeRecord | None) -> None:
    """Make a state folder with another volume, and the one that is to be changed."""
    folder.mkdir()
    store = FolderVolumes(folder)
    for record in filter(None, (OTHER, before)):
        store.add(record)
        if not record.folder:
            Path(store.folder(record), "a.txt").write_text(record.name)


def _killed(folder: Path, verb: Verb, step: int) -> bool:
    """Return whether a child that does something was killed before it had done it."""
    child = os.fork()
    if not child:
        left = [step]

        def hook(event: str, _args: object) -> None:
            if event in STEPS:
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                left[0] -= 1

        store = FolderVolumes(folder)
        sys.addaudithook(hook)
        try:
            verb(store)
        except BaseException:  # noqa: BLE001 (the child must end here; its parent sees the code)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"step {step} failed in {folder}")
    return os.WIFSIGNALED(status)


def _wrong(folder: Path, before: VolumeRecord | None, may: list[VolumeRecord | None]) -> list[str]:
    """Return what the next controller finds that must not be: `may` are what a volume may be."""
    store = FolderVolumes(folder)
    found = {record.name: record for record in store.load()}
    store.tidy()
    scans, problems = found.pop("scans", None), []
    if found != {"other": OTHER} or _content(store, OTHER) != "other":
        problems.append("the other volume has changed")
    if scans not in may:
        problems.append(f"it is {scans}")
    if scans and store.problem(scans):
        problems.append(store.problem(scans))
    if scans and before and not scans.folder and _content(store, scans) != "scans":
        problems.append("its files are gone")
    if left := [path.name for path in folder.glob("volumes/*/.*")]:
        problems.append(f"{left} are left")
    if scans is None:
        store.add(replace(OTHER, name="scans", project="team/a"))
    return problems


def _content(store: FolderVolumes, record: VolumeRecord) -> str:
    return Path(store.folder(record), "a.txt").read_text()


def main(folder: str) -> None:
    """Do so in a folder."""
    shared = Path(folder, "shared")
    shared.mkdir()
    (shared / "a.txt").write_text("shared")
    sys.stdout.write(json.dumps(run(Path(folder), shared)))


if __name__ == "__main__":
    main(sys.argv[1])
