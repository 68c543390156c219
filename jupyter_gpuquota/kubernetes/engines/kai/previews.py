"""What our own scheduler expects of a request, marked as an estimate. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from ....core.forecast import previews
from ....core.scheduling.snapshot import ClusterSnapshot
from ....model.messages.build import joined, message
from ....model.messages.formats import share_arg
from ....model.previews import Preview
from ....model.sessions import SessionSpec


def preview(spec: SessionSpec, snapshot: ClusterSnapshot) -> Preview:
    """Return what would become of a request; where it would run, only KAI decides."""
    found = previews.preview(spec, snapshot)
    admitted = message("preview.admitted", share=share_arg(spec.share))
    sentences = tuple(admitted if each.key in previews.PLACED else each for each in found.sentences)
    sentences = (*sentences, message("preview.estimate"))
    return replace(
        found, message=joined(*sentences), sentences=sentences, placement=None, isolation=None
    )
