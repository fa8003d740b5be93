"""Waiting for the outcome of a post."""
from __future__ import annotations

from ._calls import Call, path
from ._core import Response, Settings, Sleep, Steps, attempts
from ._errors import FencepostError

_FIRST_WAIT, _GROWTH, _LONGEST_WAIT = 1.0, 1.5, 10.0


def wait_until_done(settings: Settings, id: str, timeout: float) -> Steps:
    """Read a post until the service has nothing more to do for it, and return it."""
    end = settings.monotonic() + timeout
    wait = _FIRST_WAIT
    while True:
        response = yield from attempts(settings, settings.request(Call("GET", path("/v1/posts/{id}", id=id))))
        status = response.data["status"]
        if status != "SCHEDULED":
            return response.data
        left = end - settings.monotonic()
        if left <= 0:
            detail = f"the post is still {status} after {timeout:g} seconds"
            raise FencepostError("timeout", detail, problem={"currentStatus": status})
        yield Sleep(min(left, max(wait, _reset(response))))
        wait = min(_LONGEST_WAIT, wait * _GROWTH)


def _reset(response: Response) -> float:
    """Return the seconds until the credential may send more requests."""
    reset = response.headers.get("ratelimit-reset", "")
    if response.headers.get("ratelimit-remaining") != "0" or not (reset.isascii() and reset.isdigit()):
        return 0
    return float(reset)
