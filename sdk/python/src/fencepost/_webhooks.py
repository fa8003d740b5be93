"""Verifying deliveries of webhooks."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Iterable, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, Union, cast

from . import types
from ._errors import FencepostError

_PREFIX = "whsec_"


class Headers(Protocol):
    """The headers of a request: a dict, or what http.server and the frameworks have."""

    def items(self) -> Iterable[Tuple[str, Any]]: ...


def verify_webhook(
    headers: Headers,
    body: bytes,
    secrets: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> types.WebhookEvent:
    """Return the event of a delivery if it is genuine, and raise a FencepostError of the kind signature otherwise.

    body must be the raw bytes of the request. One of the secrets must have signed it, in X-Service-Signature or in
    webhook-signature, at a time within tolerance seconds of now.
    """
    named = {str(name).lower(): _text(value) for name, value in headers.items()}
    clock = time.time() if now is None else now
    keys = [secrets] if isinstance(secrets, str) else list(secrets)
    if not keys or not all(keys):
        raise FencepostError("configuration", "verifying needs the secret of the webhook")
    if not any(_service(named, body, key, clock, tolerance) or _standard(named, body, key, clock, tolerance) for key in keys):
        raise FencepostError("signature", "no signature of the delivery is that of a secret at a time near now")
    try:
        event = json.loads(body)
    except ValueError as error:
        raise FencepostError("decode", "the body is signed but is not JSON") from error
    return cast(types.WebhookEvent, event)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        value = value[0] if value else ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _service(named: Mapping[str, str], body: bytes, secret: str, now: float, tolerance: float) -> bool:
    parts = [part.partition("=") for part in named.get("x-service-signature", "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not _near(times[0], now, tolerance):
        return False
    expected = hmac.new(secret.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest()
    return _matches((value for name, _, value in parts if name == "v1"), expected)


def _standard(named: Mapping[str, str], body: bytes, secret: str, now: float, tolerance: float) -> bool:
    identity, sent = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    if not identity or not _near(sent, now, tolerance):
        return False
    try:
        key = base64.b64decode(secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else secret, validate=True)
    except (binascii.Error, ValueError):
        return False
    if not key:
        return False
    signed = f"{identity}.{sent}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    parts: List[Sequence[str]] = [part.partition(",") for part in named.get("webhook-signature", "").split(" ")]
    return _matches((value for version, _, value in parts if version == "v1"), expected)


def _near(sent: str, now: float, tolerance: float) -> bool:
    return sent.isascii() and sent.isdigit() and len(sent) <= 15 and abs(now - int(sent)) <= tolerance


def _matches(signatures: Iterator[str], expected: str) -> bool:
    # In constant time. As bytes: compare_digest refuses text that is not ASCII.
    return any(hmac.compare_digest(signature.encode("utf-8", "replace"), expected.encode()) for signature in signatures)
