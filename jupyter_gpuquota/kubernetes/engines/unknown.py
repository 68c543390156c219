"""What is said where an engine does not tell in advance. Pure."""

from __future__ import annotations

from ...model.messages.build import message
from ...model.previews import Preview


def unknown(milli: int) -> Preview:
    """Return the preview of a request of which only the cluster decides; `milli` is its cost."""
    sentence = message("preview.unknown" if milli else "preview.no_gpu")
    return Preview(verdict="fits", message=sentence.text, sentences=(sentence,))
