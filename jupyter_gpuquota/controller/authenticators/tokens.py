"""A token file, for a few users and services: it contains SHA-256 hashes, never the tokens.

`python -m jupyter_gpuquota.controller.authenticators.tokens NAME` creates a token.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import logging
import os
import re
import secrets
import stat
import sys
from pathlib import Path
from typing import Any

import msgspec
import yaml
from traitlets import TraitError, Unicode
from traitlets.config import Configurable

from ...core.access import Caller
from ...errors import Unavailable

log = logging.getLogger(__name__)

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The owner of a token."""

    name: str
    groups: tuple[str, ...] = ()


class TokenFileAuthenticator(Configurable):
    """Authenticates by a YAML or JSON file of tokens, which is reloaded when it has changed."""

    path = Unicode(
        help="""File that maps the SHA-256 of each token, in hex, to its owner:
        {"9f86…": {"name": "ana", "groups": ["ml"]}}. Only the controller's account may have
        access to it.""",
    ).tag(config=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not self.path:
            raise TraitError("Set TokenFileAuthenticator.path to the token file.")
        self._stamp: tuple[int, ...] = ()
        self._entries: dict[str, Entry] = {}
        self._said = ""
        self._read()

    async def authenticate(self, token: str) -> Caller | None:
        """Return the owner of a token. All entries are compared, even after a match."""
        try:
            self._read()
        except Unavailable as error:
            self._say(error.message)
            raise Unavailable(
                "Tokens cannot be checked now.",
                hint="Administrators find details in the controller's log.",
            ) from None
        digest = hashlib.sha256(token.encode()).hexdigest()
        found = [
            entry for known, entry in self._entries.items() if hmac.compare_digest(known, digest)
        ]
        return Caller(found[0].name, frozenset(found[0].groups), known="token") if found else None

    def _say(self, text: str) -> None:
        """Log a problem with the file, once until it changes."""
        if text != self._said:
            log.error("%s All its tokens are refused.", text)
        self._said = text

    def _read(self) -> None:
        """Read the file if it has changed; raises Unavailable, and then all tokens are unknown."""
        try:
            with Path(self.path).open("rb") as file:
                found = os.fstat(file.fileno())
                stamp = (found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode)
                if stamp == self._stamp:
                    return
                self._stamp, self._entries = (), {}
                _check_private(found)
                self._entries = parse(file.read())
                self._stamp, self._said = stamp, ""
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            raise Unavailable(
                f"The token file {self.path} is unusable: {said}.",
                hint="Correct the file. A running controller reads it again when it changes.",
            ) from None


def parse(text: bytes) -> dict[str, Entry]:
    """Return the entries of a file. Raises ValueError, whose text shows nothing of the file."""
    try:
        found = msgspec.convert(yaml.safe_load(text) or {}, dict[str, Entry])
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ValueError(f"line {line} is not valid YAML") from None
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        said = str(error) if isinstance(error, msgspec.ValidationError) else "it is not valid YAML"
        raise ValueError(said) from None
    for number, (digest, entry) in enumerate(found.items(), 1):
        if not _DIGEST.fullmatch(digest):
            raise ValueError(f"the key of entry {number} is not a SHA-256 hash of 64 hex digits")
        if not entry.name:
            raise ValueError(f"entry {number} has no name")
    return found


def make(name: str, groups: list[str]) -> tuple[str, str]:
    """Return a new token, and its line for the file."""
    token = secrets.token_urlsafe(32)
    digest = hashlib.sha256(token.encode()).hexdigest()
    entry = msgspec.json.encode(Entry(name, tuple(groups))).decode()
    return token, f'"{digest}": {entry}'


def _check_private(found: os.stat_result) -> None:
    if found.st_uid not in {os.getuid(), 0}:
        raise ValueError("it belongs to another account")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise ValueError("other accounts may access it; set its mode to 0600")


def main(argv: list[str] | None = None) -> None:
    """Print a new token, which is not shown again, and its line for the file."""
    parser = argparse.ArgumentParser(prog=f"python -m {__spec__.name}", description=main.__doc__)
    parser.add_argument("name", help="name of the owner")
    parser.add_argument("--group", action="append", default=[], help="a group; may be repeated")
    args = parser.parse_args(argv)
    token, line = make(args.name, args.group)
    sys.stdout.write(f"{token}\n{line}\n")


if __name__ == "__main__":
    main()
