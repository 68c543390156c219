"""The programs by which file systems are told to freeze and to limit folders."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence

_PATIENCE = 60.0


class Refused(Exception):
    """A file system, its program, or the account cannot do this; the text says why."""


class Commands:
    """Programs of this machine, which are run without a shell.

    They are those on `PATH`; those of file systems are often in the folders of root only.
    """

    def has(self, program: str) -> bool:
        """Return whether there is a program of this name."""
        return _found(program) is not None

    def run(self, words: Sequence[str]) -> str:
        """Return what a program prints. Raises Refused unless it ends well."""
        program = _found(words[0])
        if program is None:
            raise Refused(f"{words[0]} is not installed.")
        try:
            ended = subprocess.run(
                [program, *words[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace").strip()
            raise Refused(said or f"{words[0]} ended with {error.returncode}.") from error
        except (OSError, subprocess.SubprocessError) as error:
            raise Refused(str(error)) from error
        return ended.stdout.decode(errors="surrogateescape")


def _found(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
