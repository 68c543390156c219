"""What differs in the cells of notebooks, by nbdime."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec.structs import replace

from ...errors import GpuQuotaError
from ...model.snapshots.comparison import NotebookChange
from ...store.tasks import in_thread

MOST = 20
"""The most notebooks that are compared."""
SIZE = 8 << 20
"""The most bytes of a notebook that is compared: outputs count."""
_SHOWN = 20_000
_MISSING = "Notebooks are compared by name only: jupyter_gpuquota[nbdime] is not installed."

Read = Callable[[str], Awaitable[tuple[bytes, bytes]]]
"""Returns the bytes of a path before and after."""


async def with_texts(
    changes: tuple[NotebookChange, ...], read: Read
) -> tuple[tuple[NotebookChange, ...], tuple[str, ...]]:
    """Return changes with their differences, and why some have none."""
    found = {change.path: change for change in changes}
    problems: list[str] = []
    changed = [change.path for change in changes if change.change == "changed"]
    try:
        for path in changed[:MOST]:
            try:
                text = await in_thread(difference, *await read(path))
                found[path] = replace(found[path], text=text)
            except ValueError as error:
                problems.append(f"{path}: {error}")
            except GpuQuotaError as error:
                problems.append(f"{path}: {error.message}")
    except ImportError:
        return changes, (_MISSING,)
    if len(changed) > MOST:
        problems.append(f"Only the first {MOST} notebooks are compared by their cells.")
    return tuple(found.values()), tuple(problems)


def difference(before: bytes, after: bytes) -> str:
    """Return how the sources of two notebooks differ, empty if only outputs do.

    Raises ValueError for what is not a notebook or is too large, ImportError without nbdime.
    """
    import nbdime  # noqa: PLC0415 (takes a second, and is an extra)
    from nbdime.prettyprint import (  # noqa: PLC0415
        PrettyPrintConfig,
        pretty_print_notebook_diff,
    )

    if max(len(before), len(after)) > SIZE:
        raise ValueError(f"too large to compare: more than {SIZE >> 20} MiB.")
    try:
        old, new = _without_outputs(before), _without_outputs(after)
        found = nbdime.diff_notebooks(old, new)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ValueError("it cannot be read as a notebook.") from error
    out = io.StringIO()
    config = PrettyPrintConfig(
        out=out, include=_Sources(), use_color=False, use_git=False, use_diff=False
    )
    pretty_print_notebook_diff("before", "after", old, found, config)
    return _without_heading(out.getvalue())


def _without_outputs(body: bytes) -> Any:
    """Return a notebook without the outputs of its cells, which take long to compare."""
    import nbformat  # noqa: PLC0415 (nbdime needs it)

    read: Callable[..., Any] = nbformat.reads  # it has no types
    notebook = read(body.decode(), as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


class _Sources:
    """What nbdime shows: the sources of cells."""

    def __getattr__(self, name: str) -> Any:
        return name == "sources"


def _without_heading(text: str) -> str:
    """Return a difference without the names of files that do not exist."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("##")), len(lines))
    return "\n".join(lines[first:])[:_SHOWN].strip()
