"""The protocol without input and output.

A generator yields the steps of a call and gets their outcomes; the clients only perform steps. So retries, paging and
errors are decided here, once for both clients.
"""
from __future__ import annotations

import email.utils
import json
import random
import time
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Generator, Mapping, Optional, Union

from ._calls import Call, Request
from ._errors import FencepostError, of_response

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
_LONGEST_RETRY_AFTER = 300.0  # a longer one is left to the caller


@dataclass(frozen=True)
class Response:
    """A response. The names of its headers are in lower case. data is its decoded JSON."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    data: Any = None


@dataclass(frozen=True)
class Failure:
    """A try without a response. If unsent is true, the service cannot have received the request."""

    cause: Exception
    timed_out: bool = False
    unsent: bool = False


@dataclass(frozen=True)
class Send:
    """Send a request once. Its outcome is a Response or a Failure."""

    request: Request


@dataclass(frozen=True)
class Sleep:
    """Wait. Its outcome is None."""

    seconds: float


@dataclass(frozen=True)
class Item:
    """Give a value to the caller who iterates. Its outcome is None."""

    value: Any


Outcome = Union[Response, Failure, None]
Steps = Generator[Union[Send, Sleep, Item], Outcome, Any]


@dataclass(frozen=True)
class Settings:
    """The settings of a client. Tests replace the clocks and the chance."""

    url: str
    api_key: str
    timeout: float
    max_attempts: int
    now: Callable[[], float] = field(default=time.time)
    monotonic: Callable[[], float] = field(default=time.monotonic)
    random: Callable[[], float] = field(default=random.random)

    def request(self, call: Call) -> Request:
        return call.request(self.url, self.api_key, self.timeout)

    def backoff(self, number: int) -> float:
        """Return the wait after the try of this number, the first of which is 0."""
        return self.random() * min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(number, 16))


class Driver:
    """What performs steps: the client, or the asynchronous client, whose results are awaitable."""

    settings: Settings

    def run(self, steps: Steps) -> Any:
        raise NotImplementedError

    def iterate(self, steps: Steps) -> Any:
        raise NotImplementedError

    def reporter(self, report: Optional[Callable[[int, int], None]]) -> Optional[Callable[[int, int], None]]:
        """Return what calls report where the caller expects it."""
        return report


def attempts(settings: Settings, request: Request) -> Steps:
    """Send a request until its outcome is final, and return the successful response."""
    lost = False
    for number in range(settings.max_attempts):
        outcome = yield Send(request)
        assert outcome is not None
        if isinstance(outcome, Response):
            if outcome.status < 300 or outcome.status == 304:
                return _decoded(outcome)
            if lost and outcome.status == 404 and request.method == "DELETE":
                return Response(204, {})  # the try whose response was lost has deleted it
        error = _error(settings, outcome, number + 1)
        last = number + 1 == settings.max_attempts or (error.retry_after or 0) > _LONGEST_RETRY_AFTER
        if last or not _repeatable(request, outcome, error):
            raise error from (outcome.cause if isinstance(outcome, Failure) else None)
        lost = lost or isinstance(outcome, Failure)
        yield Sleep(settings.backoff(number) if error.retry_after is None else error.retry_after)
    raise AssertionError("unreachable: there is at least one try")


def value(settings: Settings, call: Call) -> Steps:
    """Perform a call and return the decoded body of its response."""
    return (yield from attempts(settings, settings.request(call))).data


def pages(settings: Settings, call: Call) -> Steps:
    """Give the elements of all pages."""
    while True:
        page = yield from value(settings, call)
        for element in page["data"]:
            yield Item(element)
        cursor = page.get("nextCursor")
        if not cursor or page.get("hasMore") is False:  # the event log has a cursor on its last page, too
            return
        call = replace(call, query={**call.query, "cursor": cursor})


def _decoded(response: Response) -> Response:
    """Decode the body of a successful response."""
    if not response.body:
        return response
    try:
        return replace(response, data=json.loads(response.body))
    except ValueError as error:
        request_id = response.headers.get("x-request-id")
        detail = f"the response is not JSON, but {response.headers.get('content-type', 'of no type')}"
        raise FencepostError("decode", detail, status=response.status, request_id=request_id) from error


def _error(settings: Settings, outcome: Union[Response, Failure], tries: int) -> FencepostError:
    if isinstance(outcome, Response):
        after = _seconds(outcome.headers.get("retry-after", ""), settings.now())
        return of_response(outcome.status, outcome.body, outcome.headers.get("x-request-id"), after, tries)
    kind = "timeout" if outcome.timed_out else "connection"
    return FencepostError(kind, str(outcome.cause) or type(outcome.cause).__name__, tries=tries)


def _repeatable(request: Request, outcome: Union[Response, Failure], error: FencepostError) -> bool:
    if isinstance(outcome, Failure):
        return request.repeatable or outcome.unsent
    return request.repeatable and error.transient


def _seconds(text: str, now: float) -> Optional[float]:
    """Return the seconds of Retry-After, which is a number or a date."""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
