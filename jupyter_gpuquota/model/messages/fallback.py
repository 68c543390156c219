"""Texts of lists of places: what is wrong with one, and where a session is."""

from __future__ import annotations

from .templates import Text

FALLBACK = {
    "place.unknown": Text("No cluster or template is named {name}.", "Known: {known:and}."),
    "place.unknown.none": Text("No cluster or template is named {name}."),
    "place.unnamed": Text("A name is missing.", "Name a cluster or a template."),
    "place.closed": Text(
        "You may not launch in any project of {cluster}.", "Ask an administrator of that cluster."
    ),
    "place.not_withdrawn": Text(
        "A command that is queued in {cluster} cannot be taken back: it may start at any moment.",
        "Put it last.",
    ),
    "place.most": Text("Use at most {most:count} places, not {count:count}."),
    "fallback.wait": Text("Use a time of at least 10 seconds, such as 10m."),
    "fallback.alone": Text("It needs a list of places.", "Name clusters or templates: --on A,B."),
    "fallback.until": Text("If it has not started by {at:time}, it goes on to {next}."),
    "fallback.away": Text("It goes on to {next} once that can be reached."),
    "fallback.moving": Text("Moves to {cluster}.", "Starts there when GPUs are free."),
    "fallback.stopped": Text("Stopped while it moved to {cluster}."),
    "fallback.refused": Text(
        "No place takes it: {why}", "Correct the request, and launch it again."
    ),
}
