"""Runs every case of the conformance table with both clients: python3 run.py PLAYER CASES [NAME…]"""
from __future__ import annotations

import asyncio
import itertools
import json
import math
import os
import re
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any, Callable, Dict, List
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import fencepost
from fencepost import AsyncFencepost, Fencepost, FencepostError
from player import Player

LOST = "the value is absent"


class Clock:
    """A clock that stands still, except that a wait moves it."""

    def __init__(self, start: str, wait: Callable[[], None], cancel: Dict[str, Any]) -> None:
        self.seconds = datetime.fromisoformat(start.replace("Z", "+00:00")).timestamp()
        self.waits: List[float] = []
        self._wait = wait
        self._cancel = cancel

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> bool:
        """Record a wait, and report whether the case cancels it."""
        self._wait()
        cancelled = self._cancel.get("onWait") == len(self.waits)
        self.waits.append(seconds)
        self.seconds += seconds
        return cancelled


def snake(name: str) -> str:
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return name + "_" if name in ("from", "import") else name


class Attempt:
    """A case with one of the clients."""

    def __init__(self, case: Dict[str, Any], clock: Clock, url: str) -> None:
        self.case, self.call, self.clock = case, case["call"], clock
        self.progress: Dict[str, int] = {}
        options = case.get("client", {})
        self.settings: Dict[str, Any] = {
            "url": url if options.get("url", url) else None,
            "api_key": options.get("apiKey", "svc_test_conformance"),
            "timeout": options.get("timeoutSeconds", 30),
            "max_attempts": options.get("maxAttempts", 5),
            "now": clock.now,
            "monotonic": clock.now,
        }
        self.items: List[Any] = []

    def started(self, client: Any) -> Any:
        """Start the call: return its value, its coroutine or its iterator."""
        arguments, method = dict(self.call.get("arguments", {})), self.call["method"]
        options = {snake(name): value for name, value in self.call.get("options", {}).items()}
        if method == "at":
            return fencepost.at(arguments["time"], arguments["zone"])
        if method == "webhooks.verify":
            with mock.patch("time.time", self.clock.now):
                return client.webhooks.verify(arguments["headers"], arguments["body"].encode(), arguments["secrets"])
        if method == "request":
            return client.request(
                arguments["method"], arguments["path"], query=arguments.get("query"), body=arguments.get("body"), **options
            )
        function = client
        for name in method.split("."):
            function = getattr(function, snake(name))
        if method == "media.upload":
            report = lambda sent, total: self.progress.update(sent=sent, total=total)
            return function(arguments.pop("text").encode(), on_progress=report, **arguments)
        if "timeoutSeconds" in arguments:
            arguments["timeout"] = arguments.pop("timeoutSeconds")
        query = {snake(name): value for name, value in arguments.pop("query", {}).items()}
        return function(**{snake(name): value for name, value in arguments.items()}, **query, **options)

    def item(self, value: Any) -> bool:
        """Record an element of an iterator, and report whether more are wanted."""
        self.items.append({"event": value[0], "cursor": value[1]} if isinstance(value, tuple) else value)
        return len(self.items) < self.call.get("take", math.inf)

    def synchronous(self) -> Any:
        def sleep(seconds: float) -> None:
            if self.clock.sleep(seconds):
                client.close()

        with Fencepost(sleep=sleep, **self.settings) as client:
            if "afterSeconds" in self.call.get("cancel", {}):
                threading.Timer(self.call["cancel"]["afterSeconds"], client.close).start()
            result = self.started(client)
            if not hasattr(result, "__next__"):
                return result
            for value in result:
                if not self.item(value):
                    break
            return self.items

    async def asynchronous(self) -> Any:
        task = asyncio.current_task()
        assert task is not None

        async def sleep(seconds: float) -> None:
            if self.clock.sleep(seconds):
                task.cancel()
                await asyncio.sleep(0)

        async with AsyncFencepost(sleep=sleep, **self.settings) as client:
            if "afterSeconds" in self.call.get("cancel", {}):
                asyncio.get_running_loop().call_later(self.call["cancel"]["afterSeconds"], task.cancel)
            result = self.started(client)
            if hasattr(result, "__await__"):
                return await result
            if not hasattr(result, "__anext__"):
                return result
            async for value in result:
                if not self.item(value):
                    break
            return self.items

    def outcome(self, perform: Callable[[], Any]) -> Dict[str, Any]:
        """Perform the call and return its value, or its error in the form of the table."""
        try:
            value = perform()
        except asyncio.CancelledError:
            return {"value": self.items, "error": {"kind": "cancelled"}}
        except FencepostError as error:
            names = "kind status code detail errors currentStatus references requestId retryAfter".split()
            found = {name: getattr(error, snake(name)) for name in names}
            return {"value": self.items, "error": {**found, "text": str(error)}}
        return {"value": value.data if isinstance(value, fencepost.Response) else value, "error": None}


def at_pointer(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, TypeError):
            return LOST
    return value


def differences(expect: Dict[str, Any], outcome: Dict[str, Any], waits: List[float], progress: Dict[str, int]) -> List[str]:
    found = []
    wanted, error = expect.get("error"), outcome["error"]
    if (wanted is None) != (error is None):
        found.append(f"the error is {error} instead of {wanted}")
    elif wanted is not None:
        part = wanted.pop("detailContains", "")
        found += [f"error.{name} is {error.get(name)!r} instead of {value!r}" for name, value in wanted.items() if error.get(name) != value]
        if part not in error.get("text", ""):
            found.append(f"the error {error} does not contain {part!r}")
    for pointer, value in expect.get("values", {}).items():
        got = at_pointer(outcome["value"], pointer)
        if got != value:
            found.append(f"{pointer} is {got!r} instead of {value!r}")
    if "count" in expect and len(outcome["value"] or []) != expect["count"]:
        found.append(f"{len(outcome['value'] or [])} items instead of {expect['count']}")
    ranges = expect.get("waits")
    if ranges is not None and (len(ranges) != len(waits) or not all(map(within, waits, ranges))):
        found.append(f"the waits are {waits} instead of {ranges}")
    if "waitsSum" in expect and not within(sum(waits), expect["waitsSum"]):
        found.append(f"the waits are {waits}, instead of {expect['waitsSum']} in all")
    if "progress" in expect and progress != expect["progress"]:
        found.append(f"the last progress is {progress} instead of {expect['progress']}")
    return found


def within(seconds: float, limits: Dict[str, float]) -> bool:
    return limits["least"] - 1e-6 <= seconds <= limits["most"] + 1e-6


def run(player: Player, case: Dict[str, Any], start: str, kind: str) -> List[str]:
    armed = player.arm(case["name"])
    clock = Clock(case.get("clock", start), lambda: player.waits(armed["run"]), case["call"].get("cancel", {}))
    attempt = Attempt(case, clock, armed["baseUrl"])
    perform = attempt.synchronous if kind == "sync" else lambda: asyncio.run(attempt.asynchronous())
    outcome = attempt.outcome(perform)
    expect = json.loads(json.dumps(case["expect"]))
    return differences(expect, outcome, clock.waits, attempt.progress) + player.report(armed["run"])["failures"]


def main(program: str, path: str, *names: str) -> int:
    for variable in ("FENCEPOST_URL", "FENCEPOST_API_KEY"):
        os.environ.pop(variable, None)
    table = json.loads(Path(path).read_text(encoding="utf-8"))
    cases = [case for case in table["cases"] if not names or case["name"] in names]
    wrong = 0
    with Player(program, path) as player:
        for case, kind in itertools.product(cases, ("sync", "async")):
            failures = run(player, case, table["clock"], kind)
            wrong += bool(failures)
            for failure in failures:
                print(f"{case['name']} ({kind}): {failure}", file=sys.stderr)
    print(f"{len(cases)} cases with 2 clients, {wrong} wrong")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
