"""Pulls of a session's image, from the events of its pod. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from ...core.lifecycle import note
from ...model.messages.build import message, reason
from ...model.messages.formats import time_arg
from ...model.reasons import Reason
from ...model.sessions import Session
from ...model.struct import Message
from ..objects.pods import Event, Pod
from .seen import Seen

_PULLED = re.compile(
    r'Successfully pulled image "(?P<image>[^"]+)" in (?P<span>[0-9a-zµ.]+)'
    r"(?:.*?Image size: (?P<size>\d+) bytes)?",
    re.ASCII,
)
"""The kubelet's words since 1.25; the size is there since 1.30."""
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)", re.ASCII)
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_MIB = 2**20

_FAILED = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    }
)
"""Words of the kubelet while an image cannot be pulled."""


def noted(session: Session, seen: Seen, pod: Pod, now: datetime) -> Session:
    """Return a starting session with the steps of pulling its image in its progress."""
    known = {step.message for step in session.progress}
    for read in (_pulling, _pulled):
        step = read(seen, pod)
        if step and step.text not in known:
            session = note(session, step, now)
    return session


def why_pulling(seen: Seen, pod: Pod) -> Reason | None:
    """Return that an image is being pulled, or cannot be; None if neither is so."""
    status = pod.main_status
    waiting = status.state.waiting if status else None
    if status is None or waiting is None:
        return None
    if waiting.reason in _FAILED:
        raw = f"{waiting.reason}: {waiting.message}"
        return reason("ImagePull", "image.failed", image=pod.main.image, raw=raw)
    begun, done = seen.of("Pulling", pod=pod), seen.of("Pulled", pod=pod)
    if begun is None or done is not None:
        return None
    return reason("ImagePull", "image.pulling", image=pod.main.image, since=time_arg(_began(begun)))


def _pulling(seen: Seen, pod: Pod) -> Message | None:
    begun = seen.of("Pulling", pod=pod)
    return message("progress.pulling", image=pod.main.image) if begun else None


def _pulled(seen: Seen, pod: Pod) -> Message | None:
    """Return the step of an image that was pulled; None where it was on the node already."""
    event = seen.of("Pulled", pod=pod)
    found = _PULLED.match(event.message) if event else None
    if found is None:
        return None
    size = -(-int(found["size"] or 0) // _MIB)
    return message(
        "progress.pulled", image=found["image"], size=size, span=round(seconds_of(found["span"]))
    )


def seconds_of(span: str) -> float:
    """Return the seconds of a duration as Go writes it: `1m2.5s`."""
    factor: Callable[[str], float] = _SECONDS.__getitem__
    return sum(float(number) * factor(unit) for number, unit in _SPAN.findall(span))


def _began(event: Event) -> datetime:
    at = event.first_timestamp or event.event_time or event.metadata.creation_timestamp
    return at or datetime.fromtimestamp(0, UTC)
