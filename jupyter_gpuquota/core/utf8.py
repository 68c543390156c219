"""Cutting bytes of text without cutting a character."""

from __future__ import annotations


def without_cut_end(data: bytes) -> bytes:
    """Drop an incomplete character at the end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return data[:-back] if length > back else data
    return data


def cut_begin(data: bytes) -> int:
    """Return how many bytes at the beginning are the rest of a character."""
    return next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
