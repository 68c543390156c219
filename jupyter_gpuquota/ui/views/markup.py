"""HTML in which user input is always escaped."""

from __future__ import annotations

from html import escape

from ...client.listing import printable

__all__ = ["STYLE", "Markup", "bar", "join", "printable", "tag"]


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | int | None) -> Markup:
    """Return an element; text is escaped, Markup is not.

    An attribute's underscores become hyphens, one at the end is dropped (`class_`); None leaves
    an attribute out.
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{shown}>{join(*children)}</{name}>")


def join(*parts: str) -> Markup:
    """Return the parts as one; text is escaped, Markup is not."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


# The class stands twice to override JupyterLab's own rules for tables in outputs.
STYLE = Markup(
    """<style>
.gpuquota-view { color: var(--jp-content-font-color1, inherit); font-size: 13px; }
.gpuquota-view.gpuquota-view table { border-collapse: collapse; margin: 4px 0; }
.gpuquota-view.gpuquota-view th, .gpuquota-view.gpuquota-view td {
  padding: 3px 10px; vertical-align: top;
  border-bottom: 1px solid var(--jp-border-color2, #bdbdbd);
}
.gpuquota-view th { font-weight: 600; }
.gpuquota-view p { margin: 4px 0; }
.gpuquota-view a { color: var(--jp-content-link-color, #1976d2); }
.gpuquota-view .gpuquota-quiet { color: var(--jp-content-font-color2, #616161); }
.gpuquota-view .gpuquota-bad { color: var(--jp-error-color1, #b71c1c); }
.gpuquota-view pre {
  max-height: 24em; overflow: auto; padding: 6px; white-space: pre-wrap;
  background: var(--jp-layout-color2, rgba(128, 128, 128, 0.12));
  color: var(--jp-content-font-color1, inherit);
}
.gpuquota-view .gpuquota-bar {
  display: inline-block; width: 8em; height: 0.8em; vertical-align: middle;
  border: 1px solid var(--jp-border-color1, #757575);
  background: var(--jp-layout-color2, rgba(128, 128, 128, 0.12));
}
.gpuquota-view .gpuquota-bar > div {
  height: 100%; background: var(--jp-brand-color1, #1976d2);
}
</style>"""
)


def bar(label: str, used: int, total: int) -> Markup:
    """Return a bar with a label; more than the total fills it."""
    percent = min(100, used * 100 // total) if total else 0
    filled = tag("div", style=f"width: {percent}%")
    return tag(
        "div",
        filled,
        class_="gpuquota-bar",
        role="progressbar",
        aria_valuemin=0,
        aria_valuemax=100,
        aria_valuenow=percent,
        aria_label=label,
    )
