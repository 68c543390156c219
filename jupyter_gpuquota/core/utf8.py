"""Text that must be UTF-8: cut between characters, and without lone surrogates."""

from __future__ import annotations

from typing import Any


def encodable(value: Any) -> Any:
    r"""Return a JSON value whose texts can be encoded: other bytes and surrogates as `\xe9`.

    Names of files have bytes that are not UTF-8 as surrogates, and JSON may name some by `\ud800`.
    """
    if isinstance(value, str):
        return value if value.isascii() else _escaped(value)
    if isinstance(value, dict):
        return {encodable(key): encodable(each) for key, each in value.items()}
    return [encodable(each) for each in value] if isinstance(value, (list, tuple)) else value


def _escaped(text: str) -> str:
    try:
        return text.encode(errors="surrogateescape").decode(errors="backslashreplace")
    except UnicodeEncodeError:  # surrogates that stand for no byte
        return text.encode(errors="backslashreplace").decode()


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
