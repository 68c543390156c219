"""Secrets never reach a snapshot, whatever is around them."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.snapshots import redaction
from jupyter_gpuquota.core.snapshots.redaction import MASK

SECRETS = st.text(string.ascii_letters + string.digits, min_size=24, max_size=60)
AROUND = st.text(st.characters(codec="utf-8"), max_size=40)
PARTS = st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), max_size=4)
SECRET_FILES = [
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".env",
    ".env.local",
    "prod.env",
    ".envrc",
    "id_rsa",
    "ID_ED25519",
    "store.p12",
    "token",
    ".api_token",
    "api_key.txt",
    "credentials.json",
    ".pypirc",
    ".npmrc",
    ".pgpass",
    "kaggle.json",
    "client_secret_1.json",
    "my-service-account.json",
    ".aws/credentials",
    ".ssh/id_work",
    ".ssh/google",
    ".gnupg/private-keys-v1.d/1",
    ".kube/config",
    ".docker/config.json",
    ".config/gh/hosts.yml",
    ".cache/huggingface/token",
    ".config/gcloud/a.db",
    ".cargo/credentials.toml",
    ".ngc/config",
    ".local/share/jupyter/runtime/kernel-7.json",
    ".local/share/jupyter/runtime/jpserver-7.json",
    "jupyter_cookie_secret",
    "secrets.toml",
]
PLAIN_FILES = [
    "a.ipynb",
    "train.py",
    "keys.py",
    "token.py",
    "model.pt",
    "cacert.pem",
    "labels.key",
    "tokens.txt",
    "tokenizer.json",
    ".venv/pkg/credentials.py",
    ".git/refs/credentials",
    "environment.yml",
    ".env.example",
    ".ssh/config",
    ".ssh/id_rsa.pub",
    ".ssh/known_hosts",
    ".git/config",
    "data/key/1.png",
    ".aws/readme",
    "monkey.txt",
    "tokenizer.json",
    "config.json",
    "secretary.py",
    "id_rsa.txt",
    "huggingface/tokens.txt",
    "a.pem.txt",
]
FORMS = (
    "https://{}@github.com/a/b.git",
    "https://ana:{}@github.com/a/b.git",
    "https://ana:p@{}@github.com/a/b.git",
    "ssh://git:{}@host/a.git",
    "postgresql+psycopg2://u:{}@host:5432/db",
    "https://host/f?a=1&X-Amz-Signature={}&b=2",
    "https://host/f?access_token={}",
    "extraheader = AUTHORIZATION: basic {}",
    "'Authorization': 'Bearer {}'",
    "export API_TOKEN={}",
    "AWS_SECRET_ACCESS_KEY={}",
    'os.environ["WANDB_API_KEY"] = "{}"',
    "password: '{}'",
    "ghp_{}",
    "hf_{}",
    "-----BEGIN RSA PRIVATE KEY-----\n+{}\n+-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n{}",
    '"-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n"',
)


@given(secret=SECRETS, before=AROUND, after=AROUND, form=st.sampled_from(FORMS))
def test_a_secret_is_redacted_whatever_is_around_it(secret, before, after, form):
    given_text = f"{before}\n{form.format(secret)}\n{after}"
    assert secret not in redaction.text(given_text).replace(before, "").replace(after, "")


@given(secret=SECRETS, before=AROUND, after=AROUND)
def test_the_values_of_secret_variables_are_redacted_anywhere(secret, before, after):
    variables = {"MY_TOKEN": secret, "HOME": "/home/ana", "PASSWORD": "short"}
    values = redaction.secret_values(variables)
    assert values == [secret]
    assert secret not in redaction.text(f"{before}{secret}{after}", values)


@given(
    secret=SECRETS, form=st.sampled_from(FORMS), name=st.from_regex("[a-z]{1,9}", fullmatch=True)
)
def test_documents_are_redacted_at_any_depth(secret, form, name):
    value = {name: [{"a": form.format(secret)}, {"DB_PASSWORD": secret}, {"n": 1, "t": None}]}
    assert secret not in str(redaction.document(value))
    assert redaction.document(value)[name][2] == {"n": 1, "t": None}


@given(parts=PARTS, name=st.sampled_from(SECRET_FILES))
def test_files_of_secrets_are_known_in_any_folder(parts, name):
    assert redaction.secret_path("/".join([*parts, name]))


@given(parts=PARTS, name=st.sampled_from(PLAIN_FILES))
def test_other_files_are_kept(parts, name):
    parts = [part for part in parts if part not in {"ssh", "aws"}]
    assert not redaction.secret_path("/".join([*parts, name]))


PEM = "-----BEGIN {0}PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END {0}PRIVATE KEY-----\n"
KINDS = ["", "RSA ", "EC ", "ENCRYPTED ", "OPENSSH "]
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIFazCCA1OgAwIBAgIRAIIQz7DSQONZRGPgu2OCiwAw\n" * 3


@pytest.mark.parametrize(
    "name", ["deploy", "notes.txt", "server.crt", "a.pem", "tls.key", "x.yaml"]
)
@pytest.mark.parametrize(
    ("before", "after"),
    [("", ""), (CERTIFICATE, ""), ("Bag Attributes\n", "x\n"), ("key: |\n  ", "")],
)
@given(kind=st.sampled_from(KINDS))
def test_a_private_key_is_known_by_what_the_file_contains(name, before, after, kind):
    body = f"{before}{PEM.format(kind)}{after}".encode()
    assert redaction.may_hold_key(name, len(body))
    assert redaction.secret_content(name, body)
    assert redaction.secret_content(name, body.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("robot.json", b'{"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIE\\n"}'),
        ("config", b"users:\n- user:\n    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt\n"),
        ("mail.asc", b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n"),
        ("putty", b"PuTTY-User-Key-File-3: ssh-ed25519\n"),
        ("age.txt", b"# created\nAGE-SECRET-KEY-1" + b"Q" * 58 + b"\n"),
        ("launch.json", b'{"env": {"GPUQUOTA_SESSION_TOKEN": "ss-1234567890"}}'),
        ("env.txt", b"A=1\nGPUQUOTA_SESSION_TOKEN=ss1234567890\nB=2\n"),
        ("wg0.conf", b"[Interface]\nPrivateKey = " + b"a" * 43 + b"=\n"),
        ("hub.txt", b"hf_" + b"a" * 34 + b"\n"),
        ("site.key", bytes.fromhex("308204bd020100300d06092a864886f70d0101010500")),
        ("ec.der", bytes.fromhex("30770201010420") + bytes(32)),
        ("locked.p8", bytes.fromhex("30820501301b06092a864886f70d010503")),
    ],
)
def test_other_forms_of_keys_and_tokens_are_known(name, body):
    assert redaction.may_hold_key(name, len(body))
    assert redaction.secret_content(name, body)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("cacert.pem", CERTIFICATE.encode()),
        ("ca.der", bytes.fromhex("3082056b30820353a003020102")),
        ("public.pem", b"-----BEGIN PUBLIC KEY-----\nMIIB\n"),
        ("labels.key", b"cat\ndog\n"),
        ("run.sh", b'curl -H "$GPUQUOTA_SESSION_TOKEN"; export GPUQUOTA_SESSION_TOKEN\n'),
        ("README", b"Look for -----BEGIN PRIVATE KEY----- in the file.\n"),
        ("notes.txt", b"my token is hf_" + b"a" * 34),
        ("launch.json", b'{"version": "0.2.0", "configurations": []}'),
    ],
)
def test_certificates_and_prose_are_no_keys(name, body):
    assert not redaction.secret_content(name, body)


def test_programs_and_data_are_not_looked_through():
    for name in ("keys.py", "a.ipynb", "docs/tls.md", "weights.safetensors"):
        assert not redaction.may_hold_key(name, 100)
    assert not redaction.may_hold_key("log.txt", 1 << 20)
    assert redaction.may_hold_key("ca-bundle.pem", 1 << 20)


@given(body=st.text(st.sampled_from("abc =:/.@+-#\n0123456789'\"[]()"), max_size=200))
def test_lines_stay_lines_and_redaction_is_complete_at_once(body):
    once = redaction.text(body)
    assert once.count("\n") == body.count("\n")
    assert redaction.text(once) == once


@pytest.mark.parametrize(
    "body",
    [
        "git@github.com:ana/work.git",
        "ssh://git@github.com/ana/work.git",
        "https://github.com/ana/work.git",
        "token = tokenizer.encode(text)",
        "tokens = model(batch)",
        "+    return secret_path(name)",
        "a" * 64,
        "mailto:ana@example.org, https://host/?q=a@b",
    ],
)
def test_what_is_no_secret_stays(body):
    assert redaction.text(body) == body


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("AWS_SECRET_ACCESS_KEY", True),
        ("HF_TOKEN", True),
        ("DB_PASSWORD", True),
        ("OPENAI_API_KEY", True),
        ("JUPYTER_TOKEN", True),
        ("PGPASSWORD", True),
        ("TOKENIZERS_PARALLELISM", False),
        ("PATH", False),
        ("CUDA_VISIBLE_DEVICES", False),
    ],
)
def test_which_variables_are_secret(name, secret):
    assert redaction.secret_variable(name) is secret


def test_git_writes_addresses_in_some_of_its_files():
    for path in ("a/.git/config", ".gitmodules", ".git/modules/x/config", ".git/logs/HEAD"):
        assert redaction.is_git_text(path), path
    assert not redaction.is_git_text("config")
    config = '[remote "origin"]\n\turl = https://x:ghs_secret@github.com/a/b\n'
    assert redaction.address(config) == '[remote "origin"]\n\turl = https://github.com/a/b\n'


def test_a_key_in_a_patch_keeps_the_form_of_the_patch():
    patch = "+-----BEGIN PRIVATE KEY-----\n+MIIE\n+-----END PRIVATE KEY-----\n context\n"
    assert redaction.text(patch) == f"+-----BEGIN PRIVATE KEY-----\n+{MASK}\n+{MASK}\n context\n"


def test_what_follows_a_secret_option_is_masked_in_command_lines():
    line = ["train", "--api-token", "abc", "--lr", "0.1", "--password=xyz", "--token", "-v"]
    assert redaction.words(line) == (
        *("train", "--api-token", "***", "--lr", "0.1", "--password=***", "--token", "-v"),
    )
