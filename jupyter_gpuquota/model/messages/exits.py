"""Reasons: why a session could not start, and how its processes ended."""

from __future__ import annotations

from .templates import Text

_CHECK_LOG = "Check the log."

EXITS = {
    "start.failed": Text("Could not start: {detail}", "Resume tries again."),
    "start.command": Text("Could not start: {detail}.", "Check the session's PATH."),
    "start.server": Text(
        "The Jupyter Server exited with code {status} before it was ready.", _CHECK_LOG
    ),
    "start.token_refused": Text(
        "The Jupyter Server refuses the session's token: its configuration sets a token, an "
        "identity provider or an authorizer.",
        "Remove that from the configuration, or the option --config.",
    ),
    "start.open": Text(
        "The Jupyter Server lets in users without a token: its configuration sets an identity "
        "provider.",
        "Remove that from the configuration, or the option --config.",
    ),
    "start.timeout": Text(
        "Not ready within {limit:duration}.",
        "Check the log, or raise start_timeout in the configuration.",
    ),
    "start.shim_timeout": Text("Its shim did not respond within {limit:duration}."),
    "exit.command": Text("The command exited with code {status}.", _CHECK_LOG),
    "exit.process": Text(
        "Process {process} of {count} exited with code {status}, so all were stopped.", _CHECK_LOG
    ),
    "exit.killed": Text("Killed by {signal}."),
    "exit.sigkill": Text("Killed by SIGKILL.", "The machine may have run out of memory."),
    "exit.unknown": Text("The process is gone; its exit code is unknown.", _CHECK_LOG),
    "exit.memory": Text(
        "Ran out of memory at {at:time}: it used more than its limit.", "Request more memory."
    ),
    "exit.gpu_memory": Text(
        "Ran out of GPU memory at {at:time}.",
        "Request a larger share, or use less, for example in smaller batches.",
    ),
    "exit.evicted": Text("Evicted from node {node}.", "It is requeued and restarts automatically."),
    "exit.node_lost": Text(
        "Node {node} no longer responds.", "It is requeued and restarts automatically."
    ),
    "exit.reboot": Text(
        "The machine restarted while the session was running.", "Resume starts it again."
    ),
    "exit.device_lost": Text(
        "The driver no longer responds for GPU {devices:and}.",
        "Save your work, stop the session, and tell an administrator.",
    ),
}
