"""Texts that are not UTF-8."""

from __future__ import annotations


def broken_text(text: str) -> str:
    """Return what is wrong with a text that is not UTF-8; empty for others."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"{text!a} is not UTF-8."
    return ""
