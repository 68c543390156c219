"""The memory of a process as reported by Linux."""

from __future__ import annotations

from pathlib import Path


def proportional(pid: int) -> int:
    """Return the proportional set size in bytes: shared pages count in parts."""
    return _field(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def resident(pid: int) -> int:
    """Return the resident set size in bytes."""
    return _field(Path(f"/proc/{pid}/status"), "VmRSS:")


def peak(pid: int) -> int:
    """Return the largest resident set size, in bytes, since `forget_peak`."""
    return _field(Path(f"/proc/{pid}/status"), "VmHWM:")


def forget_peak(pid: int) -> None:
    """Reset the peak to the present resident set size (proc(5), clear_refs, 5)."""
    Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")


def _field(path: Path, name: str) -> int:
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    message = f"{path} has no line {name}"
    raise LookupError(message)
