"""The token file."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys

import pytest
from traitlets import TraitError

from jupyter_gpuquota.controller.authenticators.tokens import TokenFileAuthenticator, make, parse
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.model.struct import problem_of


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@pytest.fixture
def path(tmp_path):
    """A file that knows ana's token, in YAML."""
    path = tmp_path / "tokens.yaml"
    path.touch(0o600)
    path.write_text(f"# people\n{digest('ana-token')}: {{name: ana, groups: [ml]}}\n")
    return path


@pytest.mark.asyncio
async def test_a_token_is_known_by_its_hash(path):
    file = TokenFileAuthenticator(path=str(path))
    assert await file.authenticate("ana-token") == Caller("ana", frozenset({"ml"}), known="token")
    assert await file.authenticate(digest("ana-token")) is None
    assert await file.authenticate("li-token") is None


@pytest.mark.asyncio
async def test_a_change_counts_at_once(path):
    file = TokenFileAuthenticator(path=str(path))
    path.write_text(json.dumps({digest("li-token"): {"name": "li"}}))
    assert await file.authenticate("ana-token") is None
    assert await file.authenticate("li-token") == Caller("li", known="token")
    replacement = path.with_name("new")
    replacement.touch(0o600)
    replacement.rename(path)
    assert await file.authenticate("li-token") is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
@pytest.mark.asyncio
async def test_others_may_not_read_it(path, mode):
    path.chmod(mode)
    with pytest.raises(Unavailable, match="0600"):
        TokenFileAuthenticator(path=str(path))


@pytest.mark.asyncio
async def test_a_file_that_becomes_unusable_lets_nobody_in(path, caplog):
    file = TokenFileAuthenticator(path=str(path))
    half = path.with_name("half.yaml")
    half.touch(0o600)
    half.write_text("{")
    for spoil in (lambda: path.chmod(0o644), lambda: half.rename(path), path.unlink):
        spoil()
        caplog.clear()
        for _ in range(2):
            with pytest.raises(Unavailable) as caught:
                await file.authenticate("ana-token")
            assert str(path) not in str(problem_of(caught.value))
        [said] = caplog.messages
        assert str(path) in said
        assert "is unusable" in said
    path.touch(0o600)
    assert await file.authenticate("ana-token") is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
@pytest.mark.asyncio
async def test_a_file_of_another_account_is_not_believed(path):
    os.chown(path, 65534, 65534)
    with pytest.raises(Unavailable, match="another account"):
        TokenFileAuthenticator(path=str(path))


@pytest.mark.asyncio
async def test_it_must_be_named():
    with pytest.raises(TraitError, match=r"TokenFileAuthenticator\.path"):
        TokenFileAuthenticator()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("secret: {name: ana}", "entry 1 is not a SHA-256 hash"),
        ("a: b: secret", "line 1"),
        ("[secret]", "object"),
        (f"{'0a' * 32}: {{name: secret, group: [x]}}", "unknown field"),
        (f"{'0a' * 32}: {{name: ''}}", "entry 1 has no name"),
        (f"{'0A' * 32}: {{name: ana}}", "entry 1 is not a SHA-256 hash"),
        ("\x00secret", "not valid YAML"),
    ],
)
@pytest.mark.asyncio
async def test_what_is_wrong_is_said_without_showing_it(text, said):
    with pytest.raises(ValueError, match=said) as caught:
        parse(text.encode())
    assert "secret" not in str(caught.value)


@pytest.mark.asyncio
async def test_no_entry_is_no_fault():
    assert parse(b"") == {}
    assert parse(b"{}") == {}


@pytest.mark.asyncio
async def test_a_new_token_and_its_line_fit(path):
    token, line = make("li", ["ml", "ops"])
    path.write_text(f"{path.read_text()}{line}\n")
    found = await TokenFileAuthenticator(path=str(path)).authenticate(token)
    assert found == Caller("li", frozenset({"ml", "ops"}), known="token")
    assert len(token) >= 43


def test_the_command_makes_one(path):
    module = "jupyter_gpuquota.controller.authenticators.tokens"
    command = [sys.executable, "-m", module, "li", "--group", "ml"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    token, line = printed.stdout.splitlines()
    path.write_text(line)
    found = asyncio.run(TokenFileAuthenticator(path=str(path)).authenticate(token))
    assert found == Caller("li", frozenset({"ml"}), known="token")
