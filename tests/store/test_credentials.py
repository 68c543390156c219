"""Credentials come from the environment, files and profiles, and are never shown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.errors import InvalidFields, NotAllowed
from jupyter_gpuquota.store.lake import credentials
from jupyter_gpuquota.store.lake.connection import connect
from scripts.s3 import servers


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_file_of_variables_is_read(tmp_path: Path) -> None:
    file = tmp_path / "credentials"
    file.write_text("# ours\n\nAWS_ACCESS_KEY_ID=AK\nexport AWS_REGION = 'eu-1'\nKEY=\"a=b\"\n")
    assert credentials.read(file) == {"AWS_ACCESS_KEY_ID": "AK", "AWS_REGION": "eu-1", "KEY": "a=b"}


def test_errors_name_the_line_and_no_value(tmp_path: Path) -> None:
    file = tmp_path / "credentials"
    file.write_text("AWS_REGION=eu-1\nmy secret\n")
    with pytest.raises(NotAllowed, match="Line 2 of the credentials") as error:
        credentials.read(file)
    assert "secret" not in str(error.value)
    with pytest.raises(NotAllowed, match="cannot be read: No such file"):
        credentials.read(tmp_path / "none")


def config(url: str, variables: dict[str, str]) -> dict[str, Any]:
    return dict(connect(url, variables)._store.config)


def test_variables_open_a_lake_and_unknown_ones_are_passed_over() -> None:
    variables = {
        "AWS_ACCESS_KEY_ID": "AK",
        "AWS_SECRET_ACCESS_KEY": "SK",
        "AWS_REGION": "eu-1",
        "AWS_SOMETHING_ELSE": "x",
        "PATH": "/bin",
    }
    found = config("s3://bucket/data", variables)
    assert (found["access_key_id"], found["region"], found["bucket"]) == ("AK", "eu-1", "bucket")
    other = {"AZURE_STORAGE_ACCOUNT_NAME": "a", "AZURE_STORAGE_ACCOUNT_KEY": "aGVsbG8="}
    assert config("az://bucket/data", {**variables, **other})["account_name"] == "a"


@pytest.mark.parametrize("url", ["ftp://x/y", "s3://me:secret@bucket/x", "s3://b/x?key=secret"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(InvalidFields) as error:
        connect(url)
    assert "secret" not in str(error.value)


def test_a_profile_of_the_aws_tools_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its botocore wants older packages than others here, so it is installed with moto only.
    (packages,) = servers.MOTO.parents[1].glob("lib/python3*/site-packages")
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages)])
    (home / ".aws").mkdir()
    (home / ".aws" / "credentials").write_text(
        "[lab]\naws_access_key_id = AK\naws_secret_access_key = SK\naws_session_token = T\n"
    )
    (home / ".aws" / "config").write_text(
        "[profile lab]\nregion = eu-1\nendpoint_url = http://localhost:1\n"
    )
    found = credentials.aws_profile({"AWS_PROFILE": "lab", "HOME": str(home)})
    assert found is not None
    provider, config = found
    assert config == {"region": "eu-1", "endpoint": "http://localhost:1"}
    assert {name: each for name, each in provider().items() if name != "expires_at"} == {
        "access_key_id": "AK",
        "secret_access_key": "SK",
        "token": "T",
    }
    with pytest.raises(NotAllowed, match="other"):
        credentials.aws_profile({"AWS_PROFILE": "other", "HOME": str(home)})


def test_keys_in_the_environment_come_before_profiles(home: Path) -> None:
    (home / ".aws").mkdir()
    (home / ".aws" / "config").touch()
    assert credentials.aws_profile({"AWS_ACCESS_KEY_ID": "AK", "HOME": str(home)}) is None
    assert credentials.aws_profile({"HOME": str(home / "none")}) is None


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFields) as caught:
        connect((tmp_path / "no where").as_uri())
    (problem,) = caught.value.fields
    assert problem.message.endswith("the folder does not exist.")
    assert problem.hint == "Create it first."
