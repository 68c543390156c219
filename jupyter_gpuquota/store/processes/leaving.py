"""Ending a process that has used a lake."""

from __future__ import annotations

import logging
import os
import sys
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End this process without finalising the interpreter.

    Threads of obstore that call back into an interpreter that is being finalised abort it now and
    then (SIGABRT), after all work was done.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
