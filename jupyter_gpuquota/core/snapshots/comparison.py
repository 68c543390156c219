"""What differs between two snapshots, by their manifests."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.datasets.versions import SHOWN
from ...model.snapshots.comparison import FactChange, NotebookChange, SnapshotComparison
from ...model.snapshots.manifest import Manifest, VolumePart
from .environment import facts
from .volumes import pairs


def compare(before_id: str, before: Manifest, after_id: str, after: Manifest) -> SnapshotComparison:
    """Return what differs in all parts but the files, which only their trees tell."""
    return SnapshotComparison(
        before=before_id,
        after=after_id,
        code=changes(_code(before), _code(after)),
        packages=changes(
            facts(before.environment, after.environment),
            facts(after.environment, before.environment),
        ),
        environment=changes(_environment(before), _environment(after)),
        data=changes(_data(before), _data(after)),
        volumes=_volumes(before, after),
        params=changes(_params(before), _params(after)),
        metrics=_metrics(before, after),
        notebooks=_notebooks(before, after),
    )


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FactChange, ...]:
    """Return the facts that differ, by name."""
    return tuple(
        FactChange(name=name, before=before.get(name, ""), after=after.get(name, ""))
        for name in sorted(before.keys() | after.keys())
        if before.get(name, "") != after.get(name, "")
    )


def _code(manifest: Manifest) -> dict[str, str]:
    found = {}
    for git in manifest.git:
        patch = f" with changes {git.patch[:SHOWN]}" if git.dirty else ""
        found[git.folder] = f"{git.branch} {git.commit[:SHOWN]}{patch}".strip()
    if manifest.spec.command:
        found["command"] = " ".join((*manifest.spec.command, *manifest.spec.args))
    return found


def _environment(manifest: Manifest) -> dict[str, str]:
    found, share = manifest.environment, manifest.environment.share
    used = manifest.run.gpu if manifest.run else None
    facts = {
        "python": found.python,
        "prefix": found.prefix,
        "image": f"{found.image} {found.digest}".strip(),
        "cuda": found.cuda,
        "driver": found.driver,
        "gpus": ", ".join(found.gpus),
        "share": share.text if share else "",
        # No metric: the same program need not use a GPU in the same way again.
        "GPU utilisation": "" if used is None else f"{used:.0f} %",
    }
    return facts | {f"env {name}": value for name, value in manifest.spec.env.items()}


def _data(manifest: Manifest) -> dict[str, str]:
    return {each.dataset: each.version[:SHOWN] for each in manifest.data}


def _volumes(before: Manifest, after: Manifest) -> tuple[FactChange, ...]:
    found = pairs(before, after)
    return changes(
        {name: _copy(old) for name, old, _ in found if old},
        {name: _copy(new) for name, _, new in found if new},
    )


def _copy(part: VolumePart) -> str:
    return part.tree.version[:SHOWN] if part.tree else part.handle or "recorded only"


def _params(manifest: Manifest) -> dict[str, str]:
    return manifest.run.params if manifest.run else {}


def _metrics(before: Manifest, after: Manifest) -> tuple[FactChange, ...]:
    """Return the metrics that differ at all, in six digits where that is enough to see it."""

    def differing(text: str) -> tuple[FactChange, ...]:
        old, new = (
            {name: text.format(value) for name, value in each.metrics.items()}
            for each in (before, after)
        )
        return changes(old, new)

    short = {each.name: each for each in differing("{:g}")}
    return tuple(short.get(each.name, each) for each in differing("{!r}"))


def _notebooks(before: Manifest, after: Manifest) -> tuple[NotebookChange, ...]:
    old = {each.path: each.sha256 for each in before.notebooks}
    new = {each.path: each.sha256 for each in after.notebooks}
    return tuple(
        NotebookChange(
            path=path,
            change="added" if path not in old else "changed" if path in new else "removed",
        )
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )
