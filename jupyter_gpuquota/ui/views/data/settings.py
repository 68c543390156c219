"""Lakes and the rules for cached versions, as admins set them."""

from __future__ import annotations

from ....client.data.lakes import LAKES
from ....model.datasets.settings import CacheSettings, DataChangePreview, DataSettings
from ....model.spans import write_span
from ..markup import Markup, join, printable, tag
from ..view import Row, View, html_table, pairs_html, pairs_text, text_table
from .datasets import LAKE_COLUMNS


class SettingsView(View[DataSettings]):
    """Lakes and rules."""

    @property
    def text(self) -> str:
        """Return the lakes as a table, then the rules."""
        lakes = self.data.lakes
        table = text_table(LAKE_COLUMNS, lakes) if lakes else "No lakes are set."
        return f"{table}\n\n{pairs_text(rule_pairs(self.data.cache))}"

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        lakes = self.data.lakes
        table = html_table(LAKE_COLUMNS, lakes, "Lakes") if lakes else tag("p", "No lakes are set.")
        return join(table, pairs_html(rule_pairs(self.data.cache), "Rules for cached versions"))

    @property
    def records(self) -> list[Row]:
        """Return a row for each lake."""
        return LAKES.rows(self.data.lakes)


class SettingsChangeView(View[DataChangePreview]):
    """What a change of lakes or rules would do."""

    @property
    def text(self) -> str:
        """Return the sentences, one a line."""
        return "\n".join(map(printable, self._lines))

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        return join(*(tag("p", line) for line in self._lines))

    @property
    def records(self) -> list[Row]:
        """Return a row for each version that would go."""
        return [{"version": each} for each in self.data.evicted]

    @property
    def _lines(self) -> list[str]:
        sentences = [each.text for each in self.data.sentences] or [self.data.message]
        return [*sentences, *(f"  {each}" for each in self.data.evicted)]


def rule_pairs(rules: CacheSettings) -> list[tuple[str, str]]:
    """Return how long unused versions stay, by what decides it."""
    exceptions = [
        *((f"unused, {name}", _stay(span)) for name, span in rules.projects.items()),
        *((f"unused, dataset {name}", _stay(span)) for name, span in rules.datasets.items()),
    ]
    return [
        ("unused versions stay", _stay(rules.unused)),
        *exceptions,
        ("least recently used go above", f"{rules.high_water:.0%} of the capacity"),
    ]


def _stay(seconds: int) -> str:
    return write_span(seconds) if seconds else "until the room is needed"
