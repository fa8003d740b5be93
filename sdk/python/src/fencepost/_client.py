"""The two clients: they perform the steps that the core decides."""
from __future__ import annotations

import asyncio
import os
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Optional, Set, Type
from urllib.parse import urlsplit

from . import _async_resources, _resources
from ._core import Driver, Item, Outcome, Response, Send, Settings, Sleep, Steps
from ._errors import FencepostError
from ._transport import Exchange

_THREADS = 64  # of an asynchronous client: the most requests at a time


def _settings(url: Optional[str], api_key: Optional[str], timeout: float, max_attempts: int, hooks: Mapping[str, Any]) -> Settings:
    url = _configured(url, "url", "FENCEPOST_URL").rstrip("/")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise FencepostError("configuration", f"the address {url!r} must begin with https:// or http://")
    if max_attempts < 1 or timeout <= 0:
        raise FencepostError("configuration", "max_attempts must be 1 or more, and timeout above 0")
    return Settings(url, _configured(api_key, "api_key", "FENCEPOST_API_KEY"), timeout, max_attempts, **hooks)


def _configured(value: Optional[str], name: str, variable: str) -> str:
    value = (value or os.environ.get(variable, "")).strip()
    if not value:
        raise FencepostError("configuration", f"{name} is missing: pass it, or set the variable {variable}")
    return value


class _Client(Driver):
    """What both clients have: settings, and the exchanges that closing aborts."""

    def __init__(self, settings: Settings, ssl_context: Optional[ssl.SSLContext]) -> None:
        self.settings = settings
        secure = settings.url.startswith("https:")
        self._ssl_context = ssl_context or (ssl.create_default_context() if secure else None)
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._exchanges: Set[Exchange] = set()

    def _end(self) -> None:
        self._closed.set()
        with self._lock:
            for exchange in self._exchanges:
                exchange.abort()

    def _exchange(self, exchange: Exchange) -> Outcome:
        with self._lock:
            self._exchanges.add(exchange)
        try:
            self._check_open()
            return exchange.run()
        finally:
            with self._lock:
                self._exchanges.discard(exchange)

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise FencepostError("cancelled", "the client is closed")


class Fencepost(_resources.Operations, _Client):
    """A client of the API. It may be used by several threads. close() also ends the calls that are running.

    url and api_key are by default those of the variables FENCEPOST_URL and FENCEPOST_API_KEY. timeout is in seconds, for
    each of at most max_attempts tries. ssl_context is for certificates of an own authority. hooks are for tests: sleep,
    now, monotonic and random replace those of the time and random modules.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 30,
        max_attempts: int = 5,
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Optional[Callable[[float], object]] = None,
        **hooks: Callable[[], float],
    ) -> None:
        super().__init__(_settings(url, api_key, timeout, max_attempts, hooks), ssl_context)
        self._sleep = sleep or self._closed.wait

    def close(self) -> None:
        self._end()

    def __enter__(self) -> Fencepost:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def run(self, steps: Steps) -> Any:
        outcome: Outcome = None
        try:
            while True:
                outcome = self._perform(steps.send(outcome))
        except StopIteration as end:
            return end.value
        finally:
            steps.close()

    def iterate(self, steps: Steps) -> Iterator[Any]:
        outcome: Outcome = None
        try:
            while True:
                step = steps.send(outcome)
                outcome = None
                if isinstance(step, Item):
                    yield step.value
                else:
                    outcome = self._perform(step)
        except StopIteration:
            return
        finally:
            steps.close()

    def _perform(self, step: Any) -> Outcome:
        self._check_open()
        if isinstance(step, Sleep):
            self._sleep(step.seconds)
            outcome = None
        else:
            outcome = self._exchange(Exchange(step.request, self._ssl_context))
        if not isinstance(outcome, Response):
            self._check_open()
        return outcome


class AsyncFencepost(_async_resources.AsyncOperations, _Client):
    """The asynchronous client, with the arguments of Fencepost; sleep returns an awaitable.

    Requests run in threads. Cancelling a task ends its request.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 30,
        max_attempts: int = 5,
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        **hooks: Callable[[], float],
    ) -> None:
        super().__init__(_settings(url, api_key, timeout, max_attempts, hooks), ssl_context)
        self._sleep = sleep
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="fencepost")

    async def close(self) -> None:
        self._end()
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> AsyncFencepost:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def run(self, steps: Steps) -> Any:
        outcome: Outcome = None
        try:
            while True:
                outcome = await self._perform(steps.send(outcome))
        except StopIteration as end:
            return end.value
        finally:
            steps.close()

    async def iterate(self, steps: Steps) -> AsyncIterator[Any]:
        outcome: Outcome = None
        try:
            while True:
                step = steps.send(outcome)
                outcome = None
                if isinstance(step, Item):
                    yield step.value
                else:
                    outcome = await self._perform(step)
        except StopIteration:
            return
        finally:
            steps.close()

    def reporter(self, report: Optional[Callable[[int, int], None]]) -> Optional[Callable[[int, int], None]]:
        loop = asyncio.get_running_loop()  # files are sent in threads
        return report and (lambda sent, total: loop.call_soon_threadsafe(report, sent, total) and None)

    async def _perform(self, step: Any) -> Outcome:
        self._check_open()
        if isinstance(step, Send):
            exchange = Exchange(step.request, self._ssl_context)
            try:
                outcome: Outcome = await asyncio.get_running_loop().run_in_executor(self._threads, self._exchange, exchange)
            except asyncio.CancelledError:
                exchange.abort()
                raise
        else:
            await self._sleep(step.seconds)
            outcome = None
        if not isinstance(outcome, Response):
            self._check_open()
        return outcome
