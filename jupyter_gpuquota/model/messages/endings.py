"""Reasons why a session was ended, and what became of its work; exits have their own."""

from __future__ import annotations

from .templates import Plural, Text

_RESUME = "Resume starts it again in the same folder with the same settings. Kernel memory is gone."
_RULES = {
    "idle_timeout": ("idle", "idle timeout"),
    "gpu_idle_timeout": ("GPU idle", "GPU idle timeout"),
}
_DONE = {"suspend": "Suspended", "stop": "Stopped"}
_AGAIN = {"suspend": "Resume starts it again.", "stop": ""}
_REQUESTS = {
    "": "on request.",
    ".why": "on request: {why}",
    ".who": "by {who}.",
    ".who.why": "by {who}: {why}",
}
"""How an end was requested: by its owner or somebody else, and with what reason if any."""

ENDINGS = {
    **{
        f"request.{action}{kind}": Text(f"{done} {how}", _AGAIN[action])
        for action, done in _DONE.items()
        for kind, how in _REQUESTS.items()
    },
    "request.resize": Text("Stopped on request, to restart with {share:share}."),
    "request.mount": Text("Stopped on request, to restart with the volumes {volumes:and}."),
    **{
        f"{rule}.{action}": Text(
            f"{done}: {idle} for {{span:duration}} ({words} of {{policy:policy}}). "
            "No {signals:signals}.",
            _RESUME,
        )
        for rule, (idle, words) in _RULES.items()
        for action, done in _DONE.items()
    },
    "lifetime.end": Text(
        "Stopped after {lived:duration}: maximum run time of {policy:policy} reached.", _RESUME
    ),
    "ending.killed": Text("It did not end in time and was killed; unsaved data is lost."),
    "ending.unsaved": Text(
        Plural(
            "documents",
            one="{documents:count} open document could not be saved.",
            many="{documents:count} open documents could not be saved.",
        )
    ),
    "ending.unknown": Text("It is not known whether notebooks had unsaved changes."),
    "ending.unknown.since": Text(
        "It is not known whether notebooks had unsaved changes after the last save at {saved:time}."
    ),
    "device.removed": Text("{node} lost GPU {gpus:and} while the session was using it."),
}
