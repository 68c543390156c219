"""How users name data: `NAME`, `NAME@REF`, `NAME@REF:PATH`.

Paths may have any bytes that Linux allows; those that are not UTF-8 are surrogates in our own
processes, as `os.fsdecode` returns them, and travel as base64.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass

from ...errors import FieldError, refuse, refused

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}", re.ASCII)
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_FORM = "Name it as NAME, NAME@VERSION or NAME@VERSION:PATH."
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_BYTES = range(0xDC80, 0xDD00)
"""Surrogates that stand for bytes that are not UTF-8."""


@dataclass(frozen=True, slots=True)
class DataName:
    """A dataset, and perhaps one of its versions and a path in it.

    `ref` is a reference to a version, empty for the latest; `path` is relative, empty for the root.
    """

    dataset: str
    ref: str = ""
    path: str = ""

    @property
    def text(self) -> str:
        """The name as users write it."""
        version = f"@{self.ref}" if self.ref else ""
        return f"{self.dataset}{version}{f':{self.path}' if self.path else ''}"


def parse_name(text: str) -> DataName:
    """Return what a text names. Raises InvalidFields with all problems."""
    whole, _, path = text.partition(":")
    dataset, at, ref = whole.partition("@")
    problems = []
    if not _NAME.fullmatch(dataset):
        problems.append(FieldError("dataset", f"{dataset!a} cannot be a dataset's name.", _FORM))
    if at and not _REF.fullmatch(ref):
        problems.append(FieldError("version", f"{ref!a} cannot be a version.", _FORM))
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        problems.append(FieldError("path", "A path in a version has no `..`."))
    refuse(problems)
    return DataName(dataset, ref, "/".join(parts))


def check_ref(field: str, text: str) -> None:
    """Raise InvalidFields for a text that can be neither a tag nor a version's id."""
    if not _REF.fullmatch(text):
        hint = "Use letters, digits, '.', '_' and '-'."
        raise refused(FieldError(field, f"{text!a} cannot be one.", hint))


def travelling_path(path: str) -> tuple[str, bool]:
    """Return a path as it is sent, and whether it is base64 because it is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raw = path.encode(errors="surrogateescape")
        return binascii.b2a_base64(raw, newline=False).decode("ascii"), True
    return path, False


def received_path(path: str, *, raw: bool) -> str:
    """Return a path that was sent, with surrogates for bytes that are not UTF-8.

    Raises InvalidFields for `raw` that is not base64.
    """
    if not raw:
        return path
    try:
        return binascii.a2b_base64(path, strict_mode=True).decode(errors="surrogateescape")
    except ValueError as error:
        problem = FieldError("path", "With `raw`, a path is base64 of its bytes.")
        raise refused(problem) from error


def shown_path(path: str) -> str:
    r"""Return a path as one printable line: `a\nb`, `caf\xe9`; a backslash is doubled."""
    return escaped(path.replace("\\", "\\\\"))


def escaped(text: str) -> str:
    """Return a text as one printable line; backslashes stay, they may be escapes already."""
    return "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    if letter in _SHORT:
        return _SHORT[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    if code in _BYTES:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
