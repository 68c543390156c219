"""The page that sends a browser from JupyterLab's host to a session's."""

from __future__ import annotations

from html import escape

from ..error_pages import Page, hash_source

_SCRIPT = "const f = document.forms[0]; f.action += location.hash; f.submit();"
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Opening the session</title>
<meta name="viewport" content="width=device-width"></head>
<body><form method="post" action="{action}"><input type="hidden" name="code" value="{code}">
<noscript><button>Open the session</button></noscript></form>
<script>{script}</script></body>
</html>
"""


def handover_page(origin: str, path: str, code: str) -> Page:
    """Return a page that automatically posts a code to a path of another origin.

    It is posted because URLs end up in logs, histories and `Referer`.
    """
    policy = (
        f"default-src 'none'; script-src {hash_source(_SCRIPT)}; form-action {origin}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": policy,
        "Content-Type": "text/html; charset=utf-8",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    text = _PAGE.format(action=escape(origin + path), code=escape(code), script=_SCRIPT)
    return Page(headers, text.encode())
