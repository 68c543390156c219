"""What a snapshot never contains: secrets, by the names and contents of files, and in texts.

Standard library only, and the syntax of Python 3.8: the capture script carries this module into
sessions. What a rule does not know is not found: files are stored as they are otherwise.
"""

from __future__ import annotations

import re
from typing import Any, Iterable, Mapping  # noqa: UP035 (Python 3.8 in sessions)

MASK = "***"
_SHORTEST = 8
"""Values of variables that are shorter are not looked for: they may be any word."""

_FILES = re.compile(
    r"[._]netrc(\.gpg)?|\.git-credentials|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.pypirc|\.npmrc|\.yarnrc"
    r"|\.htpasswd|\.dockercfg|\.vault-token|\.boto|\.s3cfg|\.databrickscfg|rclone\.conf|kaggle\.json"
    r"|\.env(rc|\.(?!example$|sample$|template$|dist$).+)?|[^/]+\.env"
    r"|id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk|xmss)"
    r"|[^/]+\.(p12|pfx|pkcs12|jks|jceks|keystore|kdbx|ppk|kubeconfig)"
    r"|\.?((access|api|auth|refresh)_)?token|\.?api_?key(\.txt)?|(token|credentials)\.json|\.modal\.toml"
    r"|client_secret[^/]*\.json|[^/]*service[-_]account[^/]*\.json"
    r"|application_default_credentials\.json|secrets?\.(ya?ml|toml|json|ini)"
    r"|jupyter_cookie_secret|notebook_secret|(jp|nb)server-[^/]*\.(json|html)",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"(^|/)(\.aws/(credentials|config|sso/.+|cli/cache/.+)|\.azure/.+|\.config/gcloud/.+"
    r"|\.gnupg/.+|\.kube/.+|\.docker/config\.json|\.config/gh/hosts\.yml|\.config/containers/auth\.json"
    r"|\.config/rclone/.+|\.huggingface/(token|stored_tokens)|huggingface/(token|stored_tokens)"
    r"|\.config/git/credentials|\.oci/.+|\.password-store/.+|jupyter/runtime/.+"
    r"|\.(?!git/)[^/]+/([^/]+/)?credentials(\.(json|toml|ya?ml|ini|conf))?|\.kaggle/access_token|\.ngc/config"
    r"|\.ipython/[^/]+/security/.+"
    r"|\.databricks/token-cache\.json|\.terraform\.d/credentials\.tfrc\.json|\.mc/config\.json"
    r"|\.continuum/anaconda-client/tokens/.+"
    r"|\.ssh/(?!config$|known_hosts|authorized_keys$|[^/]+\.pub$).+)$",
    re.IGNORECASE,
)
_OF_GIT = re.compile(
    r"(^|/)(\.git/(config|config\.worktree|FETCH_HEAD|modules/.+/(config|FETCH_HEAD)|logs/.+"
    r"|worktrees/[^/]+/config\.worktree)|\.gitconfig|\.gitmodules|\.config/git/config)$"
)

_LARGEST = 64 << 10
"""The most bytes of a file that is looked through for keys."""
_LONGEST_TOKEN = 4 << 10
LARGEST = 4 << 20
"""The same of a file that has the name of one with certificates and keys."""
_BUNDLE = re.compile(r"\.(pem|key|crt|cer|cert|der|p8|pk8)$", re.IGNORECASE)
_DOCUMENT = re.compile(
    r"\.(py|pyi|ipynb|r|jl|c|h|cc|cpp|hpp|cu|go|rs|java|js|jsx|ts|tsx|css|html?|md|rst|tex|patch|diff"
    r"|npy|npz|pt|pth|safetensors|onnx|h5|hdf5|pkl|parquet|arrow|feather|csv|tsv|png|jpe?g|gif|webp"
    r"|svg|wav|flac|mp3|mp4|so|a|o|pyc)$",
    re.IGNORECASE,
)
"""Files whose lines are code, prose or data: a key in one is an example, or part of a program."""
_WORDS_OF_KEYS = (
    b"PRIVATE KEY",
    b"PuTTY-User-Key",
    b"AGE-SECRET-KEY",
    b"PrivateKey",
    b"client-key-data",
    b"GPUQUOTA_SESSION_TOKEN",
)
"""Words of which one is in every such file: they are found much faster."""
_HELD_KEY = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]*(?:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    rb"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----)[ \t\r]*$"
    rb"|^PuTTY-User-Key-File-[0-9]|AGE-SECRET-KEY-1[A-Z0-9]{50}"
    rb"|[\"']-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----\\n"
    rb"|^[ \t]*PrivateKey[ \t]*=[ \t]*[A-Za-z0-9+/]{43}=|client-key-data:[ \t]*[\"']?LS0tLS1CRUdJTi"
    rb"|GPUQUOTA_SESSION_TOKEN[\"']?\s*[:=]\s*[\"']?[A-Za-z0-9]",
    re.MULTILINE,
)
"""A key on lines of its own, or as a value, and the token of a session of ours."""
_DER_KEY = re.compile(
    rb"0(?:\x82..|\x81.|[\x00-\x7f])(?:\x02\x01[\x00\x01]|0.{1,24}\x2a\x86\x48\x86\xf7\x0d\x01\x05)",
    re.DOTALL,
)
"""The beginning of a private key in DER: a version first, or a way to decrypt it."""

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<who>[^\s/?#\"'<>]*)@")
_QUERY = re.compile(
    r"(?i)(?P<name>[?&](?:access_|private_|auth_)?(?:token|password|secret|sig|signature|api_?key"
    r"|x-amz-signature|x-amz-security-token|x-goog-signature)=)[^&\s\"'<>#]+"
)
_HEADER = re.compile(
    r"(?i)(?P<name>authorization[\"']?\s*[:=]\s*[\"']?(?:basic|bearer|token)\s+)\S+"
)
_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|glpat-[A-Za-z0-9_-]{15,}|hf_[A-Za-z0-9]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}|sk-[A-Za-z0-9_-]{20,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{30,}"
    r"|pypi-[A-Za-z0-9_-]{30,}|dapi[0-9a-f]{32}|dckr_pat_[A-Za-z0-9_-]{20,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"
)
_WORDS = (
    r"(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)"
)
_VARIABLE = re.compile(rf"(?:^|_|[a-z0-9]){_WORDS}(?:$|_|S$|ID$)|^PGPASS", re.IGNORECASE)
_QUOTED = re.compile(
    rf"(?i)(?P<name>\b\w*{_WORDS}\w*[\"']?\]?\s*(?::|=)\s*)(?P<quote>[\"'])[^\"'\n]+(?P=quote)"
)
_SHELL = re.compile(rf"(?P<name>\b[A-Z0-9_]*{_WORDS}[A-Z0-9_]*=)(?![\"'=])[^\s\"']+")


LEFT_OUT = "It is a file of credentials or keys."
"""Why such a file is left out of a snapshot."""


def secret_path(path: str) -> bool:
    """Return whether a file is one of credentials or keys, by its path with `/` between parts."""
    return bool(_FILES.fullmatch(path.rpartition("/")[2]) or _PLACES.search(path))


def may_hold_key(path: str, size: int) -> bool:
    """Return whether a file is to be looked through for a key or a token."""
    if _BUNDLE.search(path):
        return size <= LARGEST
    return 0 < size <= _LARGEST and not _DOCUMENT.search(path)


def secret_content(path: str, body: bytes) -> bool:
    """Return whether a file has a private key, or is nothing but a token, by all of its bytes."""
    is_text = b"\0" not in body  # of data, the first bytes mostly tell
    if is_text and any(word in body for word in _WORDS_OF_KEYS) and _HELD_KEY.search(body):
        return True
    if _BUNDLE.search(path) and _DER_KEY.match(body):
        return True
    return bool(len(body) <= _LONGEST_TOKEN and _TOKEN.fullmatch(body.decode("latin-1").strip()))


def is_git_text(path: str) -> bool:
    """Return whether a file is one of those in which git writes addresses, with their tokens."""
    return bool(_OF_GIT.search(path))


def secret_variable(name: str) -> bool:
    """Return whether the value of an environment variable is a secret, by its name."""
    return bool(_VARIABLE.search(name))


def secret_values(variables: Mapping[str, str]) -> list[str]:
    """Return the values of environment variables that are secrets, the longest first."""
    return longest_first(value for name, value in variables.items() if secret_variable(name))


def longest_first(values: Iterable[str]) -> list[str]:
    """Return the values that are long enough to be looked for; some contain shorter ones."""
    found = {value for value in values if len(value) >= _SHORTEST}
    return sorted(found, key=lambda value: (-len(value), value))


def address(text: str) -> str:
    """Return a text without the credentials in its URLs; users of ssh stay, they are no secret."""
    return _QUERY.sub(rf"\g<name>{MASK}", _URL.sub(_without_password, text))


def text(body: str, secrets: Iterable[str] = ()) -> str:
    """Return a text without what has the form of a secret, and without the given ones.

    Lines stay lines, so that a patch keeps its form.
    """
    for secret in secrets:
        body = body.replace(secret, MASK)
    body = address(_KEY.sub(_without_key, body))
    body = _TOKEN.sub(MASK, _HEADER.sub(rf"\g<name>{MASK}", body))
    body = _QUOTED.sub(rf"\g<name>\g<quote>{MASK}\g<quote>", body)
    return _SHELL.sub(rf"\g<name>{MASK}", body)


def words(line: Iterable[str], secrets: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the words of a command line, without what follows an option such as `--token`."""
    found, secrets, hidden = [], tuple(secrets), False
    for word in line:
        found.append(MASK if hidden and not word.startswith("-") else text(word, secrets))
        option, _, value = word.partition("=")
        is_secret = option.startswith("-") and secret_variable(option.strip("-").replace("-", "_"))
        hidden = is_secret and not value
        if is_secret and value:
            found[-1] = f"{option}={MASK}"
    return tuple(found)


def document(value: Any, secrets: Iterable[str] = ()) -> Any:
    """Return a JSON value with all its texts redacted, names of fields included."""
    secrets = tuple(secrets)
    if isinstance(value, str):
        return text(value, secrets)
    if isinstance(value, Mapping):
        return {
            text(name, secrets): MASK
            if secret_variable(name) and isinstance(each, str) and each
            else document(each, secrets)
            for name, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [document(each, secrets) for each in value]
    return value


def _without_password(found: re.Match[str]) -> str:
    scheme, who = found["scheme"], found["who"]
    user = who.partition(":")[0] if scheme.lower().endswith("ssh") else ""
    return f"{scheme}://{user}@" if user else f"{scheme}://"


def _without_key(found: re.Match[str]) -> str:
    """Return the lines of a private key without the key; each keeps the sign of a patch."""
    first, *rest = found[0].split("\n")
    begin = first[: first.index("-----", 5) + 5]
    if not rest:
        return f"{begin}{MASK}"
    return "\n".join([begin, *(f"{line[:1] if line[:1] in '+- ' else ''}{MASK}" for line in rest)])
