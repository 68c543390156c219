"""A stand-in for a controller of another version, on a unix socket."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from jupyter_gpuquota.unix_paths import short


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def stand_in(path: Path, about: dict[str, Any] | bytes, status: int = 200) -> Iterator[list[str]]:
    """Respond to `about` on a socket until retired; yield the requests."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.answer(about if isinstance(about, bytes) else json.dumps(about).encode(), status)

        def do_POST(self):
            path.unlink()  # as a controller does: nobody new finds it
            self.answer(b"{}", 200)
            threading.Thread(target=server.shutdown, daemon=True).start()

        def answer(self, body, code):
            asked.append(f"{self.command} {self.path}")
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def address_string(self):
            return ""

        def log_message(self, *_):
            pass

    path.parent.mkdir(parents=True, exist_ok=True)
    with short(path) as address:
        server = Server(address, Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
