"""Lines of progress: how a session starts, and warnings before its end."""

from __future__ import annotations

from .templates import Text

_RULES = {
    "idle_timeout": ("unless used", "Idle since"),
    "gpu_idle_timeout": ("because its GPU is unused", "Its GPU has been unused since"),
}
_DONE = {"suspend": "suspended", "stop": "stopped"}

PROGRESS = {
    "progress.placed": Text("Placed on {place:place}"),
    "progress.server": Text("Starting a Jupyter Server from {environment}"),
    "progress.command": Text("Starting {command} from {environment}"),
    "progress.running": Text("Running"),
    "progress.ready": Text("Ready"),
    "progress.pulling": Text("Pulling {image}"),
    "progress.pulled": Text("Pulled {image} ({size:memory}) in {span:duration}"),
    "progress.fetching": Text("Fetching {data}"),
    "progress.fetched": Text("Fetched {data} in {span:duration}"),
    "progress.went_on": Text("Waited {span:duration} in {cluster}; now in {next}"),
    "progress.refused_on": Text("Refused in {cluster}: {why}"),
    "progress.simulated": Text("Running in memory only: no process is started"),
    **{
        f"warning.{rule}.{action}": Text(
            f"Will be {done} at {{at:time}} {unless} ({{policy:policy}})"
        )
        for rule, (unless, _) in _RULES.items()
        for action, done in _DONE.items()
    },
    **{
        f"warning.{rule}.notify": Text(f"{idle} {{since:time}} ({{policy:policy}})")
        for rule, (_, idle) in _RULES.items()
    },
    "warning.lifetime": Text(
        "Will be stopped at {at:time}, the end of its maximum run time ({policy:policy}); "
        "save your work"
    ),
}
