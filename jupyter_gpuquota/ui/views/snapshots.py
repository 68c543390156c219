"""Snapshots, what differs between two of them, and restores."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ...client.snapshots.tables import RESTORES, SNAPSHOTS
from ...model.snapshots.comparison import FactChange, SnapshotComparison
from ...model.snapshots.manifest import EnvironmentPart, Manifest, TreePart, VolumePart
from ...model.snapshots.restore import Original, Restoration, RestorationList, RestorePlan
from ...model.snapshots.runs import Run
from ...model.snapshots.snapshots import Snapshot, SnapshotDetails, SnapshotList, SnapshotPreview
from ..hints import in_notebook
from .data.formats import ago_text, count_text, path_text, short, size_text
from .markup import Markup, tag
from .previews import FORBIDDEN
from .view import Column, NotedView, Row, TableView, View, pairs_text

_LEFT = "left out:"
_MINOR = (_LEFT.rstrip(":"), "written")
"""Parts that are said elsewhere, or that the snapshot has as they were."""

_FEW = 3
"""Paths that are named for each reason, and remarks."""


class SnapshotsView(TableView[SnapshotList, Snapshot]):
    """Snapshots, newest first."""

    def __init__(self, data: SnapshotList) -> None:
        super().__init__(data, data.items, SNAPSHOTS, _COLUMNS, "Snapshots")


class SnapshotView(NotedView[Snapshot]):
    """One snapshot, as a line."""

    def __init__(self, data: Snapshot, note: str) -> None:
        super().__init__(data, SNAPSHOTS, note=note)


Shown = SnapshotDetails | SnapshotComparison | SnapshotPreview | RestorePlan


class LinesView(View[Shown]):
    """An answer as lines of text."""

    def __init__(
        self,
        data: Shown,
        lines: Iterable[str],
        *,
        exit_code: int = 0,
    ) -> None:
        super().__init__(data, exit_code=exit_code)
        self._lines = tuple(lines)

    @property
    def failure(self) -> str:
        """Return the plan, which has what stands against it."""
        return self.text

    @property
    def text(self) -> str:
        """Return the lines."""
        return "\n".join(self._lines)

    @property
    def body(self) -> Markup:
        """Return the same."""
        return tag("pre", in_notebook(self.text))

    @property
    def records(self) -> list[Row]:
        """Return a row for each line."""
        return [{"line": line} for line in self._lines]


class RestoresView(TableView[RestorationList, Restoration]):
    """Restores, newest first."""

    def __init__(self, data: RestorationList) -> None:
        columns: list[Column[Restoration]] = [
            Column("SNAPSHOT", lambda each: short(each.snapshot), whole=True),
            Column("STATE", lambda each: each.state),
            Column("SESSION", lambda each: each.name or "-", whole=True),
            Column("FOLDER", lambda each: path_text(each.folder) or "-"),
            Column("PROBLEM", lambda each: each.problem.message if each.problem else "-"),
        ]
        super().__init__(data, data.items, RESTORES, columns, "Restores")


class RestoreView(NotedView[Restoration]):
    """One restore, and what can be done next."""

    def __init__(self, data: Restoration) -> None:
        super().__init__(data, RESTORES, note=restored_text(data))


def details(found: SnapshotDetails) -> LinesView:
    """Return a snapshot with its parts."""
    snapshot, manifest = found.snapshot, found.manifest
    pairs = [
        ("snapshot", snapshot.id),
        ("session", f"{snapshot.name} ({snapshot.project})"),
        ("state", snapshot.state),
        ("problem", snapshot.problem.message if snapshot.problem else ""),
        ("note", snapshot.note),
        ("tags", ", ".join(snapshot.tags)),
        ("taken", f"{ago_text(snapshot.created)} ({snapshot.trigger})"),
        ("parent", short(snapshot.parent)),
        ("consistency", snapshot.consistency),
        ("pinned", (snapshot.pin.why or "yes") if snapshot.pin else ""),
        *(_parts(manifest) if manifest else ()),
    ]
    lines = pairs_text(pairs).splitlines()
    if manifest and manifest.problems:
        lines += ["", "not stored, or with remarks:"]
        lines += [f"  {path_text(e.part)}: {path_text(e.message)}" for e in manifest.problems]
    if found.reproduce:
        lines += ["", "to rebuild the run:", *(f"  {line}" for line in found.reproduce)]
    return LinesView(found, lines)


def preview(found: SnapshotPreview) -> LinesView:
    """Return what a snapshot would store, and leave out."""
    if found.files is None or found.size is None:
        size = "How much would be stored is not known before."
    else:
        size = f"{count_text(found.files, 'file')}, {size_text(found.size)}."
        size = size if found.complete else f"More than {size}"
    lines = _by_reason({each.path: each.why for each in found.left_out})
    more = found.all_left_out - len(found.left_out)
    lines += [f"  {more:,} more"] if more else []
    return LinesView(found, [size, *(["Left out:", *lines] if lines else [])])


def left_out(manifest: Manifest | None) -> list[str]:
    """Return lines with what a snapshot left out, by reason; none if nothing."""
    problems = manifest.problems if manifest else ()
    why = {
        each.part.removeprefix(_LEFT): each.message
        for each in problems
        if each.part.startswith(_LEFT)
    }
    more = [f"  {each.message}" for each in problems if each.part == _LEFT.rstrip(":")]
    return ["Left out:", *_by_reason(why), *more] if why else []


def remarks(manifest: Manifest | None) -> list[str]:
    """Return lines with the parts that are missing or torn, and why; none if all is well."""
    lines = [
        f"  {path_text(each.part)}: {path_text(each.message)}"
        for each in (manifest.problems if manifest else ())
        if not each.part.startswith(_MINOR)
    ]
    more = [f"  {len(lines) - _FEW:,} more"] if len(lines) > _FEW else []
    return ["Not stored, or with remarks:", *lines[:_FEW], *more] if lines else []


def _by_reason(why: Mapping[str, str]) -> list[str]:
    """Return a line for each reason, with the first paths."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, reason in why.items():
        paths[reason].append(path_text(path))
    lines = []
    for reason, names in paths.items():
        others = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
        lines.append(f"  {', '.join(names[:_FEW])}{others}: {path_text(reason)}")
    return lines


def comparison(found: SnapshotComparison, *, results: bool = False) -> LinesView:
    """Return what differs, by part; with `results` it begins with whether the metrics do."""
    parts = {
        "code": found.code,
        "packages": found.packages,
        "environment": found.environment,
        "data": found.data,
        "volumes": found.volumes,
        "params": found.params,
        "metrics": found.metrics,
    }
    lines = [f"{short(found.before)} → {short(found.after)}"]
    if results:
        lines.append("Metrics differ." if found.metrics else "No metric differs.")
    for name, changes in parts.items():
        lines += [f"{name}:", *map(_change, changes)] if changes else []
    if found.notebooks:
        lines.append("notebooks:")
        for notebook in found.notebooks:
            lines.append(f"  {notebook.path}: {notebook.change}")
            lines += (f"    {line}" for line in notebook.text.splitlines())
    if found.files:
        lines += [f"files ({count_text(found.all_files, 'difference')}):"]
        lines += [f"  {each.change} {path_text(each.path, raw=each.raw)}" for each in found.files]
    lines += found.problems
    return LinesView(found, lines if len(lines) > 1 else [*lines, "No differences."])


def plan(found: RestorePlan) -> LinesView:
    """Return what a restore would make."""
    pairs = [
        ("snapshot", short(found.snapshot)),
        ("folder", found.folder),
        ("size", size_text(found.size)),
        ("session", f"{found.spec.name}, {found.spec.share.text}" if found.spec else "none"),
        ("volumes", ", ".join(found.claims)),
    ]
    lines = pairs_text(pairs).splitlines()
    lines += [f"! {each.field}: {each.message} {each.hint}".rstrip() for each in found.problems]
    lines += [f"- {path_text(each)}" for each in found.warnings]
    lines += [path_text(_next(found.original, found.folder))] if found.original else []
    if found.commands:
        lines += ["", "to restore with the packages of the snapshot:"]
        lines += [f"  {path_text(each)}" for each in found.commands]
    return LinesView(found, lines, exit_code=FORBIDDEN if found.problems else 0)


def restored_text(found: Restoration) -> str:
    """Return how far a restore is, and what can be done next."""
    if found.active:
        return f"Restoring into {found.folder or 'new volumes'}: {found.state}."
    if found.state == "failed":
        return found.problem.message if found.problem else "The restore has failed."
    steps = f" {_next(found.original, found.folder)}" if found.original else ""
    names = ", ".join(found.volumes)
    if not found.folder:
        session = f" The session {found.name} mounts them." if found.name else ""
        return f"New volumes have the files of {short(found.snapshot)}: {names}.{session}{steps}"
    session = f"; the session {found.name} works there" if found.name else ""
    volumes = f" New volumes: {names}." if names else ""
    return f"{found.folder} has the files of {short(found.snapshot)}{session}.{volumes}{steps}"


def _next(original: Original, folder: str) -> str:
    """Return the steps after which only what was restored, in a folder, goes on."""
    stop = f"To go on with it instead of {original.name}: `jupyter gpu stop {original.name}`"
    if not original.folder:
        return f"{stop}, then keep its volumes or delete them: `jupyter gpu volume delete NAME`."
    if folder.startswith(f"{original.folder.rstrip('/')}/"):
        return f"{stop}. Its folder has the new one in it."
    move = shlex.join(("mv", original.folder, f"{original.folder}.old"))
    return f"{stop}, then keep {original.folder} or move it: `{move}`."


def added_text(added: int | None) -> str:
    """Return what a snapshot has added to its storage; a dash where that is not known."""
    return "-" if added is None else size_text(added)


def _parts(manifest: Manifest) -> list[tuple[str, str]]:
    found = manifest.environment
    metrics = (f"{name}={value:g}" for name, value in manifest.metrics.items())
    ran = (f"{each.path} ({each.executed}/{each.cells} cells)" for each in manifest.notebooks)
    return [
        ("files", _tree(manifest.tree) if manifest.tree else "none"),
        ("notebooks", ", ".join(ran)),
        ("git", ", ".join(_git(manifest))),
        ("python", f"{found.python} {found.prefix or found.image}".strip()),
        ("packages", _packages(found)),
        ("gpus", f"{', '.join(found.gpus)} {found.driver}".strip()),
        ("data", ", ".join(f"{e.dataset}@{short(e.version)}" for e in manifest.data)),
        ("volumes", ", ".join(map(_volume, manifest.volumes))),
        ("artifacts", ", ".join(each.path for each in manifest.artifacts)),
        ("log", ", ".join(f"{each.path}, {size_text(each.size)}" for each in manifest.logs)),
        ("variables", ", ".join(manifest.kernel.names) if manifest.kernel else ""),
        ("metrics", ", ".join(metrics)),
        ("run", _run(manifest.run) if manifest.run else manifest.mlflow_run),
        ("program", shlex.join(manifest.program)),
    ]


def _packages(found: EnvironmentPart) -> str:
    """Return how many packages there are, and which came from no index."""
    if not found.packages:
        return ""
    commits = (
        f"{name} at {short(source.commit)}{' with changes' if source.dirty else ''}"
        for name, source in found.sources.items()
        if source.commit
    )
    conda = f"{count_text(len(found.conda), 'package')} of conda" if found.conda else ""
    return ", ".join(filter(None, [str(len(found.packages)), conda, *commits]))


def _tree(tree: TreePart) -> str:
    """Return how many files there are, and whether they are of one moment."""
    frozen = tree.mechanism == "instant"
    how = f"frozen by {tree.provider}" if frozen else "read one by one"
    return f"{count_text(tree.files, 'file')}, {size_text(tree.size)}, {how}"


def _volume(part: VolumePart) -> str:
    if not part.provider:
        return f"{part.volume} (recorded, not stored)"
    made = "at once" if part.mechanism == "instant" else "copied"
    return f"{part.volume} ({part.provider}, {made}, {part.consistency})"


def _run(run: Run) -> str:
    params = (f"{name}={value}" for name, value in run.params.items())
    return " ".join((run.name or run.id, *params))


def _git(manifest: Manifest) -> list[str]:
    return [
        f"{each.folder} {each.branch} {short(each.commit) or '(no commit)'}"
        f"{' with changes' if each.dirty else ''}"
        for each in manifest.git
    ]


def _change(change: FactChange) -> str:
    return f"  {change.name}: {change.before or '-'} → {change.after or '-'}"


_COLUMNS: list[Column[Snapshot]] = [
    Column("ID", lambda each: each.short, whole=True),
    Column("SESSION", lambda each: each.name or f"of {each.owner}", whole=True),
    Column("STATE", lambda each: each.state),
    Column("TAKEN", lambda each: ago_text(each.created)),
    Column("SIZE", lambda each: size_text(each.size)),
    Column("ADDED", lambda each: added_text(each.added)),
    Column("STORED BY", lambda each: ", ".join(each.providers) or "-"),
    Column("TAGS", lambda each: ", ".join(each.tags) or "-"),
    Column("NOTE", lambda each: path_text(each.note) or "-"),
]
