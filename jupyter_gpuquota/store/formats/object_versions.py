"""The versions of objects in an S3 bucket, which the client of object stores does not list.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html, signed by
https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree as ET

from ...errors import NotAllowed, Unavailable
from ..lake.credentials import aws_profile

_EMPTY = hashlib.sha256(b"").hexdigest()
_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_ATTEMPTS = 4
_TIMEOUT = 60.0


class ObjectVersion(NamedTuple):
    """One version of an object; `deleted` if it says that the object was deleted then."""

    key: str
    id: str
    written: datetime
    size: int
    deleted: bool


class _Account(NamedTuple):
    key: str
    secret: str
    token: str
    region: str
    endpoint: str


def listed(bucket: str, prefix: str, variables: Mapping[str, str]) -> Iterator[ObjectVersion]:
    """Yield all versions of all objects whose keys begin with a prefix.

    :raises NotAllowed: there are no credentials, or the server refuses them.
    :raises Unavailable: the server does not answer.
    """
    account = _account({**os.environ, **variables})
    query = {"prefix": prefix, "versions": ""}
    while True:
        # Expat limits what entities may become (since 2.4), and the server was chosen by the user.
        root = ET.fromstring(_answer(account, bucket, query))  # noqa: S314
        for each in root:
            if (kind := each.tag.removeprefix(_NAMESPACE)) in {"Version", "DeleteMarker"}:
                yield _version(each, deleted=kind == "DeleteMarker")
        if _text(root, "IsTruncated") != "true":
            return
        query["key-marker"] = _text(root, "NextKeyMarker")
        query["version-id-marker"] = _text(root, "NextVersionIdMarker")


def _version(element: ET.Element, *, deleted: bool) -> ObjectVersion:
    return ObjectVersion(
        _text(element, "Key"),
        _text(element, "VersionId"),
        datetime.fromisoformat(_text(element, "LastModified")),
        int(_text(element, "Size") or 0),
        deleted,
    )


def _text(element: ET.Element, name: str) -> str:
    return element.findtext(f"{_NAMESPACE}{name}") or element.findtext(name) or ""


def _account(variables: Mapping[str, str]) -> _Account:
    region = variables.get("AWS_REGION") or variables.get("AWS_DEFAULT_REGION") or "us-east-1"
    endpoint = variables.get("AWS_ENDPOINT_URL_S3") or variables.get("AWS_ENDPOINT_URL", "")
    key, secret = variables.get("AWS_ACCESS_KEY_ID", ""), variables.get("AWS_SECRET_ACCESS_KEY", "")
    token = variables.get("AWS_SESSION_TOKEN", "")
    if profile := aws_profile(variables):
        provider, config = profile
        found = provider()
        key, secret = found["access_key_id"], found["secret_access_key"]
        token = found["token"] or ""
        region, endpoint = config.get("region", region), config.get("endpoint", endpoint)
    if not key:
        raise NotAllowed(
            "There are no credentials to list versions of objects with.",
            hint="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        )
    return _Account(key, secret, token, region, endpoint or f"https://s3.{region}.amazonaws.com")


def _answer(account: _Account, bucket: str, query: Mapping[str, str]) -> bytes:
    """Return the body of an answer; repeat what fails for a moment."""
    for left in reversed(range(_ATTEMPTS)):
        request = _signed(account, f"/{quote(bucket)}", query, datetime.now(UTC))
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310 (http, https)
                body: bytes = response.read()
                return body
        except urllib.error.HTTPError as error:
            with error:
                if error.code in {400, 401, 403}:
                    raise NotAllowed(
                        f"{bucket} refuses to list versions of objects with these credentials.",
                        hint="They need the right s3:ListBucketVersions.",
                    ) from None
            problem: OSError = error
        except OSError as error:
            problem = error
        if left:
            time.sleep(2.0 ** (_ATTEMPTS - left) / 10)
    raise Unavailable(
        f"The server of {bucket} does not list versions of objects: {problem}.",
        hint="Check its address and the network, then try again.",
    )


def _signed(
    account: _Account, path: str, query: Mapping[str, str], now: datetime
) -> urllib.request.Request:
    base = urlsplit(account.endpoint)
    encoded = urlencode(sorted(query.items()), quote_via=quote, safe="-_.~")
    day, when = now.strftime("%Y%m%d"), now.strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": base.netloc, "x-amz-content-sha256": _EMPTY, "x-amz-date": when}
    if account.token:
        headers["x-amz-security-token"] = account.token
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    canonical = f"GET\n{path}\n{encoded}\n{lines}\n{names}\n{_EMPTY}"
    scope = f"{day}/{account.region}/s3/aws4_request"
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    key = f"AWS4{account.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    text = f"AWS4-HMAC-SHA256\n{when}\n{scope}\n{hashed}"
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={account.key}/{scope},"
        f" SignedHeaders={names}, Signature={signature}"
    )
    url = f"{base.scheme}://{base.netloc}{path}?{encoded}"
    return urllib.request.Request(url, headers=headers)  # noqa: S310 (http, https)
