"""Reasons why a session is queued, and why it was preempted."""

from __future__ import annotations

from .templates import Plural, Text

_CLOSED = "Ask an administrator, or launch it in another project."
_REQUEUED = "It is requeued and restarts automatically"


def _fragmented() -> dict[str, Text]:
    """Return the texts for free GPUs of which no node, or no GPU, has enough.

    `.on` names the nodes that are allowed; `.smaller` knows a share that would start now.
    """
    lacks: dict[str, Plural | str] = {
        "whole": Plural(
            "devices",
            one="no node has a whole GPU free.",
            many="no node has {devices:count} whole GPUs free.",
        ),
        "part": "no single GPU has {share:share} free.",
        "parts": "no node has {each:amount} of each of {devices:count} GPUs free.",
    }
    enough = {
        "whole": "enough GPUs of one node are free.",
        "part": "enough of one GPU is free.",
        "parts": "enough of several GPUs of one node is free.",
    }
    places = {"": "", ".on": " on {nodes:and}"}
    hints = {
        "": "Starts when ",
        ".smaller": "Request {best:gpus}, which would start now, or wait until ",
    }
    return {
        f"fragmented.{form}{on}{smaller}": Text(
            _prefixed(f"{{free:gpus}} free in total{place}, but ", lack), hint + enough[form]
        )
        for form, lack in lacks.items()
        for on, place in places.items()
        for smaller, hint in hints.items()
    }


def _exceeding() -> dict[str, Text]:
    """Return the texts for what is more than a rule allows.

    `.ahead`: others wait for the same, and come first; `.never`: it is more than can be released.
    `gpus.kept` is for one project that has all GPUs (`core/scheduling/undivided.py`).
    """
    rules = {
        "quota.interactive": (
            "{project}'s interactive sessions already use {used:amount} of its {quota:gpus}; "
            "{more:amount} more would exceed the quota.",
            " Interactive (spot) sessions may borrow.",
        ),
        "quota.no_borrowing": (
            "{project} already uses {used:amount} of its {quota:gpus}; {more:amount} more would "
            "exceed the quota, and it may not borrow.",
            "",
        ),
        "quota.limit": (
            "{project} already uses {used:amount} of its limit of {limit:gpus}; {more:amount} more "
            "would exceed it.",
            "",
        ),
        "gpus.kept": (
            "Interactive sessions already use {used:amount} of {quota:gpus}; this one needs "
            "{more:gpus}.",
            "",
        ),
    }
    hints = {
        "": "Starts when {missing:gpus} of that is released.",
        ".ahead": "Starts when {missing:gpus} of that is released beyond what those ahead of it "
        "need.",
        ".never": "Request less, or ask an administrator for more; otherwise it cannot start.",
    }
    return {
        f"{rule}{case}": Text(said, hint + tip)
        for rule, (said, tip) in rules.items()
        for case, hint in hints.items()
    }


def _prefixed(text: str, rest: Plural | str) -> Plural | str:
    if isinstance(rest, str):
        return text + rest
    return Plural(rest.count, one=text + rest.one, many=text + rest.many)


REASONS = {
    "project.missing": Text("Project {project} no longer exists.", _CLOSED),
    "project.draining": Text("Project {project} is being closed and starts no sessions.", _CLOSED),
    "queue.missing": Text("{project} has no queue named {queue}.", _CLOSED),
    "queue.inactive": Text("The queue {queue} of {project} starts nothing at present.", _CLOSED),
    "queue.refuses": Text(
        "The queue {queue} of {project} does not admit this request now.", _CLOSED
    ),
    "queue.evicted": Text("The cluster's queue stopped it.", f"{_REQUEUED} when it is admitted."),
    **_exceeding(),
    "quota.borrow_all": Text(
        "{project} uses {used:gpus} (quota: {quota:amount}), so {more:gpus} would have to be "
        "borrowed, and that many are not free.",
        "Starts when enough GPUs are free.",
    ),
    "quota.borrow_part": Text(
        "{project} uses {used:gpus} (quota: {quota:amount}), so {borrowed:amount} of {more:gpus} "
        "would have to be borrowed, and too little is free.",
        "Starts when enough GPUs are free.",
    ),
    "quota.not_reclaimable": Text(
        "It is within {project}'s quota, but not enough can be reclaimed."
    ),
    "quota.holders": Text("In use: {holders:holders}."),
    "gpus.too_few": Text(
        "{share:share} requested, {free:gpus} free.", "Starts when enough GPUs are free."
    ),
    "gpus.too_few.on": Text(
        "{share:share} requested, {free:gpus} free on {nodes:and}.",
        "Starts when enough GPUs are free.",
    ),
    "gpus.no_node": Text(
        "{share:share} requested, but none of the nodes it may use is available.",
        "Starts when such a node is available.",
    ),
    "gpus.in_use": Text(
        "{used:amount} of {quota:gpus} are in use; {more:gpus} requested.",
        "Starts when enough GPUs are free.",
    ),
    "gpus.mig": Text(
        "All MIG instances with profile {profile} are in use.", "Starts when one is released."
    ),
    **_fragmented(),
    "fragmented.reclaim.whole": Text(
        "{free:amount} free and {more:gpus} that could be reclaimed, but not enough on one node.",
        "Starts when enough GPUs of one node are free.",
    ),
    "fragmented.reclaim.part": Text(
        "{free:amount} free and {more:gpus} that could be reclaimed, but not enough of one GPU.",
        "Starts when enough of one GPU is free.",
    ),
    "fragmented.reclaim.parts": Text(
        "{free:amount} free and {more:gpus} that could be reclaimed, but not enough of several "
        "GPUs of one node.",
        "Starts when enough of several GPUs of one node is free.",
    ),
    "node.none": Text("No node has room for it.", "Starts when one has."),
    "pod.refused": Text("The cluster refuses to create its pod.", "Ask an administrator."),
    "pod.quota": Text(
        "A resource quota of {project} is used up.", "Starts when enough of it is released."
    ),
    "image.pulling": Text("Pulling {image} since {since:time}."),
    "image.failed": Text(
        "{image} cannot be pulled.", "Check the image's name and the right to pull it."
    ),
    "container.failed": Text(
        "Its container cannot be created: {detail}.", "Starts once this is corrected."
    ),
    "volume.gone": Text("{why}", "Restore it, or delete the volume."),
    "volume.full": Text(
        "It uses {used:bytes}, more than its {size:bytes}.", "Remove files, or let it grow."
    ),
    "volume.missing": Text("The claim {claim} does not exist.", "Starts when it does."),
    "volume.attached": Text(
        "Runs on node {nodes:or}: volume {volume} is attached there.",
        "Starts when there is room, or nothing mounts the volume there.",
    ),
    "volume.home": Text(
        "Runs on node {nodes:or}: your home folder is attached there.",
        "Starts when there is room, or nothing mounts it there.",
    ),
    "volume.apart": Text(
        "{volume} and {other} are attached to different nodes.",
        "Starts when nothing mounts one of them.",
    ),
    "volume.pending": Text("A volume is not ready.", "Starts when it is."),
    "volume.first": Text("Made when a session first mounts it.", "Launch one that does."),
    "volume.failed": Text("The cluster says: {problem}.", "Ask an administrator."),
    "volume.lost": Text("The volume behind it is gone.", "Restore a snapshot, or ask an admin."),
    "volume.changing": Text("It is being changed."),
    "volume.grows": Text("It grows when a session next mounts it.", "Launch one that does."),
    "data.waiting": Text("Waiting for {data} to be cached.", "Starts when it is."),
    "data.hidden": Text("Waiting for its data.", "Starts when it is cached."),
    "data.fetching": Text("Fetching {data}: {done:count} %.", "Starts when it is cached."),
    "data.failed": Text(
        "{data} cannot be cached: {problem}",
        "Starts once it is cached: jupyter gpu data cache {data}.",
    ),
    "crash.loop": Text(
        Plural(
            "times",
            one="It exited with code {status} and is being restarted.",
            many="It exited {times:count} times, last with code {status}.",
        ),
        "Check the log.",
    ),
    "reclaim.pending": Text(
        "GPUs are being reclaimed for it from {sessions:sessions}.",
        "Starts when they are released; saving may take up to {grace:duration}.",
    ),
    "reclaim.releasing": Text(
        "GPUs are being released for it by {sessions:sessions}.", "Starts when they are released."
    ),
    "reclaim.stopping": Text(
        "Sessions that are stopping still hold GPUs.", "Starts when they are released."
    ),
    "reclaim.expected": Text(
        "Waits for GPUs to be reclaimed from {sessions:sessions}.", "Starts when they are released."
    ),
    "reclaim.protected": Text(
        "Sessions that borrow its GPUs are protected until {until:time}.", "Starts after that."
    ),
    "reclaim.moved": Text(
        "Preempted to make room for {session:sessions}; it continues on other GPUs.",
        f"{_REQUEUED}.",
    ),
    "reclaim.priority": Text(
        "Preempted by {session:sessions}, which has priority over it.",
        f"{_REQUEUED} when GPUs are free.",
    ),
    "reclaim.borrowed": Text(
        "Preempted by {session:sessions}, which is entitled to GPUs that {project} had borrowed.",
        f"{_REQUEUED} when GPUs are free.",
    ),
}
