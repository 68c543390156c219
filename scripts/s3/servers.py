"""Starting S3 servers on free ports of 127.0.0.1."""

from __future__ import annotations

import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from scripts import programs

ACCESS_KEY, SECRET_KEY, REGION = "test", "test-secret", "us-east-1"
KEYS = ACCESS_KEY, SECRET_KEY
PATIENCE = 120.0
"""Seconds to wait for a server, on a busy machine, too."""

MOTO = Path(__file__).resolve().parents[2] / ".venv-moto" / "bin" / "moto_server"


def config(endpoint: str) -> dict[str, str]:
    """Return obstore's settings for a server of ours."""
    return {
        "endpoint": endpoint,
        "access_key_id": ACCESS_KEY,
        "secret_access_key": SECRET_KEY,
        "region": REGION,
    }


def environment(endpoint: str, keys: tuple[str, str] = KEYS) -> dict[str, str]:
    """Return the same as variables, which all clients of S3 know."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": keys[0],
        "AWS_SECRET_ACCESS_KEY": keys[1],
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
    }


@contextmanager
def moto(log: Path) -> Iterator[str]:
    """Run moto, which keeps everything in memory; return its address."""
    with _serving([str(MOTO), "-H", "127.0.0.1", "-p", "0"], log) as endpoint:
        yield endpoint


def make_bucket(endpoint: str, bucket: str) -> None:
    """Create a bucket in moto, which does not check signatures."""
    scope = f"Credential={ACCESS_KEY}/20260101/{REGION}/s3/aws4_request"
    headers = {"Authorization": f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0"}
    request = urllib.request.Request(  # noqa: S310 (our own)
        f"{endpoint}/{bucket}", b"", headers, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=PATIENCE):  # noqa: S310 (our own)
        pass


@contextmanager
def versitygw(
    folder: Path, log: Path, requests: Path | None = None, keys: tuple[str, str] = KEYS
) -> Iterator[str]:
    """Run versitygw over a folder, whose subfolders are buckets; return its address.

    Every request is a line of `requests`, if given. `keys` are the access key and its secret.
    """
    program = programs.ensure_built(programs.VERSITYGW)
    access = ["--access", keys[0], "--secret", keys[1], "--region", REGION]
    front = [str(program), *access, "--port", "127.0.0.1:0", "--keep-alive", "--quiet"]
    logged = ["--access-log", str(requests)] if requests else []
    with _serving([*front, *logged, "posix", str(folder)], log) as endpoint:
        yield endpoint


@contextmanager
def _serving(command: Sequence[str], log: Path) -> Iterator[str]:
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
    try:
        yield f"http://127.0.0.1:{_port(process, log)}"
    finally:
        process.kill()
        process.wait()


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    """Return the port on which a process listens, once it does."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        for each in psutil.Process(process.pid).net_connections("tcp4"):
            if each.status == psutil.CONN_LISTEN:
                return int(each.laddr.port)
        time.sleep(0.02)
    raise RuntimeError(f"{process.args!r} does not listen:\n{log.read_text(errors='replace')}")
