"""Check that links between the pages of this repository lead somewhere.

    python scripts/check_links.py [FOLDER]

A link names a file of the repository, a heading of a page, or both; web addresses are not visited.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("*.md", "docs/**/*.md", "notebooks/*.ipynb")

CODE_BLOCK = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def main(root: Path) -> int:
    """Print every broken link below a folder, and return 1 if there is any."""
    broken = [
        f"{page.relative_to(root)}: {problem}"
        for pattern in PAGES
        for page in sorted(root.glob(pattern))
        for problem in problems_of(page)
    ]
    print("\n".join(broken))
    return 1 if broken else 0


def problems_of(page: Path) -> Iterator[str]:
    """Yield what is wrong with the links of a page."""
    for path, anchor in LINK.findall(prose_of(page)):
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{path} does not exist"
        elif anchor and anchor not in anchors_of(target):
            yield f"{path}#{anchor}: {target.name} has no such heading"


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that GitHub derives from the headings of a page."""
    headings = HEADING.findall(prose_of(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def prose_of(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT))
