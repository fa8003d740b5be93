import hashlib
import hmac
import time
from typing import Optional

TOLERANCE = 300  # seconds


def verify(header: str, body: bytes, secret: str, now: Optional[float] = None) -> bool:
    """Report whether a delivery is genuine: its body is signed with the secret, at a time near now.

    header is X-Service-Signature, t=<unix seconds>,v1=<hex>. While a secret is being replaced there are several v1
    values, of which one must match. body must be the raw bytes of the request.
    """
    parts = [part.partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()) or len(times[0]) > 15:
        return False
    if abs((time.time() if now is None else now) - int(times[0])) > TOLERANCE:
        return False
    expected = hmac.new(secret.encode(), f"{times[0]}.".encode() + body, hashlib.sha256).hexdigest()
    # In constant time. As bytes: compare_digest refuses text that is not ASCII.
    return any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in signatures)
