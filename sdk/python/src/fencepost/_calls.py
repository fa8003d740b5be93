"""Calls of operations, and the requests that they become."""
from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode

from ._bodies import Slice
from ._errors import refusal
from ._times import encoded
from ._version import VERSION


_KEY = re.compile("[!-~]{1,255}")
_TARGET = "/?%:@!$&'()*+,;=~"  # characters that a path and its query may have


@dataclass(frozen=True)
class Request:
    """A request that is ready to be sent. It may be repeated if repeating it has no further effect."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Union[bytes, Slice, None]
    timeout: float
    repeatable: bool


@dataclass(frozen=True)
class Call:
    """A call of an operation.

    If keyed is true, the operation takes an Idempotency-Key. If reads is true, it changes nothing, whatever its method.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, Optional[str]] = field(default_factory=dict)
    keyed: bool = False
    reads: bool = False
    key: Optional[str] = None
    timeout: Optional[float] = None

    def request(self, url: str, api_key: str, timeout: float) -> Request:
        """Return the request. All tries send it unchanged, with one key."""
        headers = {
            "Accept": "application/json, application/problem+json",
            "Authorization": "Bearer " + api_key,
            "User-Agent": "fencepost-python/" + VERSION,
        }
        headers.update({name: text for name, text in self.headers.items() if text is not None})
        key = self.key if self.key is not None else str(uuid.uuid4()) if self.keyed else None
        if key is not None:
            if not _KEY.fullmatch(key):
                raise refusal(("Idempotency-Key", "must be 1 to 255 visible ASCII characters"))
            headers["Idempotency-Key"] = key
        body = None
        if self.body is not None:
            body = json.dumps(encoded(self.body), ensure_ascii=False, allow_nan=False).encode()
            headers.setdefault("Content-Type", "application/json")
        query = _query(self.query)
        if query:
            query = ("&" if "?" in self.path else "?") + query
        repeatable = key is not None or self.reads or self.method in ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")
        limit = timeout if self.timeout is None else self.timeout
        target = quote(self.path, safe=_TARGET)
        return Request(self.method, url + target + query, headers, body, limit, repeatable)


def path(template: str, **names: str) -> str:
    """Fill a path. A name that would lead to another path is refused."""
    for name, value in names.items():
        if not value or value in (".", ".."):
            raise refusal((name, "must be the ID of one object: the address of " + repr(value) + " would be another one"))
        template = template.replace("{" + name + "}", quote(value, safe=""))
    return template


def _query(values: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, str]] = []
    present: Dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    for name, value in encoded(present).items():
        for one in value if isinstance(value, list) else [value]:
            pairs.append((name, str(one).lower() if isinstance(one, bool) else str(one)))
    return urlencode(pairs, quote_via=quote)
