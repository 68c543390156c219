"""Variables of a program in a session: stored by themselves, restored on request only."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields
from tests.local.test_session_data import shell
from tests.shell import Shell, wait_for

__all__ = ["shell"]

PROGRAM = """
import jupyter_gpuquota
values = {
    "weights": [0.5, 0.25],
    "api_token": "hunter-22222",
    "settings": {"password": "hunter-33333"},
    "url": "https://ana:hunter-44444@example.org",
    "process": (each for each in ()),
}
print(jupyter_gpuquota.snapshot("kept", tag="kept", variables=values, wait=True))
"""
READS = "import jupyter_gpuquota; print(jupyter_gpuquota.variables())"


def test_variables_are_stored_without_secrets_and_restored_on_request(
    shell: Shell, tmp_path: Path
) -> None:
    client = Client(state_dir=shell.folder / "state")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "keep.py").write_text(PROGRAM)
    client.sessions.submit("keeps", command=["sleep", "600"], folder=str(folder), wait=True)
    ran = client.sessions.exec("keeps", ["python", "keep.py"], timeout=120)
    assert ran.exit_code == 0, ran.output
    manifest = client.snapshots.show("kept").manifest
    assert manifest
    assert manifest.kernel
    assert (manifest.kernel.provider, manifest.kernel.names) == ("pickle", ("weights",))
    skipped = {each.name: each.reason for each in manifest.kernel.skipped}
    assert "cannot be pickled" in skipped.pop("process")
    assert skipped == {
        "api_token": "It may be a secret, by its name.",
        "settings": "It has what may be a secret.",
        "url": "It has what may be a secret.",
    }
    assert list(folder.glob(".gpuquota/variables/*")) == []
    plain = client.snapshots.restore("kept", "plain")
    assert not Path(plain.folder, ".gpuquota", "variables.zip").exists()
    wait_for(lambda: client.sessions.get("plain").state == "running")
    lacking = client.sessions.exec("plain", ["python", "-c", READS], timeout=120)
    assert "No variables were restored here" in lacking.output
    wanted = client.snapshots.restore("kept", "wanted", variables=True)
    archive = Path(wanted.folder, ".gpuquota", "variables.zip")
    assert archive.stat().st_mode & 0o777 == 0o600
    assert zipfile.ZipFile(archive).namelist() == ["weights.pickle"]
    wait_for(lambda: client.sessions.get("wanted").state == "running")
    read = client.sessions.exec("wanted", ["python", "-c", READS], timeout=120)
    assert read.output == "{'weights': [0.5, 0.25]}\n"
    client.snapshots.create("plain", tags=["without"])
    with pytest.raises(InvalidFields, match="no variables"):
        client.snapshots.restore("without", "never", variables=True)
    for name in ("keeps", "plain", "wanted"):
        client.sessions.stop(name)
