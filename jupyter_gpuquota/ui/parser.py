"""A parser whose mistakes are errors of ours, and whose help ends no process."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from ..errors import InvalidRequest


class HelpWanted(Exception):
    """Carry the text that was asked for with `--help`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """Parse, and raise what is wrong instead of ending the process."""

    def __init__(self, **settings: Any) -> None:
        settings = {"allow_abbrev": False, "add_help": False, **settings}
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        self.add_argument("-h", "--help", action=_Help, nargs=0, help="show this text")

    def error(self, message: str) -> NoReturn:
        """Raise InvalidRequest."""
        raise InvalidRequest(_sentence(message), hint=f"See `{self.prog} --help`.")


class _Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        raise HelpWanted(parser.format_help())


def _sentence(message: str) -> str:
    return f"{message[0].upper()}{message[1:]}." if message else message
