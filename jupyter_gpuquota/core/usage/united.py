"""The histories of several clusters as one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import structs

from ...model.history import History


def united(found: Mapping[str, History], missing: Mapping[str, str]) -> History:
    """Return the histories of clusters, which have the same step, as one.

    `missing` maps the clusters that could not be asked to why.
    """
    every = tuple(found.values())
    points = (point for each in every for point in each.points)
    notes = (*_notes(found), *(f"{name} is missing: {why}" for name, why in missing.items()))
    return structs.replace(
        every[0],
        points=tuple(sorted(points, key=lambda point: point.at)),
        users=tuple(user for each in every for user in each.users),
        simulated=any(each.simulated for each in every),
        note=" ".join(notes),
        notes=notes,
    )


def _notes(found: Mapping[str, History]) -> Iterator[str]:
    """Iterate over the notes; one that is not true of all clusters begins with their names."""
    for note in dict.fromkeys(note for each in found.values() for note in each.notes):
        about = [name for name, each in found.items() if note in each.notes]
        yield note if len(about) == len(found) else f"{', '.join(about)}: {note}"
