"""Checking what is asked of snapshots, the draft of a manifest, and what lists tell."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace

from ...errors import FieldError, WrongState, refuse, refused
from ...model.datasets.versions import LATEST, SHORTEST
from ...model.sessions import Session, SessionSpec
from ...model.snapshots.manifest import Consistency, EnvironmentPart, Manifest, PartProblem, Trigger
from ...model.snapshots.snapshots import (
    Snapshot,
    SnapshotPin,
    SnapshotQuery,
    SnapshotRequest,
    SnapshotUse,
)
from ..exclusion import check_patterns
from .redaction import secret_values, secret_variable, text, words
from .reproduction import program
from .rights import has_run
from .volumes import check_choice

NOTE = 2000
"""The most letters of a note."""
_MOST = 100
_BAD_GLOB = "A pattern is relative to the session's folder, and has no `..`."
_BAD_METRIC = "a metric has a short name, and is a finite number."
_BAD_TAG = (
    "A tag has letters, digits, '.', '_' and '-', begins with a letter or a digit, and must not "
    "look like an id."
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", re.ASCII)
_DUMP = re.compile(r"[0-9a-f]{32}", re.ASCII)
_DIGITS = re.compile(r"[0-9a-f]+", re.ASCII)
_BEGUN = frozenset({"running", "stopping", "suspended", "stopped", "done", "failed"})


def check(request: SnapshotRequest, session: Session) -> None:
    """Raise InvalidFields with all problems of a request, WrongState for a session without work."""
    problems = [*check_tags(request.tags), *check_note(request.note)]
    for index, glob in enumerate(request.artifacts):
        if not glob or glob.startswith("/") or ".." in glob.split("/"):
            problems.append(FieldError(f"artifacts[{index}]", _BAD_GLOB))
    for index, name in enumerate(request.variables):
        if not _NAME.fullmatch(name):
            problems.append(FieldError(f"variables[{index}]", "This cannot be a variable's name."))
    if request.dump and not _DUMP.fullmatch(request.dump):
        problems.append(FieldError("dump", "This cannot be a file of variables."))
    for name, value in request.metrics.items():
        if not name or len(name) > _MOST or not math.isfinite(value):
            problems.append(FieldError("metrics", f"{name[:_MOST]!a}: {_BAD_METRIC}"))
    problems += check_choice(session.spec, request.volumes)
    problems += check_patterns("exclude", request.exclude)
    refuse(problems)
    if session.state not in _BEGUN or not has_run(session):
        raise WrongState(
            f"{session.spec.name} has not started yet: there is nothing to store.",
            hint="Take a snapshot when it runs.",
        )


def check_tags(tags: Sequence[str]) -> list[FieldError]:
    """Return what is wrong with tags: a tag never looks like the beginning of an id."""
    return [
        FieldError(f"tags[{index}]", _BAD_TAG)
        for index, tag in enumerate(tags)
        if not _TAG.fullmatch(tag)
        or tag == LATEST
        or (len(tag) >= SHORTEST and _DIGITS.fullmatch(tag))
    ]


def check_note(note: str) -> list[FieldError]:
    """Return what is wrong with a note."""
    return [FieldError("note", f"Use at most {NOTE} letters.")] if len(note) > NOTE else []


def draft(
    session: Session,
    request: SnapshotRequest,
    *,
    author: str,
    trigger: Trigger,
    parent: str,
    consistency: Consistency,
    now: datetime,
    problems: Iterable[PartProblem] = (),
) -> Manifest:
    """Return the manifest of a session's snapshot with all that is known without looking into it.

    Variables of the environment that may hold secrets are left out, and named.
    """
    spec, left = _redacted(session.spec)
    return Manifest(
        session=session.id,
        name=spec.name,
        project=spec.project,
        owner=session.owner,
        author=author,
        created=now,
        parent=parent,
        note=request.note,
        tags=tuple(dict.fromkeys(request.tags)),
        trigger=trigger,
        consistency=consistency,
        spec=spec,
        environment=EnvironmentPart(prefix=spec.environment, image=spec.image, share=spec.share),
        data=spec.data,
        metrics=dict(request.metrics),
        program=program(request.program, spec.folder, secret_values(session.spec.env)),
        problems=(*problems, *left),
    )


def _redacted(spec: SessionSpec) -> tuple[SessionSpec, list[PartProblem]]:
    """Return a spec without secrets, and which variables were left out."""
    secrets = secret_values(spec.env)
    plain = {name: value for name, value in spec.env.items() if not secret_variable(name)}
    left = [
        PartProblem(part=f"env:{name}", message="It was left out: it may be a secret.")
        for name in spec.env
        if name not in plain
    ]
    redacted = replace(
        spec,
        env={name: text(value, secrets) for name, value in plain.items()},
        command=words(spec.command, secrets),
        args=words(spec.args, secrets),
    )
    return redacted, left


def marked(snapshot: Snapshot, tags: Sequence[str]) -> Snapshot:
    """Return a snapshot with other tags. Raises InvalidFields."""
    refuse(check_tags(tags))
    return replace(snapshot, tags=tuple(dict.fromkeys(tags)))


def pinned(snapshot: Snapshot, why: str, now: datetime) -> Snapshot:
    """Return a snapshot that is kept whatever the rules say. Raises InvalidFields."""
    if len(why) > NOTE:
        raise refused(FieldError("why", f"Use at most {NOTE} letters."))
    return replace(snapshot, pin=SnapshotPin(why=why, since=now))


def unpinned(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot without a pin."""
    return replace(snapshot, pin=None)


def matching(snapshots: Iterable[Snapshot], query: SnapshotQuery) -> list[Snapshot]:
    """Return the snapshots that a query asks for, in the given order."""
    words = query.text.casefold().split()
    return [
        each
        for each in snapshots
        if query.session in {"", each.session, each.name}
        and query.project in {"", each.project}
        and (not query.tag or query.tag in each.tags)
        and all(word in _text(each) for word in words)
    ]


def _text(snapshot: Snapshot) -> str:
    return " ".join((snapshot.note, snapshot.name, snapshot.id, *snapshot.tags)).casefold()


def sum_up(snapshots: Iterable[Snapshot]) -> tuple[SnapshotUse, ...]:
    """Return the sizes of snapshots by project and owner, both sorted."""
    found: dict[tuple[str, str], list[Snapshot]] = defaultdict(list)
    for each in snapshots:
        found[each.project, each.owner].append(each)
    return tuple(
        SnapshotUse(
            project=project,
            owner=owner,
            snapshots=len(items),
            size=sum(each.size for each in items),
            added=sum(each.added or 0 for each in items),
            unknown=sum(each.added is None for each in items),
        )
        for (project, owner), items in sorted(found.items())
    )
