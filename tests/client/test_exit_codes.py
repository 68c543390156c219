"""Exit codes are an interface: the table, the errors and the docs agree."""

from __future__ import annotations

import re
from pathlib import Path

from jupyter_gpuquota.client.exit_codes import EXIT_CODES, INTERRUPTED, exit_code_of
from jupyter_gpuquota.errors import BY_CODE
from tests.each import each

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"

WANTED = {
    "Ambiguous": 4,
    "BadAnswer": 1,
    "Conflict": 4,
    "Damaged": 1,
    "InUse": 4,
    "Internal": 1,
    "InvalidFields": 2,
    "InvalidRequest": 2,
    "LaunchedElsewhere": 6,
    "NameTaken": 4,
    "NoServer": 6,
    "NotAllowed": 5,
    "NotAuthenticated": 5,
    "NotFound": 3,
    "Outdated": 4,
    "NotLoaded": 6,
    "OutcomeUnknown": 6,
    "StorageFailed": 8,
    "TooManyAttempts": 5,
    "Unavailable": 6,
    "Unsupported": 7,
    "VersionMismatch": 6,
    "WrongState": 4,
}


@each(BY_CODE)
def test_every_error_has_its_exit_code(code):
    assert exit_code_of(BY_CODE[code]("x")) == WANTED[code]


def test_the_page_lists_them_all():
    listed = re.findall(r"^\| `(\d+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(map(int, listed)) == {0, INTERRUPTED, *EXIT_CODES.values()}
