"""The places of a session that has several."""

from __future__ import annotations

from ...model.clusters.fallback import Fallback, FallbackPlace
from .view import second_text


def places_text(fallback: Fallback | None) -> str:
    """Return the places in their order, which is the present one, and until when."""
    if fallback is None:
        return ""
    named = [_place(place, i, fallback) for i, place in enumerate(fallback.places)]
    until = f"; goes on at {second_text(fallback.until)}" if fallback.until else ""
    return f"{', then '.join(named)}{until}"


def _place(place: FallbackPlace, index: int, fallback: Fallback) -> str:
    name = place.name if place.name == place.cluster else f"{place.name} in {place.cluster}"
    remarks = [f"refused: {place.refused}" if place.refused else ""]
    if index == fallback.current:
        remarks.append("moving there" if fallback.moving else "now")
    said = ", ".join(filter(None, remarks))
    return f"{name} ({said})" if said else name
